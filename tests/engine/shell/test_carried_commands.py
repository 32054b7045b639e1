# ruff: noqa: E501  (tables)
"""Commands that programs run from their options, scripts and files. ``?`` is not known."""

import pytest

from policyc.engine.shell import shell_facts

# line, in which all that carries a command carries `shred k`
CARRIED = [
    # package runners
    "npx -c 'shred k'", "npx --call='shred k'", "npx -p x -c 'shred k'", "npm exec -c 'shred k'", "npm x -- shred k", "npm --prefix d exec -c 'shred k'",
    "npx cross-env A=1 shred k", "npx concurrently 'shred k'", "uv --directory d run shred k", "uv tool run shred k", "dotenv -f .env run -- shred k",
    "dotenv -e .env -- shred k", "dotenvx run -f .env -- shred k", "direnv exec . shred k", "rustup run nightly shred k", "mise exec node@20 -- shred k",
    "mise x -c 'shred k'", "nix shell nixpkgs#x -c shred k", "nix develop --command shred k", "pnpm x shred k", "bun x shred k", "env-cmd -f .env shred k",
    # watchers and timers
    "ls | entr shred k", "ls | entr -s 'shred k'", "ls | entr -r sh -c 'shred k'", "nodemon --exec 'shred k'", "watchexec -e py 'shred k'", "watchexec -- shred k",
    "cargo watch -s 'shred k'", "hyperfine --prepare 'shred k' ls", "hyperfine 'shred k'", "echo 'shred k' > job; at -f job now", "echo shred k | batch",
    "echo '* * * * * shred k' | crontab -", "crontab - <<< '@daily shred k'", "echo '5 4 * * 1 shred k' > j; crontab j",
    # wrappers
    "perf record shred k", "perf stat -e cycles -- shred k", "valgrind --leak-check=full shred k", "numactl -N 0 -m 0 shred k", "setarch x86_64 shred k",
    "prlimit --nofile=1 shred k", "cgexec -g cpu:x shred k", "run0 -u root shred k", "sshpass -p x ssh h shred k", "capsh -- -c 'shred k'", "sg docker 'shred k'",
    "sg docker -c 'shred k'", "bwrap --bind / / --dev /dev shred k", "bwrap --ro-bind /usr /usr --unshare-all --chdir / -- shred k", "script -q /dev/null shred k",
    "flock l sh -c 'shred k'", "flock -x l -c 'shred k'", "runuser -l u -c 'shred k'", "runuser -u n -- sh -c 'shred k'", "start-stop-daemon --start --exec /bin/shred -- k",
    "/lib64/ld-linux-x86-64.so.2 /bin/shred k", "ld-musl-x86_64.so.1 --library-path /x shred k", "kubectl -n x exec p -- shred k", "docker -H h exec c shred k",
    "docker --context x compose exec w shred k", "docker run --entrypoint shred i k",
    # terminals
    "screen -dm shred k", "screen -dmS n sh -c 'shred k'", "screen -S n -X stuff 'shred k\\n'", "tmux new -d shred k", "tmux -L s new-session -d -s n 'shred k'",
    "tmux split-window shred k", "tmux run-shell 'shred k'", "tmux send-keys -t n 'shred k' Enter", "tmux send-keys shred Space k C-m", "tmux new -d ls \\; send-keys 'shred k'",
    # options
    "man -P 'shred k' ls", "man --pager='shred k' ls", "zip -T -TT 'shred k' x y", "zip -T --unzip-command='shred k' x y", "tar xf x --to-command='shred k'",
    "tar -I 'shred k' -cf x y", "tar cf x -F 'shred k' y", "sort --compress-program='shred k' f", "split --filter='shred k' f", "rg --pre 'shred k' x",
    "rsync --rsync-path='shred k' a h:b", "ssh -o ProxyCommand='shred k' h", "ssh -oproxycommand='shred k' h ls", "scp -o 'LocalCommand shred k' a h:", "scp -S 'shred k' a h:",
    "sftp -o ProxyCommand='shred k' h", "wget --use-askpass='shred k' u", "tcpdump -z 'shred k' -w f", "ncat -l 1 --sh-exec 'shred k'", "git push --receive-pack='shred k'",
    "git ls-remote --upload-pack='shred k' x", "git clone -u 'shred k' x", "git difftool -x 'shred k'", "git fetch 'ext::sh -c shred% k'",
    # make
    "make --eval='$(shell shred k)'", "make --eval 'x:; shred k'", "make -f /dev/stdin <<E\nall:\n\tshred k\nE", "make SHELL='shred k'", "printf 'a:\\n\\tshred k\\n' | make -f -",
    "printf 'a:\\n\\tshred k\\n' > GNUmakefile; make", "printf 'a:\\n\\tshred k\\n' > d/Makefile; make -C d", "echo 'X != shred k' > Makefile; make",
    # editors and pagers
    "ex -c ':!shred k' -c q", "ex -sc '!shred k' f", "ex f <<< '%!shred k'", "ed f <<< '!shred k'", "printf 'r !shred k\\n' | ed f", "vi +'!shred k'", "vim -es -c ':!shred k'",
    "vim --cmd 'call system(\"shred k\")'", "vim -c 'w !shred k'", "nvim -c 'terminal shred k'", "vim -c ':exe \"!shred k\"'", "less +!'shred k' f",
    # languages
    "lua -e 'os.execute(\"shred k\")'", "luajit -e 'os.execute[[shred k]]'", "lua5.4 -e 'io.popen(\"shred k\")'", "julia -e 'run(`shred k`)'", "R -e 'system(\"shred k\")'",
    "Rscript -e 'system2(\"shred\", \"k\")'", "elixir -e 'System.cmd(\"shred\", [\"k\"])'", "elixir -e ':os.cmd(~c\"shred k\")'", "groovy -e '\"shred k\".execute()'",
    "deno eval 'new Deno.Command(\"shred\", {args: [\"k\"]})'", "node -e 'require(\"child_process\").spawnSync(\"shred\", [\"k\"])'", "tclsh <<< 'exec shred k'",
    "echo 'exec shred k' | tclsh", "wish <<< 'set f [open \"|shred k\"]'", "expect -c 'spawn shred k'", "expect <<< 'send \"shred k\\r\"'", "emacs --batch --eval '(shell-command \"shred k\")'",
    "emacs -Q --eval '(call-process \"shred\" nil nil nil \"k\")'", "gdb -ex '!shred k'", "gdb -batch -ex 'shell shred k' x", "gdb -q --args shred k", "m4 <<< \"syscmd(\\`shred k')\"",
    "echo 'esyscmd(shred k)' | m4", "dc -e '!shred k'", "dc <<< '1 !shred k'", "sqlite3 db '.shell shred k'", "sqlite3 db <<< '.system shred k'", "sqlite3 -cmd '.once |shred k' db",
    "psql -c '\\! shred k'", "psql <<< \"COPY t TO PROGRAM 'shred k'\"", "psql -c '\\o |shred k'", "mysql -e 'system shred k'", "mysql -e '\\! shred k'", "fish -c 'shred k'",
    "tcsh -c 'shred k'", "nu -c 'shred k'", "fish --command='shred k'", "awk 'BEGIN{\"shred k\" | getline x}'", "guile -c '(system \"shred k\")'", "erl -eval 'os:cmd(\"shred k\").'",
    # sed
    "sed '1e shred k' f", "sed -e p -e '/x/e shred k' f", "sed 's/[/]/x/;e shred k' f", "echo '1e shred k' > s; sed -f s f", "sed -f - f <<< 'e shred k'",
    # cmake
    "cmake -E env A=1 shred k", "cmake -E time shred k",
]  # fmt: skip


