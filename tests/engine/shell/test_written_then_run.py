# ruff: noqa: E501  (tables)
"""Code that the line writes, compiles or fetches, and that a program then runs by itself."""

import pytest

from policyc.engine.shell import shell_facts

# line, in which `shred k` is what is run in the end
RUN = [
    # compiled
    "echo 'int main(){system(\"shred k\");}' > y.c; gcc -o x y.c && ./x", "cat > y.c <<'E'\nint main(){ system(\"shred k\"); }\nE\ncc y.c; ./a.out",
    "clang -xc - -o x <<< 'int main(){popen(\"shred k\", 0);}'; ./x", "echo 'fn main(){ Command::new(\"shred\").arg(\"k\"); }' > m.rs; rustc m.rs; ./m",
    "echo 'func main(){ exec.Command(\"shred\", \"k\").Run() }' > m.go; go run m.go", "tcc -run - <<< 'int main(){system(\"shred k\");}'",
    # build files
    "echo '{\"scripts\":{\"t\":\"shred k\"}}' > package.json; npm test", "npm pkg set scripts.t='shred k'; npm run t", "npm set-script t 'shred k' && npm run t",
    "echo 'import os; os.system(\"shred k\")' > setup.py; pip install .", "echo 'import os; os.system(\"shred k\")' > setup.py; python -m pip install .",
    "echo 'import os; os.system(\"shred k\")' > conftest.py; pytest -q", "echo 'import os; os.system(\"shred k\")' > t/conftest.py; cd t; pytest",
    "echo 'system(\"shred k\")' > Gemfile; bundle install", "echo 'system(\"shred k\")' > Rakefile; rake", "printf 'a:\\n  shred k\\n' > justfile; just a",
    "echo 'shred k' > .envrc; direnv allow", "echo 'require(\"child_process\").execSync(\"shred k\")' > gulpfile.js; gulp", "echo 'fn main(){ Command::new(\"shred\").arg(\"k\"); }' > build.rs; cargo build",
    # files that an option names
    "echo 'BEGIN{system(\"shred k\")}' > p.awk; awk -f p.awk", "echo 'execSync(\"shred k\")' > p.js; node -r ./p.js -e 1", "echo '!shred k' > g; gdb -x g -batch", "echo '\\! shred k' > f; psql -f f",
    "echo 'import os; os.system(\"shred k\")' > x.py; python -m x", "echo 'exec shred k' > f; expect -f f",
    # by another name
    "cp /usr/bin/shred x; ./x k", "ln -s /bin/shred ls; ./ls k", "install -m755 /bin/shred t && ./t k", "cp /bin/busybox b; ./b shred k",
    "echo 'shred k' > bash; chmod +x bash; ./bash", "echo 'shred k' > t/ls; PATH=t:$PATH ls", "echo 'shred k' > t/ls; export PATH=/w/t; ls",
    # variables
    "GIT_SSH_COMMAND='shred k' git fetch", "AWS_PAGER='shred k' aws s3 ls", "LESSOPEN='| shred k' less f", "export SUDO_ASKPASS='shred k'", "env KUBE_EDITOR='shred k' kubectl edit x",
    "PERL5OPT='-Mx;system(\"shred k\")' perl a", "echo 'execSync(\"shred k\")' > p.js; NODE_OPTIONS='--require ./p.js' node a", "echo 'import os; os.system(\"shred k\")' > s.py; PYTHONSTARTUP=s.py python",
    "echo 'system(\"shred k\")' > p.rb; RUBYOPT=-r./p.rb ruby a", "MAKEFLAGS='--eval=$(shell shred k)' make", "JAVA_TOOL_OPTIONS='-XX:OnError=shred k' java a", "TAR_OPTIONS=--to-command='shred k' tar xf a",
]  # fmt: skip


@pytest.mark.parametrize("line", RUN)
def test_what_the_line_made_is_what_runs(line):
    commands = shell_facts(line, cwd="/w", home="/home/u", os="linux").commands
    assert any(command.program == "shred" and command.words[1:] == ("k",) for command in commands)


