#!/usr/bin/env bash
# Installs the policyc of this action in an environment of its own, and puts that one command on the path.
set -euo pipefail
home="$RUNNER_TEMP/policyc"
"$PYTHON" -m venv "$home/venv"
"$home/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint "$GITHUB_ACTION_PATH/constraints.txt" "$GITHUB_ACTION_PATH"
mkdir -p "$home/bin" "$home/artifacts"
ln -sf "$home/venv/bin/policyc" "$home/bin/policyc"
echo "$home/bin" >> "$GITHUB_PATH"