@pytest.mark.parametrize("line", CARRIED)
def test_a_command_in_options_scripts_and_files_counts(line):
    commands = shell_facts(line, cwd="/w", home="/home/u").commands
    assert any(command.program == "shred" and command.words[1:] == ("k",) for command in commands)


NOT_COMMANDS = [
    "tar --checkpoint-action=dot -cf x y", "ssh -o ProxyCommand=none h", "rsync -e ssh a h:", "screen -r shred", "crontab -l", "dotenv set shred k", "less +20 shred", "vim +/shred k",
    "git clone https://h/shred k", "sed 's/e shred k/x/' f", "sed 'y/e/w/;a e shred k' f", "sed '/e shred k/d' f", "dc -e '1 2 !<a'", "npx -p shred", "hyperfine --export-json shred.k ls",
    "lua -e '-- os.execute(\"shred k\")\nprint(1)'", "lua -e '--[==[ os.execute(\"shred k\") ]==] print(1)'", "lua -e '--[[ ]] print(\"shred k\")'", "julia -e '#= run(`shred k`) =# 1'",
    "julia -e '# run(`shred k`)\n1'", "perl -e '\n=pod\n\nsystem(\"shred k\")\n\n=cut\n\nprint 1'", "python -c '# os.system(\"shred k\")\nprint(1)'",
    "python -c '\"\"\"os.system(\"shred k\")\"\"\"\nprint(1)'", "node -e '/* execSync(\"shred k\") */ 1'", "node -e '// execSync(\"shred k\")\n1'", "php -r '// system(\"shred k\");\necho 1;'",
    "ruby -e '# system(\"shred k\")\nputs 1'", "ruby -e '\n=begin\nsystem(\"shred k\")\n=end\nputs 1'", "awk '# system(\"shred k\")\n{print}' f", "Rscript -e '1 # system(\"shred k\")'",
    "python -c 'print(\"os.system(1)\")'", "kubectl get pods exec shred k",
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_COMMANDS)
def test_what_only_reads_like_a_command_does_not(line):
    facts = shell_facts(line, cwd="/w", home="/home/u")
    assert "shred" not in {command.program for command in facts.commands}
    assert None not in {command.program for command in facts.commands}


