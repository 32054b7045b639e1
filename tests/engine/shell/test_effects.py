# ruff: noqa: E501  (tables)
"""What commands read, write and delete, as normal forms. ``?`` is a path that cannot be known."""

import pytest

from policyc.engine.shell import shell_facts

# line, reads, writes, deletes (of all its commands)
TABLE = [
    ("rm a /b ../c ~/d", "", "", "/w/repo/a /b /w/c /home/u/d"),
    ("rm -rf $X y", "", "", "? /w/repo/y"),
    ("rm *.txt", "", "", "/w/repo/*.txt"),
    ("rmdir a; unlink b; shred c", "", "/w/repo/c", "/w/repo/a /w/repo/b /w/repo/c"),
    ("cat a b < c", "/w/repo/a /w/repo/b /w/repo/c", "", ""),
    ("a > b >> c 2> d &> e >| f <> g", "/w/repo/g", "/w/repo/b /w/repo/c /w/repo/d /w/repo/e /w/repo/f /w/repo/g", ""),
    ("a >/dev/null 2>&1 <&-", "", "", ""),
    ("echo x > ./.git/../.git/config", "", "/w/repo/.git/config", ""),
    ("echo x > $F", "", "?", ""),
    ("> x", "", "/w/repo/x", ""),
    ("{ a; b; } > x", "", "/w/repo/x /w/repo/x", ""),
    ("cd /etc && cat passwd", "/etc/passwd", "", ""),
    ("cd a; cd b; cd ..; rm x", "", "", "/w/repo/a/x"),
    ("(cd /x); rm y", "", "", "/w/repo/y"),
    ("cd /x; cd -; rm y", "", "", "/w/repo/y"),
    ("pushd /x; rm y; popd; rm z", "", "", "/x/y /w/repo/z"),
    ("cd $X; rm y; rm /z", "", "", "? /z"),
    ("a && cd /x; rm y", "", "", "?"),
    ("d=/etc; rm $d/x ${d}/y", "", "", "/etc/x /etc/y"),
    ("tee a b < c", "/w/repo/c", "/w/repo/a /w/repo/b", ""),
    ("echo x | sudo tee -a /etc/hosts", "", "/etc/hosts", ""),
    ("cp a b", "/w/repo/a", "/w/repo/b /w/repo/b/a", ""),
    ("cp -t d a b", "/w/repo/a /w/repo/b", "/w/repo/d /w/repo/d/a /w/repo/d/b", ""),
    ("mv a b", "/w/repo/a", "/w/repo/b /w/repo/b/a", "/w/repo/a"),
    ("ln -s a b", "/w/repo/a", "/w/repo/b /w/repo/b/a", ""),
    ("install -m 755 a b", "/w/repo/a", "/w/repo/b /w/repo/b/a", ""),
    ("dd if=a of=/dev/sda bs=1M", "/w/repo/a", "/dev/sda", ""),
    ("sed -i s/a/b/ x", "/w/repo/x", "/w/repo/x", ""),
    ("sed -n 1p x", "/w/repo/x", "", ""),
    ("sed -i -e s/a/b/ -e s/c/d/ x", "/w/repo/x", "/w/repo/x", ""),
    ("truncate -s 0 a", "", "/w/repo/a", ""),
    ("touch a; mkdir -p b/c", "", "/w/repo/a /w/repo/b/c", ""),
    ("chmod -R 777 a", "", "/w/repo/a", ""),
    ("chown u:g a b", "", "/w/repo/a /w/repo/b", ""),
    ("grep -r x a", "/w/repo/a", "", ""),
    ("grep -e x a; rg y .env", "/w/repo/a /w/repo/.env", "", ""),
    ("awk '{print}' a", "/w/repo/a", "", ""),
    ("head -n 5 a; tail -f b; less c", "/w/repo/a /w/repo/b /w/repo/c", "", ""),
    ("unlisted .env --config=x.yaml", "/w/repo/.env /w/repo/x.yaml", "", ""),
    ("echo a /etc/passwd", "", "", ""),
    ("git checkout -- a b", "", "/w/repo/a /w/repo/b", ""),
    ("git checkout .", "", "/w/repo", ""),
    ("git checkout main", "", "", ""),
    ("git restore a; git restore --staged b", "", "/w/repo/a", ""),
    ("git rm -r a; git rm --cached b", "", "", "/w/repo/a"),
    ("git clean -fd", "", "", "/w/repo"),
    ("git clean -n", "", "", ""),
    ("git reset --hard", "", "/w/repo", ""),
    ("git -C /x rm a", "", "", "/x/a"),
    ("git config --global a b; git config c d", "", "/home/u/.gitconfig /w/repo/.git/config", ""),
    ("git show HEAD:.env", "/w/repo/.env", "", ""),
    ("tar xzf a.tgz -C /d", "/w/repo/a.tgz", "/d", ""),
    ("tar -czf a.tgz b c", "/w/repo/b /w/repo/c", "/w/repo/a.tgz", ""),
    ("zip -r a.zip b; unzip a.zip -d c", "/w/repo/b /w/repo/a.zip", "/w/repo/a.zip /w/repo/c", ""),
    ("rsync -a --delete a/ b/", "/w/repo/a", "/w/repo/b /w/repo/b/a", "/w/repo/b"),
    ("scp a host:b", "/w/repo/a", "", ""),
    ("curl -d @a -o b https://x -T c -F f=@d", "/w/repo/c /w/repo/a /w/repo/d", "/w/repo/b", ""),
    ("curl -O https://x/y.sh?z", "", "/w/repo/y.sh", ""),
    ("curl file:///etc/passwd", "/etc/passwd", "", ""),
    ("wget -O a https://x; wget https://x/b.sh", "", "/w/repo/a /w/repo/b.sh", ""),
    ("find a -delete", "/w/repo/a", "", "/w/repo/a"),
    ("find a -name '*.o' -delete", "/w/repo/a", "", "/w/repo/a/**.o"),
    ("find a -exec rm {} \\;", "/w/repo/a", "", "/w/repo/a"),
    ("xargs rm < list", "/w/repo/list", "", "?"),
    ("docker run -v /etc:/x i", "", "/etc", ""),
    ("python -c \"open('/etc/passwd').read()\"", "/etc/passwd", "", ""),
    ("python -c \"import shutil; shutil.rmtree('/x')\"", "/x", "", "/x"),
    ("python -c \"open('a.txt', 'w')\"", "/w/repo/a.txt", "/w/repo/a.txt", ""),
    ("python a.py; bash b.sh", "/w/repo/a.py /w/repo/b.sh", "", ""),
    ("source a", "/w/repo/a", "", ""),
    ("openssl enc -in a -out b", "/w/repo/a", "/w/repo/b", ""),
    ("ssh h cat a", "a", "", ""),
    ("vim a", "/w/repo/a", "/w/repo/a", ""),
    ("mkfs.ext4 /dev/sdb1", "", "/dev/sdb1", ""),
    ("gzip a", "/w/repo/a", "/w/repo/a", "/w/repo/a"),
    ("git -- reset --hard", "", "/w/repo", ""),
    ("git checkout -t direct o/x; git checkout --track inherit o/x; git checkout -t o/x", "", "", ""),
    ("git checkout --recurse-submodules checkout main; git checkout --recurse-submodules main", "", "", ""),
    ("git checkout --conflict diff3 main; git checkout -p -U 9 main; git checkout --inter-hunk-context 2 main", "", "", ""),
    ("git diff --unified 9 a; git diff -U 9 b; git show --inter-hunk-context 2 c", "/w/repo/a /w/repo/b /w/repo/c", "", ""),
    ("git push --recurse-submodules on-demand origin a; git fetch --recurse-submodules on-demand origin", "", "", ""),
    ("git checkout --pathspec-from-file l; git checkout --pathspec-from-file=m HEAD", "/w/repo/l /w/repo/m", "? ?", ""),
    ("git restore --pathspec-from-file l; git rm --pathspec-from-file -", "/w/repo/l", "?", "?"),
    ("perl -pi -e s/a/b/ f; perl -i.old -ne print g", "/w/repo/f /w/repo/g", "/w/repo/f /w/repo/g", ""),
    ("perl -Mstrict -ne print .env; ruby -Ilib -ne p f", "/w/repo/.env /w/repo/f", "", ""),
    ("ruby -i -pe x f; gawk -i inplace '{print}' g", "/w/repo/f /w/repo/g", "/w/repo/f /w/repo/g", ""),
    ("gawk --include=inplace '{print}' g; awk -i lib '{print}' h", "/w/repo/g /w/repo/h", "/w/repo/g", ""),
    ("awk '{print > \"o.txt\"}' f", "/w/repo/f /w/repo/o.txt", "/w/repo/o.txt", ""),
    ("perl -e 'unlink \"$ENV{HOME}/k\"'; ruby -e 'File.unlink(ENV[\"HOME\"] + \"/l\")'", "/home/u/k /home/u/l", "", "/home/u/k /home/u/l"),
    ("ruby -e \"rm -rf /\"", "", "", ""),
    ("patch a < b", "/w/repo/b", "/w/repo/a", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "reads", "writes", "deletes"), TABLE, ids=[row[0] for row in TABLE])
