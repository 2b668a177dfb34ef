"""A graph for Python clients: started by the launcher in a domain of its own, gone with the test."""

import fcntl
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_S = 60.0


def _locked(name, wait):
    """An open, locked file; the same locks as in tests/src/domain.rs."""
    folder = pathlib.Path(tempfile.gettempdir()) / "troupe-tests"
    folder.mkdir(exist_ok=True)
    file = open(folder / name, "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        file.close()
        return None
    return file


class Team:
    """Bridge, two robots and verifier as processes, waiting for goals."""

    def __init__(self, *arguments):
        if not os.environ.get("TROUPE_ASSETS"):
            raise RuntimeError("TROUPE_ASSETS is not set: run the tests with ./run test, or eval \"$(./run env)\" before them")
        build = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
        launcher = build / "launcher"
        if not launcher.is_file():
            raise RuntimeError(f"{launcher} is missing: ./run build makes it")
        self._turn = _locked("graph", wait=True)
        for step in range(100):
            domain = 1 + (os.getpid() + step) % 100
            self._domain = _locked(f"domain-{domain}", wait=False)
            if self._domain:
                break
        else:
            raise RuntimeError("all domains from 1 to 100 are in use")
        # This process joins the same domain.
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self._folder = tempfile.TemporaryDirectory()
        self.lines = []
        self._changed = threading.Condition()
        fixed = ["orchestrator:=false", "viewer:=false", "cameras:=false", f"runs:={self._folder.name}"]
        self.process = subprocess.Popen(
            [launcher, ROOT / "launch" / "transport_sim.launch.xml", *fixed, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self._folder.name, text=True, start_new_session=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.wait_for("[sim_bridge", " ready", START_S)
        except Exception:
            self.close()
            raise

    def _read(self):
        for line in self.process.stdout:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()

    def wait_for(self, prefix, text, limit_s):
        """Waits for a line of one process."""
        found = lambda: [l for l in self.lines if l.startswith(prefix) and text in l]
        with self._changed:
            if not self._changed.wait_for(found, limit_s):
                raise TimeoutError(f"no `{text}` from {prefix} within {limit_s} s:\n" + "\n".join(self.lines[-40:]))

    def close(self):
        """Ctrl-C; kills what is left after the launcher's promise."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        took = time.monotonic() - begin
        self._reader.join(2.0)
        self.process.stdout.close()
        self._folder.cleanup()
        self._domain.close()
        self._turn.close()
        return took
