"""A page in a real browser: Debian's Chromium, spoken to through a pipe (DevTools protocol).

With ``--remote-debugging-pipe`` the browser reads commands from descriptor 3 and writes answers to
descriptor 4, each a line of JSON that ends in a zero byte: no port, no driver, no other library.
"""

import json
import os
import select
import shutil
import subprocess
import time
from base64 import b64decode

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # root has none, and the page is our own
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds for any one answer


def find_chromium():
    """Return the path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chromium:
    """A browser with one page, and all that the page said and asked for."""

    def __init__(self, profile):
        self._number, self._rest = 0, b""
        self.messages, self.requests = [], []
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        run = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        shell = ["bash", "-c", run, find_chromium(), *FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [*shell, "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        """Send a command and return its result; note what else is told meanwhile."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            message = self._read()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def open(self, path, width=1200, height=900):
        """Open a file and wait until it is there."""
        self.resize(width, height)
        self._loaded = False
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while not self._loaded:
            self._note(self._read())

    def resize(self, width, height=900):
        """Make the page so wide; phones are narrow and touched."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def media(self, medium="", scheme="light"):
        """Emulate a medium and a preferred colour scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=medium, features=features)

    def value(self, expression):
        """Return what JavaScript finds on the page, or promises to find."""
        options = {"returnByValue": True, "awaitPromise": True}
        answer = self.ask("Runtime.evaluate", expression=expression, **options)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def point(self, x, y):
        """Move the pointer."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        """Move the pointer there, and press and release the main button."""
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def touch(self, *moves):
        """Put fingers down, move them and lift them; each move is a list of their places."""
        for number, places in enumerate(moves):
            points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
            kind = "touchMove" if number else "touchStart"
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key):
        """Press and release a key."""
        codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "Escape": 27}
        codes |= {"PageUp": 33, "PageDown": 34, "Enter": 13, "+": 187}
        texts = {"Enter": "\r", "+": "+"}
        for kind in ("keyDown" if key in texts else "rawKeyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes[key],
                **({"text": texts[key]} if kind == "keyDown" else {}),
            )

    def picture(self, path, part=None):
        """Save the page as seen: all of it, or a part (left, top, right, bottom)."""
        options = {"captureBeyondViewport": True, "format": "png"}
        if part is not None:
            left, top, right, bottom = part
            box = {"x": left, "y": top, "width": right - left, "height": bottom - top}
            options["clip"] = box | {"scale": 1}
        shot = self.ask("Page.captureScreenshot", **options)
        path.write_bytes(b64decode(shot["data"]))

    def printed(self):
        """Return the page as a PDF."""
        return b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        """End the browser that was started here."""
        self._session = None
        try:
            self.ask("Browser.close")
        except (OSError, EOFError):
            pass
        finally:
            self._process.wait(PATIENCE)
            os.close(self._in)
            os.close(self._out)

    def _read(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"Chromium said nothing for {PATIENCE} seconds")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise EOFError("Chromium has ended")
            self._rest += more
        line, self._rest = self._rest.split(b"\0", 1)
        return json.loads(line)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(str(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
