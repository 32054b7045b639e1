# ruff: noqa: E501  (tables)
"""Which programs a line can run, past wrappers, interpreters and what it wrote before. ``?`` is not known."""

import pytest

from policyc.engine.shell import shell_facts

TABLE = [
    # wrappers that are not commands of their own
    ("env X=1 rm y", "rm"), ("env -i -u A PATH=/x rm y", "rm"), ("env -S 'rm -rf y'", "rm"), ("env -iS'rm y'", "rm"), ("env", "env"),
    ("env --split-string='rm y' z", "rm"), ("nohup rm x &", "rm"), ("nice rm x", "rm"), ("nice -n 5 rm x", "rm"), ("nice -5 rm x", "rm"),
    ("ionice -c3 rm x", "rm"), ("timeout 5 rm x", "rm"), ("timeout -s KILL --kill-after=9 5s rm x", "rm"), ("stdbuf -o0 rm x", "rm"),
    ("setsid rm x", "rm"), ("command rm x", "rm"), ("command -p rm x", "rm"), ("command -v rm", "command"), ("builtin cd x", "cd"),
    ("exec rm x", "rm"), ("exec -a y rm x", "rm"), ("exec >log", "exec"), ("time rm x", "rm"), ("/usr/bin/time -f %e rm x", "rm"),
    ("time (rm x)", "rm"), ("! rm x", "rm"), ("/bin/rm x", "rm"), (r"\rm x", "rm"), ("'rm' x", "rm"), ("/b*/rm x", "rm"), ("r? x", "?"),
    ("./rm.exe x", "rm"),
    # wrappers that are
    ("sudo rm x", "sudo rm"), ("sudo -u root -E A=b rm x", "sudo rm"), ("sudo -- rm x", "sudo rm"), ("sudo --user=root rm x", "sudo rm"),
    ("sudo -nu root rm x", "sudo rm"), ("sudo -l", "sudo"), ("sudo -e /etc/hosts", "sudo sudoedit"), ("sudo -s rm x", "sudo rm"),
    ("echo rm x | sudo -s", "echo sudo rm"), ("doas -u root rm x", "doas rm"), ("chroot /mnt rm x", "chroot rm"), ("busybox rm x", "busybox rm"),
    ("xargs rm", "xargs rm"), ("xargs -0 -n1 -P 4 rm -f", "xargs rm"), ("xargs", "xargs echo"), ("strace -f -o x rm y", "strace rm"),
    ("flock /tmp/l rm x", "flock rm"), ("flock /tmp/l -c 'rm x'", "flock rm"), ("su -c 'rm x' root", "su rm"), ("su - root -c 'rm x'", "su rm"),
    ("watch -n1 rm x", "watch rm"), ("watch 'ls; rm x'", "watch ls rm"), ("ssh host rm x", "ssh rm"), ("ssh -i k -p 22 u@h 'ls && rm x'", "ssh ls rm"),
    ("echo rm x | ssh h", "echo ssh rm"), ("script -c 'rm x' log", "script rm"), ("parallel rm ::: a b", "parallel rm rm"),
    ("parallel 'rm {}' ::: a", "parallel rm"), ("docker exec -it box rm x", "docker rm"), ("docker run --rm -v /:/h alpine sh -c 'rm x'", "docker sh rm"),
    ("docker compose exec web rm x", "docker rm"), ("kubectl exec -n ns pod -c c -- sh -c 'rm x'", "kubectl sh rm"), ("kubectl exec pod -- rm x", "kubectl rm"),
    ("uv run --with x pytest", "uv pytest"), ("poetry run rm x", "poetry rm"), ("npx rimraf x", "npx rimraf"), ("sudo env nice timeout 5 rm x", "sudo rm"),
    ("tmux new-session -d 'rm x'", "tmux rm"), ("echo 'rm x' | at now", "echo at rm"), ("nix-shell -p x --run 'rm y'", "nix-shell rm"),
    ("find . -exec rm {} \\;", "find rm"), ("find . -type f -execdir rm {} +", "find rm"), ("find . -ok rm {} \\; -exec ls {} +", "find rm ls"),
    ("find . -exec sh -c 'rm \"$1\"' _ {} \\;", "find sh rm"), ("find . -print0 | xargs -0 rm", "find xargs rm"),
    ("env - A=1 rm x", "rm"), ("env - rm x", "rm"), ("xargs -i shred {}", "xargs shred"), ("xargs -i{} shred {}", "xargs shred"),
    ("xargs -R 3 -I@ shred @", "xargs shred"), ("xargs --replace shred {}", "xargs shred"), ("xargs --max-lines shred", "xargs shred"),
    ("xargs -J % cp % /d", "xargs cp"), ("xargs --max-p 2 shred", "xargs shred"), ("timeout --sig KILL 9 rm x", "rm"),
    ("xargs bash -c", "xargs bash ?"), ("xargs bash", "xargs bash ?"), ("find d | xargs sh -c", "find xargs sh ?"), ("xargs ksh -x", "xargs ksh ?"),
    ("parallel bash -c 'shred {}' ::: /k", "parallel bash shred bash shred"), ("watch sh -c 'shred k; ls'", "watch sh shred ls sh shred ls"),
    ("env -S 'sh -c \"shred k\"'", "sh shred"), ("env -S 'shred\\_k'", "shred"), ("env -S '${Y} k'", "?"),
    ("source /dev/fd/4", "source ?"), (". /proc/self/fd/5", ". ?"), ("bash /dev/fd/6", "bash ?"), ("sh < /dev/tcp/h/99", "sh ?"),
    ("command -pvV -- git gc", "command"), ("time -- shred k", "shred"), ("!shred k", "shred"), ("!1", "!1"),
    # code
    ("sh -c 'rm x'", "sh rm"), ("bash -lc 'ls; rm x'", "bash ls rm"), ("bash -o pipefail -ec 'rm x'", "bash rm"), ("zsh --login -c 'rm x'", "zsh rm"),
    ("bash -c 'rm \"$@\"' _ x", "bash rm"), ("bash --norc -c 'rm x'", "bash rm"), ("bash script.sh", "bash"), ("bash -c", "bash"),
    ("bash <<< 'rm x'", "bash rm"), ("bash <<E\nrm x\nE", "bash rm"), ("cat <<E\nrm x\nE", "cat"), ("cat <<E | sh\nrm x\nE", "cat sh rm"),
    ("sh -s a <<'E'\nrm $1\nE", "sh rm"), ("sh <<E\nrm $X\nE", "sh rm ?"), ("eval 'rm x'", "eval rm"), ("eval rm x", "eval rm"), ("eval \"$(echo rm x)\"", "echo eval rm"),
    ("echo 'rm x' | sh", "echo sh rm"), ("printf 'rm %s\\n' x | bash -s", "printf bash rm"), ("echo cm0geAo= | base64 -d | sh", "echo base64 sh rm"),
    ("echo 726d2078 | xxd -r -p | sh", "echo xxd sh rm"), ("echo 'x mr' | rev | sh", "echo rev sh rm"), ("echo 'ez k' | tr 'a-z' 'n-za-m' | sh", "echo tr sh rm"),
    ("echo 'rm x' | tee log | sh", "echo tee sh rm"), ("source <(echo rm x)", "echo source rm"), (". /dev/stdin <<< 'rm x'", ". rm"),
    ("bash <(echo rm x)", "echo bash rm"), ("sh < <(echo rm x)", "echo sh rm"), ("trap 'rm x' EXIT", "trap rm"), ("trap - EXIT", "trap"),
    ("alias ll='rm x'", "alias rm"), ("x='rm y'; $x", "rm"), ("x='rm y'; eval \"$x\"", "eval rm"), ("export x='rm y'; sh -c '$x'", "export sh rm"),
    ("x='rm y' sh -c '$x'", "sh rm"), ("echo 'rm x' > s; sh s", "echo sh rm"), ("echo 'rm x; sh s' > s; sh s", "echo sh rm sh"), ("echo 'rm x' > s && chmod +x s && ./s", "echo chmod s rm"),
    ("cat > s <<'E'\nrm x\nE\nbash s", "cat bash rm"), ("echo 'rm x' | tee s; . ./s", "echo tee . rm"), ("echo 'rm x' > s; cp s t; sh t", "echo cp sh rm"),
    ("echo 'rm x' > s; cat s | sh", "echo cat sh rm"), ("echo 'rm x' > s; sh < s", "echo sh rm"), ("echo rm x > s; echo ls >> s; sh s", "echo echo sh rm ls"),
    ("echo rm x > a/../s; (cd sub; sh ../s)", "echo cd sh rm"), ("echo '#!/usr/bin/env python3\nimport os; os.system(\"rm x\")' > s; ./s", "echo s rm"),
    ("python -c 'import os; os.system(\"rm x\")'", "python rm"), ("python3 -c \"import subprocess; subprocess.run(['rm', '-rf', 'x'])\"", "python3 rm"),
    ("perl -e 'system(\"rm x\")'", "perl rm"), ("perl -e 'print `rm x`'", "perl rm"), ("awk 'BEGIN { system(\"rm x\") }'", "awk rm"),
    ("ruby -e 'exec(\"rm x\")'", "ruby rm"), ("node -e 'require(\"child_process\").execSync(\"rm x\")'", "node rm"), ("python3 <<E\nimport os\nos.system('rm x')\nE", "python3 rm"),
    ("git -c alias.p='push -f' p", "git git"), ("git -c alias.x='!rm y' x", "git rm"), ("git rebase -x 'rm y' main", "git rm"),
    ("git submodule foreach 'rm x'", "git rm"), ("git -c core.pager='rm x' log", "git rm"), ("$(echo rm) x", "echo rm"),
    ("su -c'rm x'", "su rm"), ("script -qc 'rm x' log", "script rm"), ("tar cf x --checkpoint-action=exec='rm y' z", "tar rm"), ("sed -n '1e rm x' f", "sed rm"),
    ("vim -c '!rm x'", "vim rm"), ("make -f - <<E\nall:\n\t@rm x\nE", "make rm"), ("PAGER='rm x' man ls", "rm man"), ("export GIT_SSH_COMMAND='rm x'", "export rm"),
    ("env EDITOR='rm x' git commit", "rm git"), ("git config alias.x '!rm y'", "git rm"), ("awk '{print | \"rm x\"}' f", "awk rm"), ("rsync -e 'sh -c \"rm x\"' a b", "rsync sh rm"),
    # not known
    ("exec 3<<<'rm x'; bash <&3", "exec bash ?"), ("hash -p /bin/rm ls; ls x", "hash ? ls"),
    ("$X y", "? y"), ("\"$X\" y", "?"), ("$SUDO rm x", "? rm"), ("$(which rm) x", "which ? x"), ("eval \"$X\"", "eval ?"), ("sh -c \"$X\"", "sh ?"),
    ("sh -c \"rm $X\"", "sh rm ?"), ("curl u | sh", "curl sh ?"), ("curl u | sudo bash", "curl sudo bash ?"), ("bash <(curl u)", "curl bash ?"),
    ("sh -c \"$(curl u)\"", "curl sh ?"), ("eval \"$(curl u)\"", "curl eval ?"), ("curl -o s u; sh s", "curl sh ?"), ("curl u > s; . ./s", "curl . ?"),
    ("wget u/s.sh && sh s.sh", "wget sh ?"), ("xargs -I{} sh -c '{}'", "xargs sh ?"), ("env $X rm", "? rm"), ("sudo $X rm", "sudo ? rm"), ("timeout $X rm", "? rm"), ("timeout \"$X\" rm y", "rm"),
    ("base64 -d f | sh", "base64 sh ?"), ("ssh h \"$X\"", "ssh ?"), ("bash -c 'if ('", "bash ?"), ("pwsh -c x; rm y", "pwsh ? rm"),
    ("t=$(mktemp); curl u > $t; sh $t", "mktemp curl sh ?"), ("if a; then x=rm; else x=ls; fi; $x y", "a ? y"), ("b && x=rm; $x y", "b ? y"),
    ("x=ls; while a; do $x y; x=rm; done", "a ? y"), ("read x; $x y", "read ? y"), ("for x in $L; do $x y; done", "? y"),
    ("x=ls; f() { x=rm; }; while a; do $x y; f; done", "a ? y"), ("x=ls; for i in 1 2; do $x y; x=rm; a && continue; x=ls; done", "? y a continue ? y a continue"),
    ("x=ls; for i in 1; do x=rm; a && break; x=ls; done; $x y", "a break ? y"), ("f() { x=rm; a && return; x=ls; }; f; $x y", "a return ? y"), ("x=; : ${x:=rm}; $x y", ": rm"),
    # functions and loops
    (":(){ :|:& };:", ": :"), ("f() { \"$@\"; f rm x; }; f", "? f"), ("f() { $x y; x=rm; f; }; x=ls; f", "ls ? f"),
    ("echo '\"$@\"; sh s rm x' > s; sh s", "echo sh sh ?"), ("git() { rm x; }; git status", "rm"),
    ("f() { rm x; }; ls", "ls"), ("f() { g; }; g() { rm x; }", ""), ("f() { rm x; }; export -f f", "export rm"), ("f() { rm x; }; set -a", "set rm"),
    ("f() { rm x; }; trap f EXIT", "trap rm f"), ("trap f EXIT; f() { rm x; }", "trap f rm"), ("f() { rm x; }; alias g=f", "alias rm f"),
    ("f() { rm x; }; complete -F f g", "complete rm"), ("f() { rm x; }; $Y", "? rm"), ("f() { rm x; }; . ./y", ". rm"), ("f() { rm x; }; curl u | sh", "curl sh ? rm"),
    ("command_not_found_handle() { rm x; }; nope", "nope rm"), ("f() { rm x; }; ls; if (", "ls rm"), ("f() { rm x; }; { f; }", "rm"), ("f() { rm x; }; !f", "rm"),
    ("f() { rm x; }; time -- f", "rm"), ("f() { rm x; }; X=1 time f", "f rm"), ("f() { rm x; }; X=1 f", "rm"), ("f() { rm x; }; mapfile -C f a", "mapfile rm"), ("f() { g; }; g() { rm x; }; f", "rm"), ("f() { rm x; }; sh -c f", "sh rm f"), ("(rm() { :; }); rm x", "rm :"), ("if a; then rm() { :; }; fi; rm x", "a rm :"), ("rm() { :; }; command rm x", "rm :"),
    ("rm() { :; }; env rm x", "rm :"), ("rm() { :; }; sh -c 'rm x'", "sh : rm"), ("rm() { :; }; unset -f rm; rm x", "unset rm :"), ("rm() { :; } | a; rm x", "a rm :"),
    ("x=ls; sh -c '${x:-rm} y'", "sh ? y"), ("f() { a; }; f() { b; }; f", "b"),
    ("for c in rm ls; do $c x; done", "rm ls"), ("for f in *.x; do rm \"$f\"; done", "rm"), ("(x=rm); x=ls; $x", "ls"), ("x=rm | y; $x z", "y ? z"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "programs"), TABLE, ids=[line for line, _ in TABLE])
