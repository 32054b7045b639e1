"""Lines that are not for a POSIX shell, PowerShell and cmd: recognised, so that they are not misread."""

from __future__ import annotations

import re

from policyc.engine.patterns import lazy_pattern
from policyc.engine.shell.fields import Dynamic

#: What a line is called where it is not for a POSIX shell.
NAMES = {"powershell": "PowerShell", "cmd": "cmd"}

_CMDLET = lazy_pattern(
    r"(?:Get|Set|New|Remove|Clear|Copy|Move|Rename|Invoke|Start|Stop|Restart|Out|Write|Read|Import|Export|Format|"
    r"Select|Where|ForEach|Test|Add|Enable|Disable|Expand|Compress|Convert|ConvertTo|ConvertFrom|Join|Split|Resolve|"
    r"Unblock|Register|Unregister|Install|Uninstall|Update|Measure|Sort|Group|Tee|Wait|Send|Enter|Exit|Push|Pop|"
    r"Suspend|Resume|Mount|Dismount|Find|Save|Publish|Grant|Revoke|Block|Debug|Trace|Show|Hide)-[A-Z][A-Za-z]+"
)
_ALIASES = frozenset(
    {"iex", "iwr", "irm", "gci", "gc", "ri", "sc", "ni", "del", "erase", "rd", "foreach-object"}
)
_POWERSHELL = lazy_pattern(
    r"\$env:[A-Za-z]|\$PSVersionTable|\s-eq\s|\[System\.|\bTest-Path\b|\biex\b|\bforeach\b|\$_\b"
)
_CMD_PROGRAMS = frozenset(
    {
        "del",
        "erase",
        "rd",
        "rmdir",
        "copy",
        "move",
        "xcopy",
        "robocopy",
        "format",
        "attrib",
        "dir",
        "ren",
        "type",
        "md",
    }
)
_CMD_SWITCH = lazy_pattern(r"/[A-Za-z?](?::\S*)?|[A-Za-z]:\\?.*", re.DOTALL)
_CMD_VARIABLE = lazy_pattern(
    r"%(?:USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|WINDIR|TEMP|COMSPEC|CD)%", re.IGNORECASE
)


def shell_of(program: str) -> str | None:
    """The dialect of code that ``program`` runs, where it is another shell."""
    if program.lower() in ("powershell", "pwsh", "pwsh-preview", "powershell_ise"):
        return "powershell"
    return "cmd" if program.lower() == "cmd" else None


def dialect_of_command(program: str, fields: list[str | Dynamic]) -> str | None:
    """The dialect of a line with this command in it, where it is not for a POSIX shell."""
    if "-" in program and _CMDLET.fullmatch(program):
        return "powershell"
    if program in _CMD_PROGRAMS and any(
        isinstance(field, str) and _CMD_SWITCH.fullmatch(field) for field in fields[1:]
    ):
        return "cmd"
    if program in _ALIASES and len(fields) > 1:
        return "cmd" if program in _CMD_PROGRAMS else "powershell"
    return None


def dialect_of_text(text: str) -> str | None:
    """The dialect of a line that is no command line of a POSIX shell."""
    if _POWERSHELL.search(text) or any(map(_CMDLET.fullmatch, text.split()[:64])):
        return "powershell"
    return "cmd" if _CMD_VARIABLE.search(text) else None
