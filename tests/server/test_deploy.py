"""What an operator starts from names options that there are and files that are read."""

from __future__ import annotations

import ast
import re
import shlex
from configparser import RawConfigParser
from pathlib import Path

import pytest
import yaml

from policyc.cli.serve import command

DEPLOY = Path(__file__).parents[2] / "server" / "deploy"


def container_options() -> list[str]:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", "")
    (options,) = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)
    return list(ast.literal_eval(options))


def unit() -> RawConfigParser:
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((DEPLOY / "policyc.service").read_text().replace("\\\n", ""))
    return parser


def unit_options() -> list[str]:
    program, name, *options = shlex.split(unit()["Service"]["ExecStart"])
    assert (Path(program).name, name) == ("policyc", "serve")
    return options


@pytest.mark.parametrize("options", [container_options(), unit_options()], ids=["container", "unit"])
def test_the_options_are_those_of_serve(options: list[str]) -> None:
    # Parsing alone: the files that the options name are on the operator's machine.
    names = {name for parameter in command.params for name in parameter.opts}
    assert {option for option in options if option.startswith("--")} <= names
    assert {"--bundle", "--verify-key", "--state"} <= set(options)


def test_the_unit_waits_for_the_drain_and_does_not_repeat_what_cannot_work() -> None:
    service = unit()["Service"]
    assert int(service["TimeoutStopSec"]) > 10
    assert service["RestartPreventExitStatus"] == "2"


def test_the_composition_builds_that_container() -> None:
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["policyc"]
    build = service["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Containerfile"
    mounts = {volume.split(":")[1] for volume in service["volumes"]}
    paths = {option for option in container_options() if option.startswith("/")}
    assert {"/" + path.split("/")[1] for path in paths} == mounts
    assert int(service["stop_grace_period"].rstrip("s")) > 10
