"""The stand-in as the upstream of a load: the same turn for every request, in a process of its own.

python -m policyc.bench.upstream --bundle IGNORED --port PORT --tool NAME --arguments JSON
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque

from policyc.stand_in.app import StandIn
from policyc.stand_in.script import ToolCall, turn
from policyc.stand_in.serving import serving

TEXT = "I look that up before I answer, and then tell you what I found. " * 3
_PIECES = 20


def main() -> None:
    """Serves until the process is ended."""
    parser = argparse.ArgumentParser()
    for option in ("--bundle", "--port", "--tool", "--arguments"):
        parser.add_argument(option)
    options = parser.parse_args()
    said = turn(TEXT, ToolCall(options.tool, options.arguments, pieces=_PIECES))
    app = StandIn(lambda _received: said)
    app.received = deque(maxlen=1)
    with serving(app) as url:
        # What the bench waits for, as a policy server says it.
        print(f"serving upstream revision none on {url}", file=sys.stderr, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
