"""``python -m policyc``."""

from policyc.cli import main

main(prog_name="policyc")
