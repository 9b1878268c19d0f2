"""Serves a folder like a web host: compressed, and below a path that is not the root."""
import gzip
import http.server
import pathlib
import threading

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript",
         ".svg": "image/svg+xml", ".json": "application/json"}


def handler_class(root, base_path):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.split("?")[0].removeprefix(base_path)
            file = (root / path.lstrip("/")).resolve()
            if file.is_dir():
                file /= "index.html"
            if not self.path.startswith(base_path) or root not in file.parents or not file.is_file():
                self.send_error(404)
                return
            body = gzip.compress(file.read_bytes(), 6)
            self.send_response(200)
            self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


class CompressedSite:
    """Serves a folder at address + "/some/path" inside of `with CompressedSite(folder) as address`."""

    def __init__(self, folder, port=0):
        handler = handler_class(pathlib.Path(folder).resolve(), "/some/path")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
