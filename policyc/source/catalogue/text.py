"""Problems of the text of a file, whatever its format."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error

_GOOD = "- {priority: 1, verdict: deny, reason: a café}\n"

ENTRIES: tuple[Entry, ...] = (
    error(
        "not_utf8",
        "The file is not UTF-8",
        "Source files are UTF-8, with or without a byte order mark. The position is that of the first byte "
        "that is not.",
        "-- policy.yaml (escaped) --\n- {priority: 1, verdict: deny, reason: a caf\\xe9}\n",
        _GOOD,
    ),
    error(
        "control_character",
        "A control character in the text",
        "Control characters are invisible, and the Unicode line breaks (U+0085, U+2028, U+2029) are new "
        "lines to some readers only. Write them as escapes in a double-quoted string.",
        "-- policy.yaml (escaped) --\n- {priority: 1, verdict: deny, reason: a\\x00b}\n",
        '- {priority: 1, verdict: deny, reason: "a\\u0000b"}\n',
    ),
    error(
        "text_direction",
        "A character that reorders the text",
        "Text direction characters make a line read differently from how it is evaluated "
        "(https://trojansource.codes), so a review would approve something else.",
        "-- policy.yaml (escaped) --\n- {priority: 1, verdict: deny, reason: a\\xe2\\x80\\xaeb}\n",
        '- {priority: 1, verdict: deny, reason: "a\\u202eb"}\n',
    ),
)
