"""`./run doctor` names what is wrong in an environment that is broken on purpose."""

import contextlib
import os
import pathlib
import subprocess
import unittest

import rclpy
from rclpy.context import Context
from rclpy.qos import QoSProfile
from unitree_hg.msg import LowCmd

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOMAIN = 97
PATIENCE_S = 60


def doctor(*arguments, without=(), **changed):
    """Exit code and text of the doctor in a changed environment."""
    environment = {k: v for k, v in os.environ.items() if k not in without} | {"ROS_DOMAIN_ID": str(DOMAIN)} | changed
    done = subprocess.run([str(ROOT / "run"), "doctor", *arguments], env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout + done.stderr


class Shell(unittest.TestCase):
    def expect(self, outcome, *parts):
        code, text = outcome
        self.assertNotEqual(code, 0, text)
        for part in parts:
            self.assertTrue(any(line.startswith("FAIL") and part in line for line in text.splitlines()), f"no finding names {part!r}:\n{text}")

    def test_wrong_rmw(self):
        self.expect(doctor("--shell", RMW_IMPLEMENTATION="rmw_absent_cpp"), "rmw_absent_cpp")

    def test_wrong_domain(self):
        self.expect(doctor("--shell", ROS_DOMAIN_ID="999"), "999")

    def test_unsourced_ros(self):
        self.expect(doctor("--shell", without=("AMENT_PREFIX_PATH", "ROS_DISTRO")), "ROS")

    def test_missing_library(self):
        self.expect(doctor("--shell", without=("LD_LIBRARY_PATH",)), "library")


class Graph(unittest.TestCase):
    def test_two_command_publishers_and_a_missing_topic(self):
        with contextlib.ExitStack() as stack:
            for name in ("one", "other"):
                context = Context()
                rclpy.init(context=context, domain_id=DOMAIN)
                stack.callback(rclpy.shutdown, context=context)
                node = rclpy.create_node(name, context=context)
                stack.callback(node.destroy_node)
                node.create_publisher(LowCmd, "/g1_0/lowcmd", QoSProfile(depth=1))
            code, text = doctor("--graph")
        self.assertNotEqual(code, 0, text)
        self.assertIn("/g1_0/lowcmd", text)
        self.assertIn("/team/state", text)


if __name__ == "__main__":
    unittest.main()