def test_programs(line, programs):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert " ".join(command.program or "?" for command in facts.commands) == programs


ARGUMENTS = [
    ("xargs -I% rm -f % <<< 'a b'", ["rm", "-f", "a b"]),
    ("echo 'a b' | xargs rm", ["rm", "a", "b"]),
    ("echo a | xargs -I{} mv {} x/{}", ["mv", "a", "x/a"]),
    ("xargs rm -rf", ["rm", "-rf", None]),
    ("find / -name x | xargs rm", ["rm", "/**/x"]),
    ("find a b -exec rm -r {} +", ["rm", "-r", "a", "b"]),
    ("find a -name '*.pyc' -exec rm {} \\;", ["rm", "a/**.pyc"]),
    ("bash -c 'rm -rf \"$1\"' _ /x", ["rm", "-rf", "/x"]),
    ("f() { rm \"$@\"; }; f -r 'a b'", ["rm", "-r", "a b"]),
    ("ssh h rm -rf '$HOME'", ["rm", "-rf", "~"]),
    ("parallel -j2 rm {} ::: a", ["rm", "a"]),
    ("read a b <<< 'x y z'; rm $b", ["rm", "y", "z"]),
    ("while read f; do rm \"$f\"; done <<< 'x y'", ["rm", "x y"]),
    ("printf -v x %s-%s a b; rm $x", ["rm", "a-b"]),
    ("printf 'shred /k\\0' | xargs -0 sh -c 'eval \"$1\"' _", ["shred", "/k"]),
    ("echo \"'shred /k'\" | xargs sh -c 'eval \"$1\"' _", ["shred", "/k"]),
    ("echo 'shred /k' | xargs -I@ sh -c 'eval \"$1\"' _ @", ["shred", "/k"]),
    ("echo 'a b c' | xargs -n2 shred", ["shred", "c"]),
    ("printf a,b | xargs -d, shred", ["shred", "a", "b"]),
    ("echo 'a b' | xargs -tI{} shred {}", ["shred", "a b"]),
    ("parallel bash -c 'shred {}' ::: /k", ["shred", "/k"]),
    ("parallel shred {1} ::: /k", ["shred", "/k"]),
    ("parallel shred {.} ::: /k", ["shred", None]),
    ("parallel shred ::: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 /k", ["shred", None]),
    ("awk 'BEGIN { system(\"shr\\x65d\\x20/k\") }'", ["shred", "/k"]),
    ("perl -e 'system(\"shred\\040/k\")'", ["shred", "/k"]),
    ("perl -e 'exec(\"shred\\x{20}/k\")'", ["shred", "/k"]),
    ("perl -e 'print qx{shred /k}'", ["shred", "/k"]),
    ("perl -e 'system(\"shred $ENV{HOME}/k\")'", ["shred", "/home/u/k"]),
    ('ruby -e \'system("shred #{ENV["HOME"]}/k")\'', ["shred", "/home/u/k"]),
    ('ruby -e \'system("shred " + ENV["HOME"])\'', ["shred", "/home/u"]),
    ('awk \'BEGIN { system("shred " ENVIRON["HOME"] "/k") }\'', ["shred", "/home/u/k"]),
    ("gawk -i inplace '{ system(\"shred k\") }' f", ["shred", "k"]),
    ("kubectl exec p -- rm -rf /x", ["rm", "-rf", "/x"]),
    ("git -c alias.p='push --force' p origin", ["git", "push", "--force", "origin"]),
]


