import json
import sys

data = json.load(sys.stdin)
path = str(data.get("tool_call", {}).get("args", {}).get("path", ""))
if "/private/" in path:
    reason = (
        "Access to confidential `/private/` records is blocked by PII compliance policy. "
        "Query approved `/public/` summary tables instead."
    )
    print(json.dumps({"decision": "deny", "reason": reason}))
else:
    print(json.dumps({"decision": "allow"}))
