"""Checkpoints over ROS: a state that was stored in mid-stride replays to the bit, and time goes on."""

import random
import unittest

from rclpy.action import ActionClient
from rclpy.serialization import serialize_message
from troupe_msgs.action import ExecuteSkill, RunWindow
from troupe_msgs.msg import SkillCall, TeamState
from troupe_msgs.srv import ResetWorld, RestoreCheckpoint, SaveCheckpoint

from team import RELIABLE, SOON_S, TeamCase

REPLAYED = 150
WALK = {"velocity": [0.25, 0.0, 0.1], "duration": 5.0}


class Replay(TeamCase):
    arguments = ("mode:=lockstep",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.states = {}
        cls.node.create_subscription(TeamState, "/team/state", lambda s: cls.states.__setitem__(s.tick, s), RELIABLE)
        cls.window = ActionClient(cls.node, RunWindow, "/world/run_window")
        cls.skill = ActionClient(cls.node, ExecuteSkill, "/g1_1/skill")

    def run_window(self, ticks):
        """Lets exactly so many ticks pass; returns their states."""
        self.assertTrue(self.window.wait_for_server(SOON_S))
        handle = self.answer(self.window.send_goal_async(RunWindow.Goal(max_ticks=ticks)), "answer to the window")
        self.assertTrue(handle.accepted)
        result = self.answer(handle.get_result_async(), "end of the window").result
        self.assertEqual((result.reason, result.closed_tick - result.start_tick), (RunWindow.Result.LIMIT, ticks), result.error_msg)
        wanted = range(result.start_tick + 1, result.closed_tick + 1)
        self.until(lambda: all(tick in self.states for tick in wanted), "all states")
        return [self.states[tick] for tick in wanted]

    @staticmethod
    def timeless(state):
        """All bits of a state but the counters that never go back."""
        state.tick = state.context_epoch = 0
        for message in [state, *state.robots, *state.payloads]:
            message.header.stamp.sec = message.header.stamp.nanosec = 0
        for robot in state.robots:
            robot.controller_epoch = 0
        return bytes(serialize_message(state))

    def test_a_state_in_mid_stride_replays_to_the_bit(self):
        seed = random.SystemRandom().randrange(1000)
        with self.subTest(seed=seed):
            self.replay(seed)

    def replay(self, seed):
        self.assertTrue(self.call(ResetWorld, "/world/reset", seed=seed).ok)
        for robot in ("g1_0", "g1_1"):
            self.assertEqual(self.ask(7105, WALK, robot).header.status.code, 0)
        stride = self.run_window(random.Random(seed).randrange(20, 80))
        for robot in stride[-1].robots:
            self.assertGreater(abs(robot.twist.linear.x), 0.05, "not in mid-stride")
        saved = self.call(SaveCheckpoint, "/checkpoint/save", id="here")
        self.assertTrue(saved.ok, saved.error_msg)
        first = self.run_window(REPLAYED)
        clock = self.clock_ns
        restored = self.call(RestoreCheckpoint, "/checkpoint/restore", id="here", resume=True)
        self.assertTrue(restored.ok, restored.error_msg)
        self.assertEqual((restored.max_error, restored.context_epoch), (0.0, saved.info.context_epoch + 1))
        second = self.run_window(REPLAYED)
        self.assertGreater(self.clock_ns, clock)
        self.assertGreater(second[0].tick, first[-1].tick)

        # Both robots acknowledged, and say so in what everybody reads.
        epochs = [r.controller_epoch for r in second[-1].robots]
        self.assertEqual(epochs, list(restored.controller_epochs))
        self.assertTrue(all(a > b.controller_epoch for a, b in zip(epochs, first[-1].robots)))
        for index, (a, b) in enumerate(zip(first, second)):
            self.assertEqual(self.timeless(a), self.timeless(b), f"tick {index} after the restore differs")

        # A goal of the old epoch is stale, one of the new epoch is not.
        self.ask(7105, {"velocity": [0.0, 0.0, 0.0], "duration": 1.0}, "g1_1")
        hold = SkillCall(skill="hold", names=["duration_s"], values=[0.5])
        for epoch, accepted, code in [
            (saved.info.context_epoch, False, ExecuteSkill.Result.STALE),
            (restored.context_epoch, True, ExecuteSkill.Result.NONE),
        ]:
            goal = ExecuteSkill.Goal(call=hold, transaction_id="t", context_epoch=epoch, deadline_s=10.0)
            handle = self.answer(self.skill.send_goal_async(goal), "answer to the goal")
            self.assertEqual(handle.accepted, accepted)
            result = handle.get_result_async()
            if accepted:
                self.run_window(300)
            self.assertEqual(self.answer(result, "result").result.error_code, code)

    def test_a_new_episode_forgets_checkpoints(self):
        self.assertTrue(self.call(SaveCheckpoint, "/checkpoint/save", id="gone").ok)
        twice = self.call(SaveCheckpoint, "/checkpoint/save", id="gone")
        self.assertFalse(twice.ok)
        self.assertIn("gone", twice.error_msg)
        self.assertTrue(self.call(ResetWorld, "/world/reset", seed=1).ok)
        unknown = self.call(RestoreCheckpoint, "/checkpoint/restore", id="gone")
        self.assertFalse(unknown.ok)
        self.assertIn("gone", unknown.error_msg)


if __name__ == "__main__":
    unittest.main()
