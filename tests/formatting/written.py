"""Policy files as people write them: any order of keys, any style, comments anywhere."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_TEXTS = st.sampled_from(
    (
        "crm.get*",
        "*",
        "a, b",
        "x: y",
        "# no",
        "NO",
        "012",
        "null",
        "é—漢𝄞",
        "'",
        '"',
        "a\\b",
        r"^\d+\.x$",
        "- x",
        "",
        " ",
    )
)
_MANY = st.sampled_from(("one\ntwo\n", "one\n\n  two", "  indented\nthen not\n", "end\n\n\n", "one"))
_VALUES = st.one_of(st.integers(-5, 10**20), st.sampled_from((True, False, None, 1.5, 1e3)), _TEXTS)
_CLAUSES = st.fixed_dictionaries(
    {"path": st.sampled_from(("$.a", "$['b c']")), "op": st.just("eq"), "value": _VALUES},
    optional={"not": st.booleans(), "on_missing": st.sampled_from(("match", "no_match"))},
)
_RULES = st.fixed_dictionaries(
    {"priority": st.integers(0, 9), "verdict": st.sampled_from(("allow", "deny", "audit"))},
    optional={
        "tool_name_glob": st.one_of(_TEXTS, st.lists(_TEXTS, min_size=1, max_size=40)),
        "args_match": st.fixed_dictionaries({"clauses": st.lists(_CLAUSES, max_size=3)}),
        "reason": st.one_of(_TEXTS, _MANY),
        "risk_factors": st.lists(st.sampled_from(("money", "x y", "a" * 70)), max_size=3),
        "notes": _MANY,
    },
)
POLICIES = st.fixed_dictionaries(
    {"default_verdict": st.sampled_from(("deny", "audit")), "rules": st.lists(_RULES, max_size=4)},
    optional={"description": st.one_of(_TEXTS, _MANY), "shadow": st.just(False)},
)


@st.composite
def policy_files(draw: st.DrawFn) -> bytes:
    """A policy file that compiles but for labels and texts that are no globs, as bytes."""
    lines = _Writer(draw).mapping(draw(POLICIES), 0)
    text = "\n".join(lines) + draw(st.sampled_from(("", "\n", "\n\n", "\n# the end\n", "\n  # the end")))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._comments = 0

    def _any(self, *options: Any) -> Any:
        return self._draw(st.sampled_from(options))

    def mapping(self, value: dict[str, Any], indent: int) -> list[str]:
        lines: list[str] = []
        for key in self._draw(st.permutations(list(value))):
            lines += self._above(indent) + self._pair(key, value[key], indent)
        return lines + self._above(indent)

    def _pair(self, key: str, value: Any, indent: int) -> list[str]:
        start = " " * indent + self._any(key, key, f'"{key}"', f"'{key}'") + ":"
        if isinstance(value, (dict, list)) and value and self._any(True, True, False):
            if isinstance(value, dict):
                return [start + self._behind(), *self.mapping(value, indent + self._any(1, 2, 4))]
            return [start + self._behind(), *self._items(value, indent + self._any(0, 2, 3))]
        return self._value(start, value, indent)

    def _items(self, values: list[Any], indent: int) -> list[str]:
        lines: list[str] = []
        for value in values:
            lines += self._above(indent)
            start = " " * indent + "-"
            if isinstance(value, dict) and self._any(True, False):
                first, *rest = self._without_comment_first(value, indent + 2)
                lines += [f"{start} {first.lstrip()}", *rest]
            else:
                lines += self._value(start, value, indent)
        return lines

    def _without_comment_first(self, value: dict[str, Any], indent: int) -> list[str]:
        while True:
            lines = self.mapping(value, indent)
            place = next(
                n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")
            )
            return [lines[place], *lines[place + 1 :]]

    def _value(self, start: str, value: Any, indent: int) -> list[str]:
        if isinstance(value, str) and value.strip() and self._any(True, False):
            return self._block(start, value, indent)
        return [f"{start} {self._flow(value, indent)}{self._behind()}"]

    def _block(self, start: str, value: str, indent: int) -> list[str]:
        body = value.rstrip("\n")
        ends = len(value) - len(body)
        digit = "2" if body.startswith(" ") else ""
        mark = "-" if ends == 0 else "" if ends == 1 else "+"
        lines = [" " * (indent + 2) + line if line else "" for line in body.split("\n")]
        return [f"{start} |{digit}{mark}", *lines, *[""] * (ends - 1)]

    def _flow(self, value: Any, indent: int) -> str:
        if isinstance(value, dict):
            inside = f",{self._gap(indent)}".join(
                f"{key}: {self._flow(value[key], indent)}" for key in self._draw(st.permutations(list(value)))
            )
            return f"{{{inside}}}"
        if isinstance(value, list):
            return (
                f"[{self._gap(indent)}{f',{self._gap(indent)}'.join(self._flow(it, indent) for it in value)}]"
            )
        if isinstance(value, str) and "\n" not in value and "\\" not in value and self._any(True, False):
            doubled = value.replace("'", "''")
            return f"'{doubled}'"
        return json.dumps(value, ensure_ascii=self._any(True, False) and "𝄞" not in str(value))

    def _gap(self, indent: int) -> str:
        comment = f"{self._comment()}\n" if self._any(True, False) else "\n"
        return self._any("", " ", " ", " ", f" {comment}{' ' * (indent + 5)}")

    def _above(self, indent: int) -> list[str]:
        kind = self._any(None, None, None, "", "comment", "both")
        if kind in (None, ""):
            return [] if kind is None else [""]
        comment = " " * self._any(indent, indent, 0, indent + 4) + self._comment()
        return ["", comment, ""] if kind == "both" else [comment]

    def _behind(self) -> str:
        return f"  {self._comment()}" if self._any(True, False, False) else ""

    def _comment(self) -> str:
        self._comments += 1
        return f"# c{self._comments} it's [a: {{b}}"
