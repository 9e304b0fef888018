"""Headless Chromium on pages served from memory: what it measures, and what it complains of."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")

_FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-quic", "--hide-scrollbars", "--enable-logging=stderr", "--log-level=0"),
    "--virtual-time-budget=20000",
]

#: Shows a page at several widths, measures each, and leaves the measures in the document.
_FRAMES = """<!DOCTYPE html><html lang="en"><head><title>frames</title>
<link rel="icon" href="data:,"></head><body><pre id="measures"></pre>
<script>
const measures = {}, widths = WIDTHS;
let left = widths.length;
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    const drawings = [...page.querySelectorAll("svg.drawing")].map(d => {
      const box = d.getBoundingClientRect();
      return {name: d.dataset.figure, width: box.width, height: box.height,
              marks: d.querySelectorAll("path, use, text").length};
    });
    const wide = [...page.querySelectorAll("body *")].filter(e => {
      const box = e.getBoundingClientRect();
      return box.right > width + 0.5 && !e.closest(".scroll") && !e.closest("svg");
    }).map(e => e.tagName + "." + e.className);
    measures[width] = {scroll: root.scrollWidth, inner: frame.contentWindow.innerWidth,
                       drawings, wide, text: page.body.innerText.length,
                       ink: getComputedStyle(page.body).color,
                       paper: getComputedStyle(page.body).backgroundColor};
    left -= 1;
    if (!left) document.getElementById("measures").textContent = JSON.stringify(measures);
  };
  frame.src = "/page.html";
  document.body.appendChild(frame);
}
</script></body></html>
"""


@contextmanager
def served(page: str, widths: list[int]) -> Iterator[str]:
    """Serve a page and its frames on this machine."""
    contents = {"/page.html": page, "/": _FRAMES.replace("WIDTHS", json.dumps(widths))}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = contents.get(self.path)
            self.send_response(200 if content else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((content or "").encode())

        def log_message(self, *arguments: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def measured(
    page: str, profile: Path, *, widths: list[int], dark: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Open a page at several widths; return its measures and what the console said."""
    theme = [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    with served(page, widths) as address:
        done = subprocess.run(
            [str(CHROMIUM), *_FLAGS, *theme, f"--user-data-dir={profile}", "--dump-dom", address],
            capture_output=True, text=True, check=True, timeout=180,
        )  # fmt: skip
    found = re.search(r'<pre id="measures">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert found, done.stdout[-2000:]
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(unescape(found.group(1))), said
