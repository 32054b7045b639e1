"""The operator ``path``: is this argument a file that one of these globs covers?"""

from __future__ import annotations

from policyc.engine.file_paths import reads_as_windows
from policyc.engine.kleene import all_of, any_of
from policyc.engine.model import Call
from policyc.engine.path_globs import Subject
from policyc.engine.spellings import spellings

TYPE_CHECKING = False
if TYPE_CHECKING:  # collections.abc costs a hook process more than its decision
    from collections.abc import Callable, Iterable, Sequence

    PathPredicate = Callable[..., "bool | None"]


class Surroundings:
    """What a call says about where its paths are: ``cwd``, ``home``, ``os``, and what links lead to."""

    __slots__ = ("cwd", "home", "os", "realpaths")

    def __init__(
        self,
        cwd: str | None = None,
        os: str | None = None,
        realpaths: Sequence[str] | None = None,
        home: str | None = None,
    ) -> None:
        self.cwd = cwd
        self.os = os
        self.realpaths = realpaths or ()
        self.home = home


NOWHERE = Surroundings()


def check(value: object) -> str | None:
    """What is wrong with an authored glob or list of globs, or None."""
    globs = value if isinstance(value, list) else [value]
    if not globs:
        return "needs at least one path glob"
    for glob in globs:
        if not isinstance(glob, str):
            return "needs a path glob or a list of them"
        problem = next((said for is_wrong, said in _MISTAKES if is_wrong(glob)), None)
        if problem is not None:
            return f"{glob!r}: {problem}"
    return None


def compile(value: object) -> PathPredicate:
    """``predicate(argument, surroundings, every=False)``: True, False, or None where it cannot be known.

    One of the argument's spellings or realpaths is enough, as a rule that stops calls needs it; with
    ``every`` all of them have to be covered, as a rule that lets calls pass needs it.
    """
    globs = [str(glob) for glob in (value if isinstance(value, list) else [value])]

    def predicate(argument: object, surroundings: Surroundings = NOWHERE, every: bool = False) -> bool | None:
        if not isinstance(argument, str):
            return False
        here = surroundings
        forms = spellings(argument, here.realpaths, here.cwd, here.os, here.home)
        return covered(globs, forms, here, every)

    return predicate


def judge(value: object) -> Callable[[object, Call, str], bool | None]:
    """``judge(argument, call, match)``: the argument is a path; a shell's command line stands for the files
    that it touches. ``match`` quantifies over those, and over the spellings of a path."""
    predicate = compile(value)
    on_lines: Callable[[Call, object, bool], bool | None] | None = None

    def holds(argument: object, call: Call, match: str) -> bool | None:
        nonlocal on_lines
        every = match == "all"
        if argument is not call.command_line:
            return predicate(argument, Surroundings(call.cwd, call.os, call.realpaths), every)
        if on_lines is None:
            from policyc.engine.shell_clauses import touches  # calls of other tools load no shell

            on_lines = touches(value)
        return on_lines(call, argument, every)

    return holds


def covered(
    globs: Sequence[str], forms: Iterable[str], here: Surroundings = NOWHERE, every: bool = False
) -> bool | None:
    """Whether one of ``globs`` covers one of ``forms``, which are normal forms, or with ``every`` each."""
    answers = (_one_of(globs, form, here) for form in forms)
    return all_of(answers) if every else any_of(answers)


def _one_of(globs: Sequence[str], form: str, here: Surroundings) -> bool | None:
    subject = Subject(form, here.os, here.cwd, here.home)
    return any_of(subject.judge(glob) for glob in globs)


def _names(glob: str) -> list[str]:
    return glob.replace("\\", "/").split("/")


#: What an author may write by mistake, and what to write instead.
_MISTAKES: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda glob: not glob.strip(), "is empty"),
    (lambda glob: glob != glob.strip(), "has white space around it"),
    (lambda glob: any(char < " " or char == "\x7f" for char in glob), "has a control character"),
    (lambda glob: glob.startswith("!"), "a glob cannot be negated; write `not: true` in the clause"),
    (lambda glob: glob.lower().startswith("file:"), "write the path, not a URL"),
    (lambda glob: glob[0] in "$%", "variables are not expanded; write ~/ for a home, ./ for the cwd"),
    (
        lambda glob: "\\" in glob and not reads_as_windows(glob, None),
        "write / between folders (\\ only after a drive or for a server)",
    ),
    (lambda glob: ".." in _names(glob), "write the folder itself, without `..`"),
    (lambda glob: any("**" in name and name != "**" for name in _names(glob)), "`**` stands alone between /"),
    (lambda glob: "{" in glob and "," in glob.partition("{")[2], "no {a,b} here; write a list of globs"),
)
