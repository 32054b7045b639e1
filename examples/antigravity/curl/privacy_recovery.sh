#!/bin/sh
# Private records are denied; the next turn, in the same environment, takes the public table.
# On standard input: what `policyc hooks sources` wrote.
set -eu
. "$(dirname "$0")/interactions.sh"

# turn INPUT ENVIRONMENT [MORE]
turn() {
  printf '{"agent": "%s", "input": [{"type": "text", "text": "%s"}], "environment": ' "$AGENT" "$1"
  if [ "$2" = - ]; then cat; else printf '"%s"' "$2"; fi
  printf '%s}' "${3:-}"
}

first=$(turn 'Use your filesystem tool to read `/workspace/private/employees.json` and summarize the employee details.' - | post)
printf '%s' "$first" | output_text

environment=$(printf '%s' "$first" | read_json 'd["environment_id"]')
previous=$(printf '%s' "$first" | read_json 'd["id"]')
turn 'Understood. Please read the approved `/workspace/public/summary.json` file instead and provide the summary.' \
  "$environment" ", \"previous_interaction_id\": \"$previous\"" | post | output_text
