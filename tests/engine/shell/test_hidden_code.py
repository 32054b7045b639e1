# ruff: noqa: E501  (tables)
"""Code in what looks like data: subscripts, prompts, callbacks, files that shells start with. ``?`` is not known."""

import pytest

from policyc.engine.shell import shell_facts

TABLE = [
    # subscripts are arithmetic, and arithmetic expands the subscripts in the values of names
    ("a[$(rm k)]=1", "rm"), ("a[`rm k`]+=1 ls", "rm ls"), ("a[$(rm k) + 1]=2", "rm"), ("a[b[$(rm k)]]=1", "rm"),
    ("a[0]=$(rm k)", "rm"), ("a[0]=x; a[1 + 2]=y ls", "ls"), ("v='a[$(rm k)]'; a[v]=1", "rm"), ("v='a[$(rm k)]'; b=([v]=1)", "rm"),
    ("echo ${a[$(rm k)]}", "rm echo"), ("echo ${a[$(rm k)]:-x}", "rm echo"), ("v='a[$(rm k)]'; echo ${b[v]}", "rm echo"), ("echo $((a[$(rm k)]))", "rm echo"),
    ("echo $[ $(rm k) ]", "rm echo"), ("v='a[$(rm k)]'; echo $[v]", "rm echo"), ("v='a[$(rm k)]'; echo $((v))", "rm echo"), ("v='a[$(rm k)]' w=v; ((w + 1))", "rm"),
    ("v='a[`rm k`]'; for ((;v;)); do ls; done", "rm ls"), ("v='a[$(rm k)]'; echo ${!v}", "rm echo"), ("v='a[$(rm k)]'; w=xyz; echo ${w:v}", "rm echo"), ("v=(0 'a[$(rm k)]'); ((v[1]))", "rm"),
    ("test -v 'a[$(rm k)]'", "test rm"), ("[ -v 'a[$(rm k)]' ]", "[ rm"), ("[[ -v 'a[$(rm k)]' ]]", "rm"), ("[[ 'a[$(rm k)]' -eq 0 ]]", "rm"),
    ("v='a[$(rm k)]'; [[ 3 -lt v ]]", "rm"), ("[ 'a[$(rm k)]' -eq 0 ]", "["), ("printf -v 'a[$(rm k)]' x", "printf rm"), ("read 'a[$(rm k)]' <<< x", "read rm"),
    ("declare 'a[$(rm k)]=1'", "declare rm"), ("typeset 'a[$(rm k)]=1'", "typeset rm"), ("f() { local 'a[$(rm k)]=1'; }; f", "local rm"), ("export 'a[$(rm k)]=1'", "export"),
    ("let 'a[$(rm k)]=1'", "let rm"), ("a=1; unset 'a[$(rm k)]'", "unset rm"), ("v='a[$(rm k)]'; declare -i n=v", "declare rm"), ("declare -i n; n='a[$(rm k)]'", "declare rm"),
    ("declare -n r='a[$(rm k)]'", "declare rm"), ("v='$(rm k)'; echo $((v))", "echo"), ("declare -A m; m['$(rm k)']=1", "declare"),
    # not known
    ("v=$(b); echo $((v + 1))", "b ? echo"), ("echo $(( $(b) ))", "b ? echo"), ("read n; ((n > 1))", "read ?"), ("v=$(b); [[ $v -gt 1 ]]", "b ?"), ("v=$(b); a[$v]=1", "b ?"), ("v=$(b); echo ${!v}", "b ? echo"),
    ("while read -r n; do t=$((t + n)); done", "read ?"),
    # numbers, and what the environment holds
    ("echo $((COUNT + 1)) $(( $1 * 2 ))", "echo"), ("N=${N:-4}; echo $((N * 2))", "echo"), ("i=0; while [ $i -lt 9 ]; do i=$((i + 1)); done", "["), ("for i in $(seq 9); do echo $((i * 2)); done", "seq echo"),
    ("n=$(wc -l < f | tr -d ' '); ((n > 3))", "wc tr"), ("t=$(date +%s); b; echo $(($(date +%s) - t))", "date b date echo"), ("a=(x y); for i in \"${!a[@]}\"; do echo ${a[$i]}; done", "echo"),
    ("declare -A m; for f in $(ls); do m[$f]=1; done", "declare ls"), ("f() { local i=0; for i in 1; do ((i++)); done; return 0; }; f", "local return"), ("((i++)); let i+=2; echo ${#a[@]} $((i))", "let echo"),
    ("c=$(curl -so /dev/null -w '%{http_code}' u); [[ $c -eq 200 ]]", "curl"), ("c=$(curl -w '%{http_code}' u); [[ $c -eq 200 ]]", "curl ?"), ("export $(cat .env)", "cat export"), ("[[ $# -lt 1 || $? -ne 0 ]]", ""),
    # prompts, callbacks, completion, history, libraries
    ("v='$(rm k)'; echo \"${v@P}\"", "rm echo"), ("v='\\044(rm k)'; echo \"${v@P}\"", "? echo"), ("echo \"${V@P}\"", "? echo"), ("PS4='$(rm k)'; set -x", "rm set"), ("PS1='\\u@\\h\\$ '", ""),
    ("PROMPT_COMMAND=('rm k' ls)", "rm ls"), ("mapfile -C 'rm k' a", "mapfile rm"), ("readarray -tC 'rm k' a", "readarray rm"), ("complete -C 'rm k' a", "complete rm"),
    ("compgen -W '$(rm k)'", "compgen rm"), ("history -s 'rm k'; fc -s", "history fc ?"), ("fc -l", "fc"), ("enable -f ./l.so x", "enable ?"), ("enable -n x", "enable"), ("coproc C { rm k; }", "rm"),
    # files and functions that a shell starts with
    ("BASH_ENV=f bash -c ls", "? bash ls"), ("echo 'rm k' > f; BASH_ENV=f bash -c ls", "echo rm bash ls"), ("BASH_ENV='$(rm k)' bash -c ls", "rm bash ls"), ("ENV=f sh", "sh ?"), ("ENV=f sh -i", "sh ?"),
    ("ENV=prod sh -c ls", "sh ls"), ("ENV=prod make", "make"), ("env 'BASH_FUNC_f%%=() { rm k; }' bash -c f", "bash rm f"), ("env SHELLOPTS=xtrace PS4='$(rm k)' bash -c ls", "rm bash ls"),
    ("exec <<< 'rm k'; bash", "exec bash rm"), ("exec {d}<<< 'rm k'; source /dev/fd/$d", "exec source ?"), ("exec 3< <(curl u); bash <&3", "curl exec bash ?"), ("bash < /dev/tcp/h/9", "bash ?"), ("bash /proc/self/fd/3", "bash ?"),
    # attributes and scope of names
    ("declare -l x=RM; $x k", "declare rm"), ("declare -l x; x=RM; $x k", "declare rm"), ("typeset -u x; read x <<< rm; $x", "typeset read RM"), ("declare -n r=x; r=rm; $x k", "declare rm"),
    ("x=rm; f() { local x=echo; }; f; $x k", "local rm"), ("x=echo; f() { local x=rm; }; f; $x k", "local echo"), ("x=echo; f() { declare -g x=rm; }; f; $x k", "declare rm"), ("x=ls; f() { (local x=1); x=rm; }; f; $x k", "local rm"),
    ("f() { local x=rm; g; }; g() { $x k; }; f", "local rm"), ("declare -l x; f() { local x=A; }; f; x=RM; $x k", "declare local rm"), ("local x=$(echo rm k); $x", "echo local rm"),
    ("unset u; eval \"${u-rm k}\"", "unset eval rm"), ("u=; eval \"${u-rm k}\"", "eval"), ("set --; eval \"${1-rm k}\"", "set eval rm"), ("unset u; echo ${u+x}", "unset echo"), ("x=rm; : $((x=5)); $x k", ": ?"),
    ("export x=rm; env -i bash -c '\"$x\" k'", "export bash "), ("x=rm; env -u x x=ls sh -c '$x k'", "sh ls"), ("env x=rm sh -c '$x k'", "sh rm"), ("env a-b=c rm k", "rm"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "programs"), TABLE, ids=[line for line, _ in TABLE])
def test_hidden_code(line, programs):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    found = ["?" if command.program is None else command.program for command in facts.commands]
    assert " ".join(found) == programs


def test_text_that_grows_in_its_own_subscripts_is_not_followed_for_ever():
    for line in ("x='a[$x]'; ((x))", "x='a[${x:0:9}]'; ((x))", "x=y y=x; ((x))", "x='a[$((x))]'; ((x))"):
        shell_facts(line, cwd="/w")