def test_effects(line, reads, writes, deletes):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u")
    found = [
        " ".join(path or "?" for command in facts.commands for path in getattr(command, effect))
        for effect in ("reads", "writes", "deletes")
    ]
    assert found == [reads, writes, deletes]


def test_without_a_folder_paths_stay_relative_and_homes_unnamed():
    deletes = shell_facts("rm a ../b ~/c $HOME/d /e", cwd=None).commands[0].deletes
    assert deletes == ("a", "../b", "~/c", "~/d", "/e")


def test_windows_paths():
    assert shell_facts(r"rm 'C:\x\y'", cwd="C:\\w", os="windows").commands[0].deletes == ("C:/x/y",)
    assert shell_facts("rm x", cwd="C:\\w", os="windows").commands[0].deletes == ("C:/w/x",)


TEMPORARY = [
    ('rm $TMPDIR/a ${TMPDIR}/b "$TMPDIR"/c/*', "/tmp/.tmpdir/a /tmp/.tmpdir/b /tmp/.tmpdir/c/*"),
    ('rm -r "$TMPDIR"', "/tmp/.tmpdir"),
    ("rm ${TMPDIR:-/tmp}/*; rm ${TMPDIR:?}/*; rm ${TMPDIR:-/etc}/x", "/tmp/.tmpdir/* /tmp/.tmpdir/* ?"),
    # it may be empty, or one level deep
    (
        "rm $TMPDIR; rm $TMPDIR/*; rm $TMPDIR/etc/x; rm $TMPDIR/; rm $TMPDIR/a/../../x; rm ${TMPDIR}x",
        "? ? ? ? ? ?",
    ),
    ('d=$TMPDIR; rm $d/*; cd "$TMPDIR"; rm x', "? ?"),
    ("TMPDIR=/etc; rm $TMPDIR/x", "/etc/x"),
    ("(export TMPDIR=/etc); rm $TMPDIR/x", "/tmp/.tmpdir/x"),
    ("TMPDIR=/etc sh -c 'rm $TMPDIR/x'; rm $TMPDIR/y", "/etc/x /tmp/.tmpdir/y"),
    ("a && TMPDIR=/etc; rm $TMPDIR/x", "?"),
    (": ${TMPDIR:=/etc}; rm $TMPDIR/x; rm ${TMPDIR-/tmp}/y", "? ?"),
    (": ${TMPDIR:=/tmp}; rm $TMPDIR/*", "/tmp/.tmpdir/*"),
    ("$SUDO cd /d; rm x", "? ?"),
    ("read TMPDIR; rm $TMPDIR/x", "?"),
    (". ./y; rm $TMPDIR/x", "?"),
    (
        "".join(f"a{number}=1;" for number in range(300)) + "TMPDIR=/etc; HOME=/h; rm $TMPDIR/x ~/y",
        "/etc/x /h/y",
    ),
]


@pytest.mark.parametrize(("line", "deletes"), TEMPORARY, ids=[line[:40] for line, _ in TEMPORARY])
def test_the_folder_for_temporary_files(line, deletes):
    facts = shell_facts(line, cwd="/w/repo", home="/home/u", os="linux")
    assert " ".join(path or "?" for command in facts.commands for path in command.deletes) == deletes


def test_macos_always_has_a_folder_for_temporary_files():
    assert shell_facts("rm $TMPDIR/*", cwd="/w", os="darwin").commands[0].deletes == ("/tmp/.tmpdir/*",)