@pytest.mark.parametrize(("line", "words"), ARGUMENTS)
def test_arguments(line, words):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    assert words in [list(command.words) for command in facts.commands]


PIPES = [
    ("curl u | sh", "curl", {"sh", None}),
    ("curl u | tee x | sudo bash", "curl", {"tee", "sudo", "bash", None}),
    ("curl u | (cd x; tar xz)", "curl", {"cd", "tar"}),
    ("bash <(curl u)", "curl", {"bash"}),
    ('bash -c "$(curl u)"', "curl", {"bash"}),
    ('eval "$(curl u)"', "curl", {"eval"}),
    ("source <(curl u)", "curl", {"source"}),
    ('python3 -c "$(curl u)"', "curl", {"python3"}),
    ('echo "$(curl u)"', "curl", set()),
    ("curl u; sh", "curl", set()),
    ("{ curl u; } | sh", "curl", {"sh", None}),
    ("if curl u; then a; fi | sh", "curl", {"sh", None}),
    ("curl u |& sh", "curl", {"sh", None}),
]


@pytest.mark.parametrize(("line", "program", "expected"), PIPES)
def test_pipes_to(line, program, expected):
    facts = shell_facts(line, cwd="/w/repo")
    assert set(next(command for command in facts.commands if command.program == program).pipes_to) == expected


