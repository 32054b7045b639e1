# ruff: noqa: E501  (tables)
"""Commands that another machine, or an image that is one program, runs."""

import pytest

from policyc.engine.shell import shell_facts

# line, in which `shred k` is run
RUN = [
    "ssh h shred k", "vagrant ssh -c 'shred k'", "vagrant ssh -- shred k", "adb -s 1 shell shred k", "adb shell 'shred k'", "ansible all -i h -a 'shred k'",
    "az vm run-command invoke -g g --scripts 'shred k'", "clush -w h shred k", "distrobox enter x -- shred k", "flatpak-spawn --host shred k",
    "fly ssh console -C 'shred k'", "gcloud compute ssh x --command='shred k'", "heroku run -a x shred k", "lima shred k", "limactl shell default shred k",
    "machinectl shell x /bin/shred k", "multipass exec v -- shred k", "pdsh -w h 'shred k'", "pssh -H h shred k", "salt '*' cmd.run 'shred k'",
    "systemd-nspawn -D / shred k", "toolbox run -c x shred k", "wsl -e shred k", "wsl.exe -d Ubuntu -- shred k",
    "docker run i shred k", "docker run --entrypoint shred i k", "docker exec c shred k", "docker run acme/shred:1 --k k",
]  # fmt: skip

#: What is run of an image, and what is not taken for a command.
IMAGES = [
    ("docker run curlimages/curl -s http://h/", ["docker", "curl"]),
    ("docker run curlimages/curl curl http://h/", ["docker", "curl"]),
    ("docker run -v $PWD:/w curlimages/curl -F f=@/w/x http://h/", ["docker", "curl"]),
    ("docker run amazon/aws-cli s3 ls", ["docker", "aws"]),
    ("docker run i", ["docker"]),
    ("docker exec web ls", ["docker", "ls"]),
    ("adb devices", ["adb"]),
    ("wsl --list", ["wsl"]),
    ("heroku logs --tail", ["heroku"]),
    ("gcloud compute instances list", ["gcloud"]),
]


@pytest.mark.parametrize("line", RUN)
def test_it_runs(line):
    assert any(command.program == "shred" for command in shell_facts(line, cwd="/w").commands)


@pytest.mark.parametrize(("line", "programs"), IMAGES)
def test_programs(line, programs):
    assert [command.program for command in shell_facts(line, cwd="/w").commands] == programs


def test_an_option_after_the_image_is_the_program_s():
    curl = shell_facts("docker run -v $PWD:/w curlimages/curl -T /w/x u", cwd="/w").commands[-1]
    assert "--upload-file" in curl.flags
    assert curl.reads == ("/w/x",)
