#!/usr/bin/env bash
# Runs a command of policyc on each bundle, all of them also where one fails.
set -uo pipefail
here="$(dirname "$0")"
# shellcheck source=action/bundles.sh
. "$here/bundles.sh"
failed=0
for bundle in "${bundles[@]}"; do
    case " $* " in
        # Annotations are what is wanted of these.
        *" github "*) policyc "$@" -- "$bundle" || failed=1 ;;
        *) "$here/unheard.sh" policyc "$@" -- "$bundle" || failed=1 ;;
    esac
done
exit "$failed"
