# ruff: noqa: E501  (tables)
"""Spellings of options of programs beyond the shell's daily ones, in the form of ``options_table.py``.

Sources: the manual pages of each program.
"""

from __future__ import annotations

TOOLS = """
less
    b|buffers: h|max-back-scroll: j|jump-target: k|lesskey-file: o|log-file: p|pattern: P|prompt: t|tag: T|tag-file:
    x|tabs: y|max-forw-scroll: z|window: D|color: lesskey-src:
vim
    c: -cmd|cmd: S: u: U: i: T: t: s W: w: V: r: q: -es -Es
man
    P|pager: M|manpath: C|config-file: L|locale: m|systems: S|s|sections: e|extension: p|preprocessor: r|prompt:
    R|recode: E|encoding: H|html: k|apropos f|whatis
split
    b|bytes: l|lines: n|number: C|line-bytes: a|suffix-length: additional-suffix: t|separator: filter:
    d x e|elide-empty-files u|unbuffered
csplit
    f|prefix: b|suffix-format: n|digits: k|keep-files s|quiet z|elide-empty-files
npx
    c|call: p|package: w|workspace: y|yes
npm exec
    c|call: p|package: w|workspace:
npm x
    c|call: p|package: w|workspace:
npm pkg
    w|workspace: json
nodemon
    x|exec: e|ext: w|watch: i|ignore: d|delay: C|on-change-only: config: signal:
cargo watch
    s|shell: x|exec: w|watch: i|ignore: d|delay: C|workdir:
cargo
    manifest-path: p|package: target: features: Z: config: git: path: root: target-dir: bin: j|jobs: token: registry: index:
tcpdump
    z|postrotate-command: i|interface: w: r: c: C: F: G: s: T: W: y: Z: E:
nc
    e|exec: c|sh-exec: p: s: w: q: i: x: X: T: I: O: P:
openvpn
    config: up: down: route-up: client-connect: script-security: cd: ca: cert: key:
fzf
    preview: q|query: f|filter: d|delimiter: bind: height: header: prompt: n|nth:
script
    c|command: a|append f|flush q|quiet e|return I|log-in: O|log-out: B|log-io: T|log-timing: E|echo: m|logging-format:
    o|output-limit: t
runuser
    c|command: u|user: g|group: G|supp-group: s|shell: l|login w|whitelist-environment:
sg
    c:
at
    f|file: q: t: l m
start-stop-daemon
    x|exec: a|startas: p|pidfile: u|user: c|chuid: g|group: k|umask: n|name: N|nicelevel: P|procsched: d|chdir:
    r|chroot: R|retry: s|signal: b|background S|start K|stop m|make-pidfile
tree
    L: P: I: o: filelimit: charset: sort: T: H:
7z
    -p: -t: -m:
cpio
    i|extract o|create p|pass-through F|file: I: O: D|directory: E|pattern-file: H|format: d|make-directories
    m|preserve-modification-time u|unconditional v|verbose R|owner:
pax
    f: s: x: b: o: p: r w v
ssh-keygen
    f|file: t: b: C: N: P: R: F: m: I: n: s: V: z: y l e q
ssh-copy-id
    i: p: o: F:
sops
    i|in-place d|decrypt e|encrypt output: input-type: output-type: k|kms: p|pgp: a|age: config: extract: set:
xmllint
    o|output: schema: xpath: format noout
axel
    o|output: n|num-connections: H|header:
yt-dlp
    o|output: f|format: P|paths: a|batch-file: cookies:
mysqldump
    r|result-file: h|host: u|user: P|port: p
pg_dump
    f|file: d|dbname: h|host: p|port: U|username: F|format: t|table: n|schema: j|jobs:
pg_restore
    f|file: d|dbname: h|host: p|port: U|username: F|format: t|table: n|schema: j|jobs: l|list
esbuild
    outfile: outdir: platform: target: format:
tsc
    p|project: outDir: outFile: t|target: m|module: b|build
mke2fs
    t: L: U: b: i: I: m: N: O: E: T: c q n
qemu-img
    f: O: o: b: F: p: c q
gofmt
    r: w l d s
shfmt
    i: ln: w l d
rclone
    config: filter-from: include: exclude: bwlimit: transfers: dry-run
htpasswd
    c b B n D C:
age-keygen
    o|output:
rustc
    o: C: L: l: O g emit: out-dir: edition: crate-type: crate-name: cfg: target:
sips
    s|setProperty:: g: z:: Z: r: out: c::
prettier
    write check config: parser: l|list-different
convert
    -resize: -quality: -density: -crop: -rotate: -geometry: -background: -gravity: -extent: -format: -depth: -type:
    -fill: -font: -pointsize: -annotate: -draw: -fuzz: -colorspace: -compress: -define: -sample: -scale: -thumbnail:
    -blur: -colors: -size: -page: -delay: -loop: -alpha: -border: -bordercolor: -compose: -set:: -path:
magick
    -resize: -quality: -density: -crop: -rotate: -geometry: -background: -gravity: -extent: -format: -depth: -type:
    -fill: -font: -pointsize: -annotate: -draw: -fuzz: -colorspace: -compress: -define: -sample: -scale: -thumbnail:
    -blur: -colors: -size: -page: -delay: -loop: -alpha: -border: -bordercolor: -compose: -set:: -path:
mogrify
    -resize: -quality: -density: -crop: -rotate: -geometry: -background: -gravity: -extent: -format: -depth: -type:
    -fill: -font: -pointsize: -annotate: -draw: -fuzz: -colorspace: -compress: -define: -sample: -scale: -thumbnail:
    -blur: -colors: -size: -page: -delay: -loop: -alpha: -border: -bordercolor: -compose: -set:: -path:
fd
    e|extension: t|type: E|exclude: d|max-depth: S|size: c|color: j|threads: g|glob H|hidden I|no-ignore
    changed-within: changed-before: search-path: base-directory: min-depth: o|owner:
youtube-dl
    o|output: f|format: P|paths: a|batch-file: cookies:
nmap
    script: p: o: oN: oX: iL: script-args: e: S: D:
uvx
    from: with: p|python: index-url:
pipx
    spec: python: pip-args: index-url: i:
go
    -C: -o: -tags: -ldflags: -gcflags: -mod: -modfile: -p: -run: -count: -timeout: -exec: -toolexec: -overlay:
uv
    from: with: directory: project: p|python: config-file: cache-dir: q|quiet
poetry
    C|directory: P|project:
env-cmd
    f|file: e|environments: r|rc-file:
dotenv
    f|file: e|environment: q: v:
dotenvx
    f|env-file|file: e|env:
hyperfine
    p|prepare: s|setup: c|cleanup: conclude: w|warmup: r|runs: m|min-runs: M|max-runs: n|command-name:
    L|parameter-list: P|parameter-scan: S|shell: export-json: export-csv: export-markdown: input: output:
borg
    rsh: remote-path:
mosh
    ssh: p|port: server: client: predict:
gpg
    o|output: u|local-user: r|recipient: R|hidden-recipient: homedir: passphrase: passphrase-file: passphrase-fd:
    keyring: keyserver: default-key: cipher-algo: c|symmetric d|decrypt e|encrypt s|sign a|armor
date
    d|date: f|file: r|reference: s|set: R|rfc-email u|utc I|iso-8601
jq
    f|from-file: indent: L: e|exit-status r|raw-output n|null-input s|slurp c|compact-output i|in-place
yq
    i|inplace e|exit-status n|null-input o|output-format: p|input-format: P|prettyPrint r I|indent: s|split-exp:
    from-file:
objcopy
    I|input-target: O|output-target: B|binary-architecture: F|target: j|only-section: R|remove-section: add-section:
    K|keep-symbol: N|strip-symbol: set-section-flags: rename-section: redefine-sym: change-addresses:
strip
    o: R|remove-section: K|keep-symbol: N|strip-symbol: F|target:
xxd
    c: g: l: n: o: s: r p|ps|postscript u i b
od
    A|address-radix: j|skip-bytes: N|read-bytes: t|format: w: S|strings: v
strings
    n|bytes: t|radix: e|encoding: T|target: s|output-separator: a|all f|print-file-name
nl
    b|body-numbering: d|section-delimiter: f|footer-numbering: h|header-numbering: i|line-increment:
    l|join-blank-lines: n|number-format: s|number-separator: v|starting-line-number: w|number-width: p
fold
    w|width: b s c
fmt
    w|width: p|prefix: g|goal: s u c t
pr
    h|header: l|length: o|indent: w|width: W|page-width: D|date-format: N|first-line-number: d m t f
column
    s|separator: o|output-separator: c|output-width: N|table-columns: n|table-name: R|table-right: H|table-hide: t J x
look
    t: d f a
base64
    w|wrap: d|decode i|ignore-garbage D
base32
    w|wrap: d|decode
diff
    U|unified: C|context: L|label: I|ignore-matching-lines: x|exclude: X|exclude-from: W|width: r|recursive q|brief
    S|starting-file: F|show-function-line: from-file: to-file: N|new-file u y i w B a s b E
cmp
    i|ignore-initial: n|bytes: l|verbose s|silent|quiet b
comm
    output-delimiter: check-order
paste
    d|delimiters: s|serial z
join
    a: e: o: t: v: j: i|ignore-case
iconv
    f|from-code: t|to-code: o|output: c l
ffmpeg
    -i: -c: -codec: -c:v: -c:a: -vf: -af: -filter_complex: -f: -r: -s: -t: -ss: -to: -b:v: -b:a: -crf: -preset: -map:
    -pix_fmt: -vcodec: -acodec: -loglevel: -v: -threads: -ar: -ac: -ab: -q:v: -q:a: -frames:v: -vframes: -metadata:
    -movflags: -tune: -profile:v: -safe: -start_number: -framerate: -loop: -vsync: -maxrate: -bufsize: -g: -aspect:
    -filter:v: -filter:a: -c:s: -scodec: -lavfi: -init_hw_device: -hwaccel: -itsoffset: -stream_loop: -passlogfile:
    -pass:
gcc
    o: x: I: L: l: D: U: include: isystem: std: O g W M -MF: -MT: -MQ: -include: -isystem: -idirafter: -iquote:
    -Xlinker: -Xpreprocessor: -Xassembler: -T: -u: c S E
wipefs
    a|all b|backup n|no-act o|offset: t|types: f|force i|noheadings p|parsable O|output: q|quiet lock J|json
sgdisk
    p|print i|info: v|verify b|backup: l|load-backup: L|list-types O|print-mbr P|pretend D|display-alignment
    o|clear Z|zap-all z|zap
sfdisk
    d|dump l|list J|json s|show-size n|no-act F|list-free v|version V|verify
fdisk
    l|list s|getsz x|list-details v|version V b|sector-size: C|cylinders: H|heads: S|sectors: t|type: u|units c
age
    o|output: r|recipient: R|recipients-file: i|identity: d|decrypt e|encrypt p|passphrase a|armor
pandoc
    o|output: f|from|r|read: t|to|w|write: d|defaults: H|include-in-header: c|css: template: V|variable: M|metadata:
    filter: F L|lua-filter: bibliography: log: data-dir: s|standalone
aria2c
    o|out: d|dir: i|input-file: x|max-connection-per-server: s|split: j: l|log: checksum: header: T|torrent-file:
rename
    n|no-act|nono v|verbose f|force e|expr: o|no-overwrite s|symlink a|all l|last i|interactive
"""