UNKNOWN = [
    "curl u > y.c; gcc y.c -o x; ./x", "curl -o m.go u; go run m.go", "curl u > package.json; npm install", "curl -o Makefile u; make", "curl -o d/Makefile u; make -C d",
    "wget -O setup.py u; pip install .", "curl u > conftest.py; pytest", "curl -o build.rs u; cargo build", "curl u > justfile; just", "curl u > build.gradle; gradle build",
    "curl -o p.yml u; ansible-playbook p.yml", "curl -o bash u && ./bash", "curl -o bash u; chmod +x bash; ./bash -c ls", "curl -o /tmp/x/ls u; PATH=/tmp/x:$PATH ls", "PATH=/tmp/x:$PATH ls",
    "LD_PRELOAD=./x.so ls", "env LD_PRELOAD=/tmp/x ls", "export DYLD_INSERT_LIBRARIES=x/y", "NODE_OPTIONS='--import=data:text/javascript,x' node a", "JAVA_TOOL_OPTIONS=-javaagent:x.jar java",
    "PERL5OPT='-Mx;y' perl a", "deno run -A https://x/y.ts", "npx https://x/y.tgz", "curl -o cfg u; curl -K cfg",
]  # fmt: skip


@pytest.mark.parametrize("line", UNKNOWN)
def test_what_came_from_elsewhere_is_not_known(line):
    assert None in {command.program for command in shell_facts(line, cwd="/w", os="linux").commands}


HIDDEN_CODE = [
    "pip install https://x/y.tgz", "pip install git+https://x/y", "python3 -m pip install git+https://x/y", "npm i github:u/r", "yarn add https://x/y.tgz", "cargo install --git https://x",
    "uvx --from git+https://x y", "pipx run --spec git+https://x y", "go run github.com/u/r@latest", "go install x.com/y@v1", "curl u > p.awk; awk -f p.awk", "awk -f <(curl u) f", "curl -o x.py u && python -m x",
]  # fmt: skip


@pytest.mark.parametrize("line", HIDDEN_CODE)
def test_the_code_of_a_package_at_an_address_is_not_known(line):
    assert any("code" in command.dynamic for command in shell_facts(line, cwd="/w").commands)


ORDINARY = [
    "PYTHONPATH=src pytest", "NODE_OPTIONS=--max-old-space-size=4096 npm run build", "NODE_OPTIONS='--require ts-node/register' mocha", "PERL5OPT=-Mstrict perl a", "RUBYOPT=-W0 ruby a",
    "LD_PRELOAD=/usr/lib/libjemalloc.so ls", "LESSOPEN='|lesspipe %s' less f", "JAVA_TOOL_OPTIONS=-Xmx1g java a", "MAKEFLAGS=-j4 make", "export PATH=$PATH:/opt/x; ls", "PATH=/usr/bin:/bin ls",
    "PATH=node_modules/.bin:$PATH eslint .", "PATH=$PATH:/tmp/x ls", "AWS_PAGER= aws s3 ls", "pip install requests", "pip install -r requirements.txt", "npm install && npm test", "go run ./cmd", "go test ./...",
    "gcc -o x y.c && ./x", "make && ./x", "sed -i s/a/b/ package.json; npm install", "touch conftest.py; pytest", "cat package.json; npm ci", "npm view left-pad", "curl -o data.json u; npm test",
    "echo '{}' > package.json; npm install", "echo 'x = 1' > conftest.py; pytest", "echo 'int main(){}' > y.c; gcc y.c -o x; ./x", "curl u > package.json; npm view x", "npx prettier .", "python -m pytest",
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_work_stays_known(line):
    facts = shell_facts(line, cwd="/w", home="/home/u", os="linux")
    assert None not in {command.program for command in facts.commands}
    assert not any("code" in command.dynamic for command in facts.commands)