CODE = [
    ("python -c 'print(1)' a", ("python", "print(1)")),
    ("python3.12 -Bc 'x'", ("python", "x")),
    ("python -W ignore -c x", ("python", "x")),
    ("python -m http.server", None),
    ("python - <<E\nx\nE", ("python", "x\n")),
    ("echo x | python3", ("python", "x\n")),
    ("perl -ne 'x' f", ("perl", "x")),
    ("perl -i -pe 's/a/b/' f", ("perl", "s/a/b/")),
    ("node --eval=x", ("javascript", "x")),
    ("node -p x", ("javascript", "x")),
    ("awk -F: '{print $1}' f", ("awk", "{print $1}")),
    ("awk -f p.awk f", None),
    ("psql -c 'DROP TABLE x'", ("sql", "DROP TABLE x")),
    ("mysql -e 'x' db", ("sql", "x")),
    ("sh -c 'a b'", ("sh", "a b")),
    ("echo 'print(1)' > p.py; python p.py", ("python", "print(1)\n")),
]


@pytest.mark.parametrize(("line", "code"), CODE)
def test_code(line, code):
    found = [text for command in shell_facts(line, cwd="/w").commands for text in command.code]
    assert found == [] if code is None else code in found


def test_code_that_cannot_be_known_is_said_to_be():
    for line in ('python -c "$X"', "curl u | python", 'sh -c "$X"', 'eval "$X"'):
        assert "code" in [
            reason for command in shell_facts(line, cwd="/w").commands for reason in command.dynamic
        ]


