"""A real https server on loopback with a CA of its own, and the wire on which it stands for a public host."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import trustme

from policyc.hooks.runtime import Wire

HOST = "hooks.example.com"
PUBLIC = "93.184.215.14"
CLOSED = "93.184.215.15"


class Server:
    """``answers``: path -> function of the request's handler. ``requests``: (path, headers, body)."""

    def __init__(self):
        self.authority = trustme.CA()
        self.requests = []
        self.answers = {}
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                outer.requests.append((self.path, dict(self.headers.items()), body))
                outer.answers[self.path.partition("?")[0]](self)

            def log_message(self, *_args):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_args):
                pass  # clients that give up are what is tested

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(HOST, "*.example.com").configure_cert(context)
        self.http.socket = context.wrap_socket(
            self.http.socket, server_side=True, do_handshake_on_connect=False
        )
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self):
        self.released.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    def says(self, path, text, status=200, **headers):
        content = text.encode() if isinstance(text, str) else text

        def answer(handler):
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("content-length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)

        self.answers[path] = answer

    def context(self):
        """What trusts this server's CA, and nothing else."""
        return ssl.create_default_context(cadata=self.authority.cert_pem.bytes().decode())


class Rerouted(httpx.AsyncBaseTransport):
    """The real transport, with connections to public addresses led to the server on loopback."""

    def __init__(self, ports, context, connected):
        self.inner = httpx.AsyncHTTPTransport(verify=context, trust_env=False)
        self.ports = ports
        self.connected = connected

    async def handle_async_request(self, request):
        self.connected.append(request.url.host)
        request.url = request.url.copy_with(host="127.0.0.1", port=self.ports[request.url.host])
        return await self.inner.handle_async_request(request)

    async def aclose(self):
        await self.inner.aclose()


class PublicWire:
    """``wire`` resolves every name to ``addresses``; ``connected`` are the addresses it was sent to."""

    def __init__(self, server, addresses=(PUBLIC,), context=None):
        self.looked_up = []
        self.connected = []
        ports = {PUBLIC: server.port, CLOSED: 1}

        async def resolve(host, port):
            self.looked_up.append((host, port))
            return list(addresses)

        trusted = context or server.context()
        self.wire = Wire(resolve, lambda: Rerouted(ports, trusted, self.connected))
