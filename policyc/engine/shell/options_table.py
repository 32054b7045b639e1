# ruff: noqa: E501  (tables)
"""Spellings of options, per program and subcommand: ``f|force`` is ``-f``, ``--force``; ``:`` takes a value, ``::`` two,
``track?direct,inherit`` takes the next word where it is one of these.

Sources: the manual pages of GNU coreutils 9, findutils, sed, grep, git 2.4x, curl 8, docker, kubectl. Of the
options that take no value, only those with two spellings need an entry.
"""

from __future__ import annotations

from policyc.engine.patterns import lazy_pattern
from policyc.engine.remembered import remembered
from policyc.engine.shell.interpreters import LANGUAGES
from policyc.engine.shell.options_of_tools import TOOLS

#: Programs whose long options have one dash: no cluster is split.
LONG_DASH = frozenset(
    {
        "find", "terraform", "tofu", "packer", "vault", "consul", "nomad", "java", "javac", "go", "openssl", "ffmpeg",
        "convert", "xcodebuild", "adb", "sips", "security", "diskutil", "hdiutil", "launchctl", "qemu-img", "7z",
        "gdb", "sqlite3", "magick", "mogrify", "erl", "emacs", "osacompile",
    }
)  # fmt: skip

_TABLE = """
rm
    r|R|recursive f|force i d|dir v|verbose one-file-system preserve-root no-preserve-root
    interactive
rmdir
    p|parents v|verbose ignore-fail-on-non-empty
mv
    f|force i|interactive n|no-clobber u|update v|verbose b|backup t|target-directory: S|suffix:
    T|no-target-directory
cp
    r|R|recursive a|archive f|force i|interactive n|no-clobber u|update v|verbose l|link
    s|symbolic-link t|target-directory: S|suffix: T|no-target-directory p d x|one-file-system
ln
    s|symbolic f|force i|interactive n|no-dereference v|verbose t|target-directory: S|suffix:
    T|no-target-directory r|relative
install
    d|directory m|mode: o|owner: g|group: t|target-directory: S|suffix: D C v|verbose
mkdir
    p|parents m|mode: v|verbose
touch
    a m c|no-create d|date: r|reference: t:
tee
    a|append i|ignore-interrupts p
truncate
    s|size: r|reference: c|no-create o|io-blocks
shred
    u f|force n|iterations: s|size: z|zero x|exact v|verbose remove
chmod
    R|recursive f|silent|quiet v|verbose c|changes reference:
chown
    R|recursive f|silent|quiet v|verbose c|changes reference: from: h|no-dereference H L P
chgrp
    R|recursive f|silent|quiet v|verbose c|changes reference: h|no-dereference
chattr
    p: v: R f V
setfacl
    m|modify: M|modify-file: x|remove: X|remove-file: restore: set: set-file: R|recursive b|remove-all k|remove-default
cat
    n|number b|number-nonblank s|squeeze-blank A|show-all E|show-ends T|show-tabs v|show-nonprinting
head
    n|lines: c|bytes: q|quiet v|verbose
tail
    n|lines: c|bytes: f|follow F q|quiet s|sleep-interval: pid:
cut
    d|delimiter: f|fields: c|characters: b|bytes: s|only-delimited output-delimiter:
sort
    k|key: t|field-separator: o|output: T|temporary-directory: r|reverse n|numeric-sort u|unique
    S|buffer-size: compress-program: files0-from: parallel: batch-size:
uniq
    c|count d|repeated f|skip-fields: s|skip-chars: w|check-chars: u|unique i|ignore-case D
wc
    l|lines w|words c|bytes m|chars files0-from:
tr
    d|delete s|squeeze-repeats c|complement
sed
    n|quiet|silent e|expression: f|file: i|in-place E|r|regexp-extended s|separate z|null-data
    l|line-length:
grep
    e|regexp: f|file: r|recursive R|dereference-recursive i|ignore-case v|invert-match n|line-number
    l|files-with-matches c|count o|only-matching q|quiet|silent w|word-regexp E|extended-regexp
    F|fixed-strings P|perl-regexp A|after-context: B|before-context: C|context: m|max-count:
    include: exclude: exclude-dir: exclude-from: color d|directories: D|devices:
rg
    e|regexp: f|file: g|glob: t|type: T|type-not: A|after-context: B|before-context: C|context:
    m|max-count: i|ignore-case n|line-number l|files-with-matches v|invert-match u|unrestricted
    r|replace: M|max-columns: j|threads: iglob: max-depth: sort: F|fixed-strings w|word-regexp
    o|only-matching c|count q|quiet pre: files hidden
awk
    F|field-separator: v|assign: f|file: e|source: i|include: l|load: E|exec:
perl
    e: E: I: M: m: i
ruby
    e: E: I: r: C: i
dd
tar
    c|create x|extract|get t|list r|append u|update f|file: C|directory: z|gzip j|bzip2 J|xz
    v|verbose p T|files-from: X|exclude-from: exclude: strip-components: transform: to-command:
    I|use-compress-program: checkpoint-action: O|to-stdout k|keep-old-files overwrite remove-files
    delete no-recursion recursion F|info-script|new-volume-script: rsh-command: rmt-command: N|newer: V|label:
    g|listed-incremental: owner: group: mode: mtime: occurrence starting-file: L|tape-length: b|blocking-factor:
zip
    r|recurse-paths m|move d|delete x: b: n: t: T|test -TT|unzip-command: q u|update j|junk-paths
unzip
    d: o n l p q x:
rsync
    a|archive r|recursive v|verbose z|compress n|dry-run delete e|rsh: f|filter: exclude: include:
    exclude-from: files-from: remove-source-files delete-before delete-after delete-during
    delete-excluded del rsync-path: backup-dir: suffix: log-file: partial-dir: T|temp-dir: password-file:
    link-dest: copy-dest: compare-dest: chmod: chown: bwlimit: port: include-from: max-size: min-size: timeout:
scp
    r P: i: o: F: c: l: J: S: D: X:
sftp
    P: i: o: F: c: l: J: S: D: B: b: R: s: r p
ssh
    b: c: D: E: e: F: I: i: J: L: l: m: O: o: p: Q: R: S: W: w: B: P:
curl
    X|request: d|data|data-ascii: data-raw: data-binary: data-urlencode: json: H|header: o|output:
    O|remote-name T|upload-file: F|form: form-string: u|user: K|config: A|user-agent: e|referer:
    b|cookie: c|cookie-jar: x|proxy: m|max-time: w|write-out: L|location s|silent S|show-error
    f|fail k|insecure I|head G|get v|verbose output-dir: D|dump-header: cacert: E|cert: key: url:
    connect-timeout: retry: r|range: C|continue-at: resolve: unix-socket: trace: stderr:
    z|time-cond: max-redirs: remote-name-all n|netrc netrc-file: create-dirs compressed N|no-buffer
    i|include p|proxytunnel J|remote-header-name
wget
    O|output-document: P|directory-prefix: i|input-file: o|output-file: a|append-output: post-data:
    post-file: body-file: body-data: method: header: U|user-agent: t|tries: T|timeout: q|quiet
    c|continue r|recursive user: password: e|execute: load-cookies: save-cookies: N|timestamping
    A|accept: R|reject: l|level: no-check-certificate use-askpass: B|base: D|domains: X|exclude-directories:
    I|include-directories: ca-certificate: certificate: private-key: rejected-log: warc-file:
git
    C: c: git-dir: work-tree: namespace: super-prefix: config-env: attr-source: p|paginate
    P|no-pager
git push
    f|force d|delete n|dry-run u|set-upstream q|quiet v|verbose o|push-option: repo:
    recurse-submodules:
    receive-pack|exec: force-with-lease force-if-includes no-verify mirror all|branches tags prune
    atomic signed thin follow-tags
git pull
    r|rebase q|quiet v|verbose f|force s|strategy: X|strategy-option: depth:
    recurse-submodules?yes,on-demand,no upload-pack:
git fetch
    f|force p|prune P|prune-tags q|quiet a|append t|tags depth: j|jobs: o|server-option: refmap: upload-pack:
    recurse-submodules?yes,on-demand,no
git commit
    m|message: F|file: a|all C|reuse-message: c|reedit-message: author: date: t|template:
    n|no-verify amend S|gpg-sign fixup: squash: s|signoff q|quiet v|verbose e|edit p|patch trailer:
    cleanup: pathspec-from-file: U|unified: inter-hunk-context:
git add
    A|all|no-ignore-removal f|force n|dry-run p|patch u|update v|verbose i|interactive e|edit
    pathspec-from-file: chmod: U|unified: inter-hunk-context:
git rm
    r f|force n|dry-run q|quiet cached pathspec-from-file:
git mv
    f|force n|dry-run k v|verbose
git clean
    f|force n|dry-run d x X q|quiet i|interactive e|exclude:
git reset
    q|quiet p|patch N|intent-to-add hard soft mixed merge keep pathspec-from-file:
    U|unified: inter-hunk-context: recurse-submodules?yes,no
git checkout
    f|force b: B: p|patch q|quiet t|track?direct,inherit m|merge d|detach l orphan: conflict: ours theirs
    pathspec-from-file: U|unified: inter-hunk-context: recurse-submodules?checkout,yes,no
git switch
    c|create: C|force-create: d|detach f|force|discard-changes m|merge t|track?direct,inherit orphan: q|quiet
    conflict: recurse-submodules?checkout,yes,no
git restore
    s|source: S|staged W|worktree p|patch q|quiet m|merge pathspec-from-file: ours theirs
    conflict: U|unified: inter-hunk-context: recurse-submodules?checkout,yes,no
git branch
    d|delete D f|force m|move M c|copy C r|remotes a|all v|verbose u|set-upstream-to: unset-upstream
    list contains: merged: no-merged: sort: points-at: format: q|quiet t|track?direct,inherit
git tag
    d|delete f|force a|annotate s|sign m|message: F|file: l|list n u|local-user: v|verify sort:
    format: contains:
git stash
    u|include-untracked a|all m|message: p|patch k|keep-index q|quiet S|staged
    pathspec-from-file: U|unified: inter-hunk-context:
git rebase
    i|interactive onto: x|exec: f|force-rebase|no-ff q|quiet s|strategy: X|strategy-option: abort
    continue skip
git merge
    m|message: F|file: s|strategy: X|strategy-option: q|quiet abort squash no-ff ff-only
git log
    n|max-count: p|patch|u since|after: until|before: author: grep: S: G: L: format|pretty:
    o|output: U|unified: inter-hunk-context:
git diff
    p|patch|u S: G: output: diff-filter: U|unified: inter-hunk-context: stat
git show
    p|patch|u format|pretty: output: U|unified: inter-hunk-context:
git clone
    b|branch: depth: o|origin: j|jobs: c|config: u|upload-pack: recurse-submodules|recursive q|quiet
    n|no-checkout template: reference: separate-git-dir: filter:
git config
    f|file: global system local worktree unset unset-all add replace-all get l|list e|edit blob:
    type: default:
git worktree
    f|force b: B: d|detach
git gc
    prune aggressive auto q|quiet force
git reflog
    expire: expire-unreachable: all n|dry-run
git ls-remote
    upload-pack|exec: h|heads t|tags q|quiet sort:
git difftool
    x|extcmd: t|tool: g|gui y|no-prompt
git apply
    R|reverse 3|3way index cached check p: C: directory: include: exclude: stat
git grep
    e: f: n|line-number l|files-with-matches i|ignore-case A: B: C: O|open-files-in-pager cached
    no-index
git archive
    o|output: format: prefix: remote: exec:
docker
    c|context: H|host: l|log-level: config: tlscacert: tlscert: tlskey: D|debug
docker run
    v|volume: e|env: p|publish: w|workdir: u|user: name: network|net: entrypoint: mount: m|memory:
    l|label: h|hostname: env-file: platform: pull: cpus: add-host: cap-add: cap-drop: device: gpus:
    ip: link: log-driver: pid: restart: runtime: security-opt: shm-size: tmpfs: ulimit: userns:
    volumes-from: a|attach: d|detach i|interactive t|tty rm privileged cidfile: dns: expose:
    health-cmd: ipc: label-file: log-opt: stop-signal: sysctl: group-add: cgroupns:
    annotation:
docker exec
    e|env: w|workdir: u|user: env-file: d|detach i|interactive t|tty privileged detach-keys:
docker rm
    f|force v|volumes l|link
docker rmi
    f|force no-prune
docker system prune
    a|all f|force volumes filter:
docker build
    f|file: t|tag: build-arg: target: q|quiet o|output: platform: secret: ssh: network: label:
    progress:
docker compose
    f|file: p|project-name: profile: env-file: project-directory: ansi: progress:
kubectl
    n|namespace: context: kubeconfig: cluster: user: s|server: as: as-group: token: l|selector:
    o|output: f|filename: request-timeout: A|all-namespaces c|container: v: k|kustomize:
    field-selector: grace-period: cascade: dry-run replicas:
kubectl exec
    i|stdin t|tty q|quiet c|container:
helm
    n|namespace: kube-context: kubeconfig: f|values: version: set: set-string: timeout: repo:
    d|destination:
aws
    region: profile: output: endpoint-url: query: cli-input-json: ca-bundle: color:
    cli-connect-timeout: cli-read-timeout:
gcloud
    project: account: format: zone: region: configuration: filter: impersonate-service-account:
    verbosity: q|quiet
az
    subscription: g|resource-group: n|name: o|output: query: y|yes
gsutil
    o: h: u: i: m q D
gh
    R|repo: hostname: X|method: f|raw-field: F|field: H|header: input: q|jq: t|template: b|body:
    body-file:
systemctl
    H|host: M|machine: t|type: n|lines: o|output: p|property: s|signal: f|force q|quiet root:
    no-block
npm
    prefix|C: registry: w|workspace: tag: otp: access: g|global f|force D|save-dev userconfig:
    loglevel:
pip
    r|requirement: t|target: i|index-url: extra-index-url: c|constraint: e|editable: y|yes q|quiet
    U|upgrade user
psql
    c|command: f|file: d|dbname: h|host: p|port: U|username: o|output: v|set|variable: L|log-file:
    F|field-separator:
mysql
    e|execute: h|host: u|user: P|port: D|database: S|socket:
make
    f|file|makefile: C|directory: j|jobs: I|include-dir: n|dry-run|just-print B|always-make
    k|keep-going eval: W|assume-new|new-file: o|assume-old|old-file: l|load-average:
crontab
    r l e i u:
patch
    p|strip: i|input: o|output: d|directory: R|reverse dry-run
gzip
    c|stdout k|keep d|decompress f|force r|recursive S|suffix:
find
    -name: -iname: -path: -ipath: -wholename: -iwholename: -lname: -ilname: -regex: -iregex: -type: -xtype:
    -mindepth: -maxdepth: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -used: -size: -newer: -anewer: -cnewer:
    -perm: -user: -group: -uid: -gid: -links: -inum: -samefile: -fstype: -context: -fprint: -fprint0: -fls:
    -fprintf:: -delete -printf: -regextype: -D: -files0-from: -newermt: -newerat: -newerct: -newermm: -newerma: -newermc:
    -neweraa: -neweram: -newerac: -newercc: -newerca: -newercm: -newerBt: -newerBm:
terraform
    -chdir: -target: -var: -var-file: -state: -out: -lock-timeout: -parallelism: -backend-config:
    -plugin-dir: -replace:
mkfs
    t: L: U:
kill
    s|signal: l|list
pkill
    s|session: signal: u|euid: U|uid: g|pgroup: P|parent: t|terminal: F|pidfile: f|full x|exact
useradd
    d: g: G: s: u: c: m
sqlite3
    -cmd: -init: -separator: -nullvalue: -newline: -maxsize: -vfs: -mmap: -lookaside: -pagecache:
openssl
    -in: -out: -inkey: -key: -keyout: -config: -days: -subj: -passin: -passout: -pass: -k: -K: -iv:
    -CAfile: -cert: -connect: -engine: -provider: -provider-path: -rand: -writerand: -certfile: -signkey:
    -extfile: -CA: -CAkey: -CAcreateserial -sigfile: -sign: -verify: -signature: -newkey: -set_serial: -kfile:
"""


