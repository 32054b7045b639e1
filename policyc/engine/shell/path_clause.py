"""The keys ``reads``, ``writes`` and ``deletes``: path globs over what a command does to files."""

from __future__ import annotations

from collections.abc import Iterable

from policyc.engine.alternatives import alternatives
from policyc.engine.file_paths import normalise
from policyc.engine.kleene import all_of, any_of, negated
from policyc.engine.path_globs import Subject
from policyc.engine.path_lists import PathList
from policyc.engine.remembered import remembered
from policyc.engine.shell.facts import Facts, SimpleCommand
from policyc.engine.shell.fields import Glob, Tree
from policyc.engine.shell.overlap import may_overlap
from policyc.engine.shell.variables import Place

#: Folders that hold every home, where the call does not say which home it is.
_HOMES = frozenset({"/", "~", "/home", "/Users", "/root"})


class PathTest:
    """Whether a path that the command reads, writes or deletes is covered; for an allow, whether each is."""

    __slots__ = ("effect", "unwanted", "wanted")

    def __init__(self, value: object, effect: str) -> None:
        self.effect = effect
        wanted, unwanted = alternatives(value)
        self.wanted, self.unwanted = PathList(wanted), PathList(unwanted)

    def test(self, command: SimpleCommand, facts: Facts, every: bool) -> bool | None:
        paths: tuple[str | None, ...] = getattr(command.effects, self.effect)
        if not paths:
            return False
        answers = (self.covered(path, facts, every) for path in paths)
        return all_of(answers) if every else any_of(answers)

    def covered(self, path: str | None, facts: Facts, every: bool) -> bool | None:
        """Whether one path (None: not known) is covered by a wanted glob and by no unwanted one."""
        if path is None:
            return None
        place = facts.place
        subject = facts.subjects.get(path)
        if subject is None:
            subject = facts.subjects[path] = Subject(str(path), place.os, place.cwd or None, place.home)
        wanted = _near(self.wanted, path, subject)
        found = any_of([judge(pattern, path, subject, place, every) for pattern in wanted])
        if not self.unwanted.globs or found is False:
            return found
        # What is taken away must take all of the path away, where one file of it is enough to match.
        unwanted = _near(self.unwanted, path, subject)
        spared = any_of(judge(pattern, path, subject, place, not every) for pattern in unwanted)
        return all_of((found, negated(spared)))


def _near(patterns: PathList, path: str, subject: Subject) -> list[str]:
    """The patterns that ``judge`` may not answer with False."""
    if isinstance(path, Tree):  # a pattern may name a place in the folder
        return list(dict.fromkeys([*patterns.near(subject), *patterns.placed]))
    if isinstance(path, Glob) and not _stands_for_none_of(patterns.words(subject.folds), path, subject):
        return patterns.globs
    return patterns.near(subject)


def _stands_for_none_of(words: Iterable[str], path: Glob, subject: Subject) -> bool:
    """Whether no name of the glob with a wildcard in it can be one of ``words``."""
    if subject.words is None or "**" in path:
        return False
    edges = [_edges(name) for name in subject.words if "*" in name or "?" in name or "[" in name]
    return not any(word.startswith(head) and word.endswith(tail) for head, tail in edges for word in words)


@remembered(1024)
def _edges(name: str) -> tuple[str, str]:
    """The text before the first wildcard of ``name``, and after the last."""
    if "[" in name and "]" not in name:
        return "", ""
    first = min(at for at in map(name.find, "*?[") if at >= 0)
    return name[:first], name[max(map(name.rfind, "*?]")) + 1 :]


def judge(pattern: str, path: str, subject: Subject, place: Place, every: bool) -> bool | None:
    """Whether ``pattern`` covers what ``path`` stands for: a file, a folder with all in it, or a glob.

    Where ``path`` stands for many files, one of them is enough, or with ``every`` all have to be covered.
    """
    answer = subject.judge(pattern)
    deep = pattern.endswith(("/**", "/")) or pattern == "**"
    if isinstance(path, Glob):
        # What a star of the pattern covers of the glob's text, it covers whatever that stands for.
        if answer and "?" not in pattern and ("**" not in path or deep or _is_suffix(pattern)):
            return True
        named = "/" + path if path[:1] != "/" else path
        return (
            None
            if answer is not False
            or any(may_overlap(text, named) for text in _texts(_placed(pattern, place)))
            else False
        )
    if isinstance(path, Tree):
        if every:
            return answer if deep or answer is not True else None
        if answer is not True and _lies_below(pattern, path, place):
            return True
    return answer


def _placed(pattern: str, place: Place) -> str:
    """``./src`` from the root on, where the folder is known."""
    folder = place.cwd or ""
    return folder.rstrip("/") + pattern[1:] if pattern[:2] == "./" and folder[:1] == "/" else pattern


def _is_suffix(pattern: str) -> bool:
    """``*.pyc`` covers what ends so, wherever it lies."""
    return pattern[:1] == "*" and not set(pattern[1:]) & set("*/[")


@remembered(4096)
def _texts(pattern: str) -> tuple[str, ...]:
    """Globs over texts that together cover at least what the path glob does."""
    text = pattern.removesuffix("/") + "/**" if pattern.endswith("/") else pattern
    if text[:1] == "~" or text[:2] == "./":
        text = "*/" + text.partition("/")[2]
    elif text[:3] == "**/":
        text = text[1:]
    elif text[:1] != "/":
        text = "*/" + text
    texts = (text[:-3], text[:-1]) if text.endswith("/**") else (text,)
    return tuple(text.replace("**/", "*").replace("**", "*") for text in texts)


def _lies_below(pattern: str, folder: str, place: Place) -> bool:
    """Whether what the pattern names by its fixed first part lies in ``folder``."""
    base = _fixed(pattern, place.cwd or None, place.home, place.os)
    if base is None:
        return False
    if base[0] == "~" and folder in _HOMES:
        return True
    return base == folder or base.startswith(folder.rstrip("/") + "/")


@remembered(4096)
def _fixed(pattern: str, cwd: str | None, home: str | None, os: str | None) -> str | None:
    """The folder that a pattern names before its first wildcard; None where it is not anchored."""
    fixed = pattern.partition("*")[0].partition("?")[0]
    if fixed != pattern:
        fixed = fixed.rpartition("/")[0] or "/"
    return normalise(fixed, cwd, home, os) if pattern[:1] in ("/", "~") or pattern[:2] == "./" else None
