#!/usr/bin/env bash
# Runs a command whose output may hold what a pull request says: none of it is taken for a workflow command.
set -uo pipefail
token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
"$@" 2>&1
status=$?
echo
echo "::$token::"
exit "$status"
