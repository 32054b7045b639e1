"""What a shell command line does, without running it: ``shell_facts`` and the clause operator ``shell``."""

from policyc.engine.shell.clause import KEYS, check, compile, matches
from policyc.engine.shell.derive import shell_facts
from policyc.engine.shell.facts import Facts, SimpleCommand

__all__ = ["KEYS", "Facts", "SimpleCommand", "check", "compile", "matches", "shell_facts"]
