"""Credentials in sources: by the header that carries them, and by what well-known tokens look like."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CREDENTIAL_WORDS = frozenset(
    {
        "apikey",
        "auth",
        "authentication",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "passwd",
        "password",
        "secret",
        "token",
    }
)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TOKEN = re.compile(
    r"\b(?:Bearer|Basic)\s+(?=\S*[0-9])[A-Za-z0-9._~+/=-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\."  # a JWT
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{30,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)


def has_variable(text: str) -> bool:
    """Whether ``text`` has a ``${NAME}`` in it."""
    return _VARIABLE.search(text) is not None


def variables(text: str) -> list[str]:
    """The names of every ``${NAME}`` in ``text``."""
    return _VARIABLE.findall(text)


def fill_variables(text: str, values: Mapping[str, str]) -> str:
    """``text`` with the value of every ``${NAME}``. Raises KeyError with the name that has none."""
    return _VARIABLE.sub(lambda variable: values[variable[1]], text)


def looks_like_token(text: str) -> bool:
    """Whether ``text`` has something in it that looks like a credential."""
    return _TOKEN.search(_VARIABLE.sub("", text)) is not None


def carries_credential(header: str, value: str) -> bool:
    """Whether a header is for a credential, or its value looks like one."""
    words = re.split(r"[-_]", header.lower())
    named = not _CREDENTIAL_WORDS.isdisjoint(words) or (words[-1] == "key" and "idempotency" not in words)
    return named or looks_like_token(value)


def credential_without_variable(header: str, value: str) -> bool:
    """Whether a header has a credential in it that no environment variable stands for."""
    return looks_like_token(value) or (carries_credential(header, value) and not has_variable(value))
