import json
import sys

data = json.load(sys.stdin)
with open("linted", "a", encoding="utf-8") as file:
    file.write(json.dumps(data) + "\n")
print("{}")
