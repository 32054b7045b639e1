"""docs/hooks.md has every cause, in the words of the trace."""

import re
from pathlib import Path

from policyc.hooks.runtime.causes import CAUSES

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"


def test_every_cause_is_documented():
    table = PAGE.read_text("utf-8").partition("| cause | |")[2].partition("\n\n")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)) == dict(CAUSES)
