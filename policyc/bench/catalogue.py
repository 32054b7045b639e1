"""Made-up tools and rules: the same for the same sizes, on every machine.

Tools are ``<family>_<number>.<action>``. There are as many families as keep a tool's share of the rules
near what it is in real policies: a large rule base governs many tools, not one tool a thousand times.
"""

from __future__ import annotations

from collections.abc import Iterator

FAMILIES = ("crm", "payment", "shell", "deploy", "db", "mail", "files", "tickets", "billing", "search")
ACTIONS = (
    *("get", "list", "create", "update", "delete", "export", "import", "approve", "cancel", "send"),
    *("search", "count", "archive", "restore", "share", "move", "copy", "rename", "lock", "audit"),
)
_RULES_PER_FAMILY = 200
_KINDS = ("exact", "prefix", "exact", "suffix", "exact", "infix", "exact", "prefix", "exact", "pair")

#: One pattern kind a line; ``{n}`` makes each rule's own.
_PATTERNS = (
    r"\brm\s+-[a-z]*r[a-z]*\s+/srv/app{n}\b",
    r"(?i)drop\s+(table|schema)\s+t{n}\b",
    r"curl\s+(-\S+\s+)*https?://h{n}\.example\.com/",
    r"^git push --force origin release-{n}$",
)
#: The text that matches the pattern kind on the same line.
_MATCHES = (
    "sudo rm -rf /srv/app{n}",
    "DROP TABLE t{n}",
    "curl -s https://h{n}.example.com/install",
    "git push --force origin release-{n}",
)


def families(rules: int) -> list[str]:
    """The tool families that ``rules`` rules are about."""
    count = max(len(FAMILIES), rules // _RULES_PER_FAMILY)
    return [f"{FAMILIES[number % len(FAMILIES)]}_{number}" for number in range(count)]


def tool_names(rules: int, count: int) -> list[str]:
    """``count`` names that occur in calls, spread evenly over the families and actions."""
    names = [f"{family}.{action}" for family in families(rules) for action in ACTIONS]
    return [names[position * len(names) // count] for position in range(count)]


def globs(rules: int) -> Iterator[list[str]]:
    """The globs of each rule: exact, prefix, suffix and infix. The first of a family cover all of it."""
    known = families(rules)
    for number in range(rules):
        family = known[number % len(known)]
        turn = number // len(known)
        action = ACTIONS[(turn * 7 + number) % len(ACTIONS)]
        yield [f"{family}.*"] if turn == 0 else _globs(_KINDS[(turn + number) % len(_KINDS)], family, action)


def _globs(kind: str, family: str, action: str) -> list[str]:
    if kind == "prefix":
        return [f"{family}.{action[:2]}*"]
    if kind == "suffix":
        return [f"*{family.partition('_')[2]}.{action}"]
    if kind == "infix":
        return [f"{family[:3]}*_{family.partition('_')[2]}.*{action[1:]}"]
    if kind == "pair":
        return [f"{family}.{action}", f"{family}.{ACTIONS[0]}"]
    return [f"{family}.{action}"]


def pattern(number: int) -> str:
    """The regular expression of rule ``number``."""
    return _PATTERNS[number % len(_PATTERNS)].format(n=number)


def matching_command(number: int) -> str:
    """A command that rule ``number``'s expression matches, and no other rule's."""
    return _MATCHES[number % len(_MATCHES)].format(n=number)


def harmless_command(number: int) -> str:
    """A command that no rule's expression matches; another one for each ``number``."""
    return (
        f"python3 -m reports.monthly --customer {number} --out /srv/reports/{number}.csv --format csv --quiet"
    )