STILL_CODE = [
    'python -c \'x = f"{y["#"]}"; os.system("shred k")\'',
    "node -e 'x = /[//]/; execSync(\"shred k\")'",
    'node -e \'x = "//"; execSync("shred k")\'',
    "node -e 'x = `\n// ${execSync(\"shred k\")}`'",
    'ruby -e \'puts "#{system("shred k")}"\'',
    'ruby -e \'x = /"/; system("shred k") # "\'',
    "perl -e '$x = $#y; system(\"shred k\")'",
    "perl -e 'print \"@{[system(qq{shred k})]}\"'",
    'lua -e \'x = "--"; os.execute("shred k")\'',
    "lua -e 'x = [[--]]; os.execute(\"shred k\")'",
    "julia -e 'x = \"#=\"; run(`shred k`)'",
    'php -r \'$x = "//"; system("shred k");\'',
    'python -c \'x = "#"; os.system("shred k")\'',
]


@pytest.mark.parametrize("line", STILL_CODE)
def test_what_only_reads_like_a_comment_is_code(line):
    assert "shred" in {command.program for command in shell_facts(line, cwd="/w").commands}


NOT_KNOWN = [
    "sed 's/.*/shred k/e' f", "sed 'e' f", "make -f - <<< \"$X\"", "crontab - <<< \"$X\"", "ssh -o ProxyCommand=\"$X\" h", "tmux send-keys \"$X\"", "npx -c \"$X\"", "hyperfine \"$X\"",
    "fish -c 'if test x; shred k; end'", "npx https://h/x.tgz", "npx github:u/r",
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_KNOWN)
def test_what_is_hidden_is_not_known(line):
    assert None in {command.program for command in shell_facts(line, cwd="/w").commands}


MOUNTED = [
    ("docker run -v /:/m alpine rm -rf /m/etc", "/etc"),
    ("docker run -v /:/m -w /m alpine rm -rf etc", "/etc"),
    ("podman run --mount type=bind,src=/srv,dst=/m alpine sh -c 'rm -rf /m/*; rm /x'", "/srv/* /x"),
    ("docker run -v .:/app -w /app node rm -rf dist", "/w/dist"),
    ("docker run -v vol:/data alpine rm -rf /data/x", "/data/x"),
    ("docker run -v /:/m alpine chroot /m rm /k", "/k"),
]


@pytest.mark.parametrize(("line", "deletes"), MOUNTED)
def test_a_mounted_folder_is_that_of_the_machine(line, deletes):
    commands = shell_facts(line, cwd="/w").commands
    assert " ".join(path or "?" for command in commands for path in command.deletes) == deletes
