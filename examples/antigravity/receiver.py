"""A telemetry server: prints every event that is posted to it, one line each, and who sent it."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        sent = {
            "host": self.headers["host"],
            "path": self.path,
            "authorization": self.headers["authorization"],
        }
        print(json.dumps({**sent, "event": event}), flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_args):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8471), Receiver)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
