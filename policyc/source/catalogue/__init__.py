"""Every kind of problem, once: the text output, the JSON and ``docs/diagnostics.md`` come from here."""

from __future__ import annotations

from policyc.source.catalogue import clauses, files, hooks, policies, rules, shape, tests, text, yaml
from policyc.source.catalogue.entry import Entry, example_files

__all__ = ["CATALOGUE", "SECTIONS", "Entry", "example_files"]

#: Title -> entries, in the order of the documentation page.
SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Files and folders": files.ENTRIES,
    "Text": text.ENTRIES,
    "YAML and JSON": yaml.ENTRIES,
    "Keys and values": shape.ENTRIES,
    "Rules": rules.ENTRIES,
    "Clauses": clauses.ENTRIES,
    "Policies and bundles": policies.ENTRIES,
    "Hooks and network": hooks.ENTRIES,
    "Tests": tests.ENTRIES,
}

#: Code -> entry.
CATALOGUE: dict[str, Entry] = {entry.code: entry for entries in SECTIONS.values() for entry in entries}
