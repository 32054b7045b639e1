# The Interactions API with curl: GEMINI_API_KEY, and GEMINI_BASE_URL for another server. Sourced by the others.

AGENT=antigravity-preview-05-2026
BASE=${GEMINI_BASE_URL:-https://generativelanguage.googleapis.com}

# Posts the document on standard input. The key goes to curl as a file, not as an argument that `ps` shows.
post() {
  curl --silent --show-error --fail-with-body --no-buffer "$BASE/v1beta/interactions" \
    -H "Content-Type: application/json" -H "Api-Revision: 2026-05-20" \
    -H @/dev/fd/3 --data-binary @- 3<<KEY
x-goog-api-key: $GEMINI_API_KEY
KEY
}

# read_json EXPRESSION: a value of the document `d` on standard input.
read_json() {
  python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"
}

# What the model said in the interaction on standard input.
output_text() {
  read_json '"".join(p.get("text", "") for s in d["steps"] if s["type"] == "model_output" for p in s["content"])'
}
