"""Problems of files and folders."""

from __future__ import annotations

from policyc.source.catalogue.entry import Entry, error, warning

_BUNDLE = "-- bundle.yaml --\nbundle: payments\n"
_POLICY = "-- policies/payments.yaml --\n- {priority: 9999, verdict: deny}\n"

ENTRIES: tuple[Entry, ...] = (
    error(
        "unreadable_file",
        "A file could not be read",
        "The file is there but reading it failed: no permission, a broken link, a device, or it went away "
        "meanwhile.",
        "# policies/payments.yaml -> a link to nothing",
        _BUNDLE + _POLICY,
    ),
    error(
        "file_too_large",
        "A file is too large",
        "A source file may have 8 MiB. Ten thousand rules have about three; split larger policies.",
        "# policies/payments.yaml with more than 8 MiB",
        _BUNDLE + _POLICY,
    ),
    error(
        "bundle_too_large",
        "The bundle is too large",
        "All source files of a bundle together may have 64 MiB, and there may be 10,000 of them.",
        "# policies/ with more than 64 MiB of files",
        _BUNDLE + _POLICY,
    ),
    error(
        "link_leaves_bundle",
        "A symbolic link leads out of the bundle",
        "What a bundle says must be in the bundle, or a review of it would not show what is built. Links "
        "inside the folder are followed.",
        "# policies/shared.yaml -> ../../elsewhere/shared.yaml",
        _BUNDLE + _POLICY,
    ),
    error(
        "bad_file_name",
        "A file name cannot be shown",
        "Names of source files appear in decisions, logs and the artifact, so they are UTF-8 without control "
        "characters.",
        "# policies/pay\\nments.yaml",
        _BUNDLE + _POLICY,
    ),
    error(
        "misplaced_file",
        "A YAML file where none is read",
        "Policy files belong into `policies/`. At the top of a bundle only `bundle.yaml` and `values.yaml` "
        "are read; another YAML file there would be a policy that silently does nothing.",
        _BUNDLE + _POLICY + "-- refunds.yaml --\n- {priority: 1, verdict: deny}\n",
        _BUNDLE
        + "default_policy: payments\n"
        + _POLICY
        + "-- policies/refunds.yaml --\n- {priority: 1, verdict: deny}\n",
    ),
    warning(
        "missing_bundle_file",
        "The folder has no bundle.yaml",
        "Without it the bundle is named after its folder, which differs between checkouts.",
        _POLICY,
        _BUNDLE + _POLICY,
    ),
    error(
        "no_policy",
        "There is no policy",
        "A bundle needs at least one policy file under `policies/` (`.yaml`, `.yml` or `.json`).",
        _BUNDLE,
        _BUNDLE + _POLICY,
    ),
)
