#!/usr/bin/env bash
# Compares each bundle of HEAD with that of BASE: the comment, annotations, and the job's summary.
set -euo pipefail
here="$(dirname "$0")"
# shellcheck source=action/bundles.sh
. "$here/bundles.sh"

case "$BASE" in
    "" | -* | 0000000000000000000000000000000000000000)
        echo "::notice title=policyc diff::There is no revision to compare with."
        exit 0
        ;;
esac
# A shallow clone has only what it was asked for.
if ! git cat-file -e "$BASE^{commit}" 2> /dev/null && ! git fetch --quiet --no-tags --depth=1 origin "$BASE"; then
    echo "::error title=policyc diff::The revision to compare with cannot be had: check out with fetch-depth: 0."
    exit 2
fi
git cat-file -e "$BASE^{commit}" 2> /dev/null || BASE="$(git rev-parse FETCH_HEAD)"

options=()
set -f
for word in $FAIL_ON; do
    options+=(--fail-on "$word")
done
[ -z "$EVENTS" ] || options+=("--events=$EVENTS")

out="$RUNNER_TEMP/policyc/diff"
mkdir -p "$out"
comment="$out/comment.md"
: > "$comment"
failed_on=false
for bundle in "${bundles[@]}"; do
    status=0
    if ! git cat-file -e "$BASE:./$bundle" 2> /dev/null; then
        printf '### policyc diff: a new bundle\n' > "$out/part.md"
    else
        # Both are revisions: a file of the pull request that is named like one is not taken for it.
        policyc diff --format markdown ${options[@]+"${options[@]}"} "$BASE" HEAD -- "$bundle" \
            > "$out/part.md" || status=$?
        [ "$status" -le 1 ] || exit "$status"
        [ "$status" -eq 0 ] || failed_on=true
        policyc diff --format github "$BASE" HEAD -- "$bundle"
    fi
    # Its name stands in code, whatever it is.
    [ ${#bundles[@]} -eq 1 ] || printf '`%s`\n\n' "${bundle//\`/}" >> "$comment"
    cat "$out/part.md" >> "$comment"
    echo >> "$comment"
done
cat "$comment" >> "$GITHUB_STEP_SUMMARY"
{
    echo "comment=$comment"
    echo "failed-on=$failed_on"
} >> "$GITHUB_OUTPUT"
