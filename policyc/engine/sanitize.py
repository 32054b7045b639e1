"""Secrets in a call's arguments: found, or replaced by ``[redacted:<preset>]`` and ``[redacted:custom]``.

Strings and keys are read at any depth; the shape stays, and the input is not touched. A number is replaced
only where it is a card number. Redacting twice is redacting once.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from policyc.engine.patterns import lazy_pattern
from policyc.engine.regex import Pattern, RegexError, compile_regex
from policyc.engine.secret_presets import PRESETS, Span, is_card

CUSTOM = "custom"
CARD = "credit_card"

_RANK = {name: rank for rank, name in enumerate((*PRESETS, CUSTOM))}
_TOKEN = lazy_pattern(rf"\[redacted:(?:{'|'.join(_RANK)})\]")
#: Rounds until nothing is found; a text that still has matches then is replaced as a whole.
_ROUNDS = 4
#: Matches of one custom pattern in one string; from there on all of it counts as matched. Each search
#: may look at the rest of the text, so that without a bound all of them would not be linear.
_MAX_MATCHES = 1000

Found = tuple[int, int, str]


def check(config: object) -> str | None:
    """What is wrong with an authored ``sanitize``, or None."""
    if not isinstance(config, dict):
        return "needs an object with presets, custom or both"
    for key, names in config.items():
        if key not in ("presets", CUSTOM):
            return f"{key!r} is not a key here; there are presets and custom"
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return f"{key} needs a list of strings"
    if not config.get("presets") and not config.get(CUSTOM):
        return "needs at least one preset or custom pattern"
    for name in config.get("presets", ()):
        if name not in PRESETS:
            return f"there is no preset {name!r}; presets are {', '.join(sorted(PRESETS))}"
    for pattern in config.get(CUSTOM, ()):
        try:
            compile_regex(pattern)
        except RegexError as error:
            return f"custom {pattern!r}: {error}"
    return None


def compile(config: dict[str, list[str]]) -> Sanitizer:
    """The sanitizer of a checked ``sanitize``."""
    return Sanitizer(config.get("presets", ()), config.get(CUSTOM, ()))


def finds(config: dict[str, list[str]], args: object) -> set[str]:
    """The presets, and ``custom``, that ``args`` hold something of."""
    return compile(config).finds(args)


class Sanitizer:
    """Presets and RE2 patterns, made ready for many calls."""

    __slots__ = ("_cards", "_custom", "_presets")

    def __init__(self, presets: Iterable[str], custom: Iterable[str]) -> None:
        wanted = set(presets)
        self._presets = [(name, find) for name, find in PRESETS.items() if name in wanted]
        self._custom = [compile_regex(pattern) for pattern in custom]
        self._cards = CARD in wanted

    def redact(self, args: object) -> object:
        """A copy of ``args`` (JSON) with a token for each match."""
        waiting: list[tuple[object, object]] = []
        result = self._copy(args, waiting)
        while waiting:
            source, copy = waiting.pop()
            if isinstance(source, dict) and isinstance(copy, dict):
                for name, child in zip(self._redact_keys(source), source.values()):
                    copy[name] = self._copy(child, waiting)
            elif isinstance(source, list) and isinstance(copy, list):
                copy += [self._copy(child, waiting) for child in source]
        return result

    def finds(self, args: object) -> set[str]:
        """The presets, and ``custom``, that ``args`` hold something of."""
        found: set[str] = set()
        waiting = [args]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                found.update(name for _start, _end, name in self._matches(value))
            elif isinstance(value, dict):
                waiting += [*value, *value.values()]
            elif isinstance(value, list):
                waiting += value
            elif self._cards and _is_card_number(value):
                found.add(CARD)
        return found

    def redact_text(self, text: str) -> str:
        """``text`` with a token for each match."""
        found = self._find(text)
        for _ in range(_ROUNDS):
            if not found:
                return text
            text = _replaced(text, found)
            found = self._find(text)
        # Each token made room for another match. Nothing of such a text is kept.
        return f"[redacted:{found[0][2]}]" if found else text

    def _copy(self, value: object, waiting: list[tuple[object, object]]) -> object:
        """The copy of a scalar; of a container an empty one, which waits to be filled."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, (dict, list)):
            copy: object = {} if isinstance(value, dict) else []
            waiting.append((value, copy))
            return copy
        return f"[redacted:{CARD}]" if self._cards and _is_card_number(value) else value

    def _redact_keys(self, source: dict[str, object]) -> list[str]:
        """The keys without secrets, in order; where two would be the same, the later one is numbered."""
        names: dict[str, None] = {}
        counts: dict[str, int] = {}
        for key in source:
            name = fresh = self.redact_text(key)
            while name in names:
                counts[fresh] = counts.get(fresh, 1) + 1
                name = f"{fresh}#{counts[fresh]}"
            names[name] = None
        return list(names)

    def _find(self, text: str) -> list[Found]:
        """What is to be replaced, in order, without overlap."""
        return _outside_tokens(text, _merged(self._matches(text)))

    def _matches(self, text: str) -> list[Found]:
        found = [(start, end, name) for name, find in self._presets for start, end in find(text)]
        for pattern in self._custom:
            found += [(start, end, CUSTOM) for start, end in _custom_spans(pattern, text)]
        return found


def _custom_spans(pattern: Pattern, text: str) -> list[Span]:
    spans = list(islice(pattern.spans(text), _MAX_MATCHES + 1))
    if len(spans) > _MAX_MATCHES:
        spans[-1] = (spans[-1][0], len(text))
    return spans


def _merged(found: list[Found]) -> list[Found]:
    """Matches that overlap as one, named by the longest, then the most specific, then the first of them."""
    merged: list[Found] = []
    best = (0, 0)
    for start, end, name in sorted(found, key=lambda match: (match[0], -match[1], _RANK[match[2]])):
        weight = (end - start, -_RANK[name])
        if merged and start < merged[-1][1]:
            first, last, named = merged[-1]
            merged[-1] = (first, max(last, end), name if weight > best else named)
            best = max(best, weight)
        else:
            merged.append((start, end, name))
            best = weight
    return merged


def _outside_tokens(text: str, found: list[Found]) -> list[Found]:
    """What is left of the matches without the tokens of an earlier round."""
    tokens = [match.span() for match in _TOKEN.finditer(text)] if found and "[redacted:" in text else []
    if not tokens:
        return found
    left: list[Found] = []
    first = 0
    for start, end, name in found:
        while first < len(tokens) and tokens[first][1] <= start:
            first += 1
        at = first
        while at < len(tokens) and tokens[at][0] < end:
            if start < tokens[at][0]:
                left.append((start, tokens[at][0], name))
            start = tokens[at][1]
            at += 1
        if start < end:
            left.append((start, end, name))
    return left


def _replaced(text: str, found: list[Found]) -> str:
    pieces = []
    done = 0
    for start, end, name in found:
        pieces += [text[done:start], f"[redacted:{name}]"]
        done = end
    return "".join([*pieces, text[done:]])


def _is_card_number(value: object) -> bool:
    """Whether a JSON number is a card number of a payment network; these begin with 2 to 6."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 10**12 <= value < 10**19:
        return False
    digits = str(int(value))
    return value == int(value) and digits[0] in "23456" and is_card(digits)
