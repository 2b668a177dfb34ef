"""A graph for Python clients: started by the launcher in a domain of its own, gone with the test."""

import fcntl
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from unitree_api.msg import Request, Response

RELIABLE = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
SOON_S = 20.0
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
        for step in range(90):
            domain = 1 + (os.getpid() + step) % 90
            self._domain = _locked(f"domain-{domain}", wait=False)
            if self._domain:
                break
        else:
            raise RuntimeError("all domains from 1 to 90 are in use")
        # This process joins the same domain.
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self._folder = tempfile.TemporaryDirectory()
        self.lines = []
        self._ended = False
        self._changed = threading.Condition()
        self.runs = pathlib.Path(self._folder.name)
        fixed = ["orchestrator:=false", "viewer:=false", "cameras:=false", f"runs:={self._folder.name}"]
        named = {argument.split(":=")[0] for argument in arguments}
        fixed = [argument for argument in fixed if argument.split(":=")[0] not in named]
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
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait_for(self, prefix, text, limit_s):
        """Waits for a line of one process."""
        found = lambda: [l for l in self.lines if l.startswith(prefix) and text in l]
        with self._changed:
            self._changed.wait_for(lambda: self._ended or found(), limit_s)
            if not found():
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


class TeamCase(unittest.TestCase):
    """A test with a running team and a node of its own."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.team = Team(*cls.arguments)
        cls.addClassCleanup(cls.team.close)
        rclpy.init()
        cls.addClassCleanup(rclpy.shutdown)
        cls.node = rclpy.create_node("client")
        cls.addClassCleanup(cls.node.destroy_node)
        cls.seen = {}
        cls.clock_ns, cls.clock_fell = 0, False
        cls.replies = {}
        cls.requests = {}
        cls.node.create_subscription(Clock, "/clock", cls.note_clock, RELIABLE)
        for robot in ("g1_0", "g1_1"):
            cls.node.create_subscription(Response, f"/{robot}/api/sport/response", cls.note_reply, RELIABLE)
            cls.requests[robot] = cls.node.create_publisher(Request, f"/{robot}/api/sport/request", RELIABLE)

    @classmethod
    def note_clock(cls, message):
        now = message.clock.sec * 1_000_000_000 + message.clock.nanosec
        cls.clock_fell = cls.clock_fell or now < cls.clock_ns
        cls.clock_ns = now

    @classmethod
    def note_reply(cls, message):
        cls.replies[message.header.identity.id] = message

    @classmethod
    def keep(cls, kind, topic, quality=RELIABLE):
        cls.node.create_subscription(kind, topic, lambda message: cls.seen.__setitem__(topic, message), quality)

    def until(self, ready, what, limit_s=SOON_S):
        end = time.monotonic() + limit_s
        while not (value := ready()):
            self.assertLess(time.monotonic(), end, f"no {what} within {limit_s} s")
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return value

    def answer(self, future, what):
        self.until(future.done, what)
        return future.result()

    def call(self, kind, name, /, **fields):
        client = self.node.create_client(kind, name)
        self.assertTrue(client.wait_for_service(SOON_S), name)
        request = kind.Request()
        for key, value in fields.items():
            setattr(request, key, value)
        answer = self.answer(client.call_async(request), name)
        self.node.destroy_client(client)
        return answer

    def fresh_state(self):
        """A state that was sent after this call."""
        self.seen.pop("/team/state", None)
        return self.until(lambda: self.seen.get("/team/state"), "team/state")

    def ask(self, api_id, parameter, robot="g1_0"):
        """One request to a robot's high-level interface."""
        request = Request(parameter=parameter if isinstance(parameter, str) else json.dumps(parameter))
        request.header.identity.id = uuid.uuid4().int >> 66
        request.header.identity.api_id = api_id
        publisher = self.requests[robot]
        self.until(lambda: publisher.get_subscription_count() > 0, "reader of api/sport/request")
        self.until(lambda: self.node.count_publishers(f"/{robot}/api/sport/response") > 0, "writer of api/sport/response")
        publisher.publish(request)
        return self.until(lambda: self.replies.get(request.header.identity.id), f"answer to {api_id}")

    def tearDown(self):
        self.assertFalse(self.clock_fell, "/clock ran back")