DIALECTS = [
    ("Remove-Item -Recurse x", "powershell"),
    ("ls; Get-ChildItem | ForEach-Object { rm $_ }", "powershell"),
    ("powershell -Command ls", "powershell"),
    ("pwsh -NoProfile -File x.ps1", "powershell"),
    ("if (Test-Path x) { rm x }", "powershell"),
    ("iex (iwr http://x)", "powershell"),
    ("foreach ($f in ls) { del $f }", "powershell"),
    ("cmd /c del x", "cmd"),
    ("cmd.exe /c dir", "cmd"),
    ("del /s /q x", "cmd"),
    ("rd /s C:\\\\x", "cmd"),
    ("echo 'Remove-Item x'", "posix"),
    ("git commit -m 'Add Get-Item'", "posix"),
    ("rmdir /s", "cmd"),
    ("rmdir /srv", "posix"),
    ("grep -A3 x", "posix"),
]


@pytest.mark.parametrize(("line", "dialect"), DIALECTS)
def test_other_shells_are_recognised(line, dialect):
    facts = shell_facts(line, cwd="/w")
    assert facts.dialect == dialect
    assert (facts.unknown is None) is (dialect == "posix")


def test_names_ignore_case_where_files_do():
    assert shell_facts("RM x", cwd="/w", os="darwin").commands[0].program == "rm"
    assert shell_facts("RM x", cwd="/w", os="linux").commands[0].program == "RM"
    facts = shell_facts("FIND . -exec SHRED {} + | XARGS TEE", cwd="/w", os="windows")
    assert [command.program for command in facts.commands] == ["find", "shred", "xargs", "tee"]


LEAVE_THE_SHELL_AS_IT_WAS = [
    ("env cd /d; rm x", "linux"),
    ("/usr/bin/cd /d; rm x", "linux"),
    ("sudo cd /d; rm x", "linux"),
    ("CD /d; rm x", "darwin"),
    ("Y=1 nohup cd /d; rm x", "linux"),
]


@pytest.mark.parametrize(("line", "os"), LEAVE_THE_SHELL_AS_IT_WAS)
def test_what_runs_in_another_process_moves_nothing(line, os):
    assert shell_facts(line, cwd="/w", os=os).commands[-1].deletes == ("/w/x",)
