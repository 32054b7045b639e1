"""What became of tests, as the XML that CI systems read.

https://github.com/testmoapp/junitxml describes what they agree on: suites, cases, failures, times in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from xml.etree import ElementTree

from policyc.testing.report_text import Opened, failure_lines
from policyc.testing.run import Result
from policyc.testing.session import Tested

#: What XML 1.0 cannot carry, not even escaped.
_UNSAYABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(tested: Sequence[Tested], opened: Mapping[str, Opened], seconds: float) -> str:
    """One suite for each file. ``opened``: by target."""
    root = ElementTree.Element("testsuites", _numbers([r for one in tested for r in one.results], seconds))
    for one in tested:
        shown = opened[str(one.target)]
        for path, results in groupby(one.results, lambda result: result.case.path):
            root.append(_suite(one, shown(path), list(results), shown))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(tested: Tested, path: str, results: list[Result], opened: Opened) -> ElementTree.Element:
    seconds = sum(result.seconds for result in results)
    suite = ElementTree.Element("testsuite", {"name": _sayable(path), **_numbers(results, seconds)})
    for result in results:
        case = result.case
        attributes = {
            "name": _sayable(case.title),
            "classname": _sayable(path),
            "file": _sayable(path),
            "line": str(case.line),
            "time": f"{result.seconds:.6f}",
        }
        element = ElementTree.SubElement(suite, "testcase", attributes)
        if result.failure is not None:
            lines = list(failure_lines(tested, opened, [result]))
            failure = ElementTree.SubElement(element, "failure", {"message": _sayable(lines[1].strip())})
            failure.text = _sayable("\n".join(lines))
    return suite


def _numbers(results: Iterable[Result], seconds: float) -> dict[str, str]:
    found = list(results)
    failures = sum(not result.passed for result in found)
    return {
        "tests": str(len(found)),
        "failures": str(failures),
        "errors": "0",
        "skipped": "0",
        "time": f"{seconds:.6f}",
    }


def _sayable(text: str) -> str:
    return _UNSAYABLE.sub("\ufffd", text)
