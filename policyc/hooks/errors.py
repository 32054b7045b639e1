"""The one error of this package, and the table of its codes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: code -> what to do next. Codes are stable: the command line's JSON names them.
CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unknown_target": "Give one of the supported targets to `--target`.",
        "hooks_invalid": "Correct bundle.yaml (`policyc check` shows the place), then build again.",
        "gate_too_large": "Use fewer or shorter rules, or have `handler: server` decide.",
        "no_self_protection": "Add `include: [protect_control_plane]`, or give --no-self-protection.",
        "source_url_missing": "Give `--url`: https://... of a repository, gs://... of a bucket.",
        "source_url_invalid": "Correct `--url`, or choose another `--kind`.",
        "source_unreadable": "Give a folder with text files to `--files`.",
        "source_clash": "Rename the files, or move them out of the folder of `--files`.",
        "sources_too_large": "Use `--kind repository` or `--kind gcs`, or fewer and shorter files.",
        "variable_missing": "Set them, or give --keep-variables and fill them in yourself.",
        "path_invalid": "Generated files have relative paths of plain names.",
        "hooks_file_missing": "Write it with `policyc hooks generate`, or name one with `--config`.",
        "hooks_file_unreadable": "Check the path and its permissions; it must be one JSON document in UTF-8.",
        "hooks_file_invalid": "Correct each; the agent skips what it does not understand, and the calls run.",
        "network_invalid": 'Give the environment\'s `network`: {"allowlist": [{"domain": ...}]}.',
        "event_invalid": 'Give the event as the agent sends it: {"tool_call": {"name", "args"}, ...}.',
        "settings_invalid": "Correct the file, or add the hooks by hand. Nothing was written.",
        "script_clash": "Give your script another name, and name it so in bundle.yaml.",
        "nothing_to_run": "Write the hooks first: `policyc hooks generate BUNDLE --target NAME --out DIR`.",
        "file_unwritable": "Check the folder, its permissions and the free space.",
    }
)


class HooksError(Exception):
    """Hooks that cannot be generated, written or run.

    ``code`` is a key of ``CODES``, ``message`` says what is wrong and where, ``hint`` what to do next.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        self.hint = CODES[code]
        super().__init__(code, message)

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}"
