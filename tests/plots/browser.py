# SPDX-License-Identifier: MIT
"""For tests of the page: Debian's headless Chromium, spoken to through its debugging pipe. Nothing
leaves the machine: every host name is made not to resolve."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

COMMAND = """exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
--no-first-run --disable-extensions --disable-background-networking --disable-component-update \
--host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$1" --remote-debugging-pipe \
about:blank 3<&"$2" 4>&"$3" >/dev/null 2>&1"""


def is_there():
    return shutil.which("chromium") is not None


class Browser:
    def __init__(self, profile):
        theirs_in, self.to = os.pipe()
        self.out, theirs_out = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", COMMAND, "sh", profile, str(theirs_in), str(theirs_out)],
            stdin=subprocess.DEVNULL, pass_fds=(theirs_in, theirs_out))
        os.close(theirs_in)
        os.close(theirs_out)
        self.left, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]

    def close(self):
        os.close(self.to)  # the browser ends with its pipe
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.left:
            if not select.select([self.out], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            got = os.read(self.out, 1 << 20)
            if not got:
                raise EOFError("Chromium is gone")
            self.left += got
        text, _, self.left = self.left.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message(120)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event, seconds=120):
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self.message(seconds))

    def settle(self):
        """Takes what still comes in a moment."""
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            try:
                self.events.append(self.message(end - time.monotonic()))
            except TimeoutError:
                return

    def value(self, expression):
        its = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                        awaitPromise=True)
        if "exceptionDetails" in its:
            raise RuntimeError(f"{expression}: {its['exceptionDetails']}")
        return its["result"].get("value")

    def screenshot(self, path, whole=True):
        its = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(its["data"]))
