#!/bin/sh
# Every file that the agent touches is reported to a telemetry server, while the turn is streamed here.
# On standard input: what `policyc hooks sources` wrote.
set -eu
. "$(dirname "$0")/interactions.sh"

{
  printf '{"agent": "%s", "stream": true, "input": [{"type": "text", "text": "%s"}], "environment": ' "$AGENT" \
    "Use your filesystem tool to create \`/workspace/audit.log\` containing 'event 1', then immediately read it back using your filesystem read tool."
  cat
  printf '}'
} | post
