"""Problems between policies, and of the bundle as a whole."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error

_RULE = "rules: [{priority: 1, verdict: deny}]\n"
_BUNDLE = "-- bundle.yaml --\nbundle: x\ndefault_policy: a\n"

ENTRIES: tuple[Entry, ...] = (
    error(
        "duplicate_policy",
        "Two policies with the same name",
        "A policy is named by its key `policy`, or by its file's stem, and the name is unique in a bundle.",
        f"{_BUNDLE}-- policies/a.yaml --\n{_RULE}-- policies/b.yaml --\npolicy: a\n{_RULE}",
        f"{_BUNDLE}-- policies/a.yaml --\n{_RULE}-- policies/b.yaml --\n{_RULE}",
    ),
    error(
        "unknown_policy",
        "A policy that does not exist",
        "`include` and `extends` name a policy of the bundle, a preset that ships (its default policy), or "
        "`preset.policy`, another policy of that preset; `default_policy` and `bindings` name a policy "
        "of the bundle.",
        f"{_BUNDLE}-- policies/a.yaml --\ninclude: [shared_rules]\n-- policies/shared_rule.yaml --\n{_RULE}",
        f"{_BUNDLE}-- policies/a.yaml --\ninclude: [shared_rule]\n-- policies/shared_rule.yaml --\n{_RULE}",
    ),
    error(
        "include_cycle",
        "Policies that include each other",
        "Following `include` (and `extends`) leads back to the policy it started from. Move what they "
        "share into a policy of its own.",
        f"{_BUNDLE}-- policies/a.yaml --\ninclude: [b]\n-- policies/b.yaml --\ninclude: [a]\n",
        f"{_BUNDLE}-- policies/a.yaml --\ninclude: [b]\n-- policies/b.yaml --\n{_RULE}",
    ),
    error(
        "extends_cycle",
        "Policies that extend each other",
        "Following `extends` leads back to the policy it started from, so there is no base to take "
        "`default_verdict` from.",
        f"{_BUNDLE}-- policies/a.yaml --\nextends: b\n-- policies/b.yaml --\nextends: a\n",
        f"{_BUNDLE}-- policies/a.yaml --\nextends: b\n-- policies/b.yaml --\n{_RULE}",
    ),
    error(
        "missing_default_policy",
        "Several policies and no default",
        "With several policies `bundle.yaml` says which one governs an agent that no binding names.",
        f"-- bundle.yaml --\nbundle: x\n-- policies/a.yaml --\n{_RULE}-- policies/b.yaml --\n{_RULE}",
        f"{_BUNDLE}-- policies/a.yaml --\n{_RULE}-- policies/b.yaml --\n{_RULE}",
    ),
    error(
        "too_many_rules",
        "Too many rules",
        "With the rules that policies take over from each other, a bundle may have 1,000,000.",
        "# policies with more than 1,000,000 rules together",
        f"{_BUNDLE}-- policies/a.yaml --\n{_RULE}",
    ),
)