_ALIASES = {
    "egrep": "grep", "fgrep": "grep", "zgrep": "grep", "gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed", "gtar": "tar",
    "bsdtar": "tar", "grm": "rm", "gmv": "mv", "gcp": "cp", "podman": "docker", "nerdctl": "docker", "tofu": "terraform",
    "pip3": "pip", "oc": "kubectl", "glab": "gh", "pnpm": "npm", "mariadb": "mysql", "gunzip": "gzip", "srm": "rm", "gmake": "make",
    "vi": "vim", "nvim": "vim", "ex": "vim", "view": "vim", "vimdiff": "vim", "gvim": "vim", "rvim": "vim", "gpg2": "gpg",
    "cc": "gcc", "g++": "gcc", "c++": "gcc", "clang": "gcc", "clang++": "gcc", "ncat": "nc", "netcat": "nc", "pnpx": "npx",
    "bunx": "npx", "bzip2": "gzip", "bunzip2": "gzip", "xz": "gzip", "unxz": "gzip", "lzma": "gzip", "gojq": "jq", "more": "less",
    "gdate": "date", "gfind": "find", "gsort": "sort", "gsplit": "split", "gobjcopy": "objcopy", "ksh93": "ksh", "zless": "less",
}  # fmt: skip


@remembered(4096)
def options_of(program: str) -> str | None:
    """The entries of a program, or a program and its subcommand; None where it is in no table."""
    name, _, rest = program.partition(" ")
    alias = _ALIASES.get(name)
    found = _row(program)
    if found is None and alias is not None:
        found = options_of(f"{alias} {rest}" if rest else alias)
    if found is None and program in LANGUAGES:
        # Of the options of interpreters, those that give code: what comes after is no file of theirs.
        found = " ".join(f"{flag}:" for flag in sorted(LANGUAGES[program].code) if flag[0] == "-")
    return found


def _row(program: str) -> str | None:
    # A search in the text: reading all of it costs a hook process more than its decision.
    if "\n" in program or program[:1] in ("", " "):
        return None
    heading = f"\n{program}\n"
    for table in (TOOLS, _TABLE):
        _, found, rest = table.rpartition(heading)
        if found:
            return _INDENTED.match(rest)[0]  # type: ignore[index]
    return None


def headings() -> list[str]:
    """What the table has rows for."""
    return [line for line in (_TABLE + TOOLS).split("\n") if line[:1] not in ("", " ")]


_INDENTED = lazy_pattern(r"(?: .*\n?)*")
