"""A run over ROS that others take part in: recoveries that an operator asks for, and its experience."""

import json
import unittest

from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from troupe_msgs.action import Recover
from troupe_msgs.msg import CheckpointInfo, TeamState, Verdict
from troupe_msgs.srv import PromoteExperience, RetrieveExperience

from team import SOON_S, TeamCase

NOTES = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
RUN_S = 120.0


class Recoveries(TeamCase):
    arguments = ("mode:=lockstep", "orchestrator:=true", "method:=recovery", "run_id:=asked", "seed:=1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keep(TeamState, "/team/state")
        cls.keep(CheckpointInfo, "/team/checkpoint", NOTES)
        cls.recover = ActionClient(cls.node, Recover, "/team/recover")

    def send(self, kind, epoch, **options):
        self.assertTrue(self.recover.wait_for_server(SOON_S))
        return self.answer(self.recover.send_goal_async(Recover.Goal(kind=kind, context_epoch=epoch), **options), "answer to the goal")

    def result(self, handle):
        future = handle.get_result_async()
        self.until(future.done, "end of the recovery", RUN_S)
        return future.result().result

    def test_an_operator_asks_in_mid_run(self):
        # The third trusted checkpoint: the team is on its way.
        self.until(lambda: (c := self.seen.get("/team/checkpoint")) and c.created_by == "t002", "second accepted transaction", RUN_S)
        epoch = self.fresh_state().context_epoch
        self.assertFalse(self.send("fly", epoch).accepted)
        self.assertFalse(self.send("hold", epoch - 1).accepted, "of an epoch that is over")

        steps = []
        hold = self.send("", epoch)
        self.assertTrue(hold.accepted)
        hold = self.result(hold)
        self.assertEqual((hold.error_code, hold.kinds[0], hold.verdict.outcome), (Recover.Result.NONE, "hold", Verdict.ACCEPTED), hold.error_msg)

        relay = self.send("relay", self.fresh_state().context_epoch, feedback_callback=lambda f: steps.append(f.feedback.step))
        self.assertTrue(relay.accepted)
        relay = self.result(relay)
        self.assertEqual((relay.error_code, relay.kinds), (Recover.Result.NONE, ["relay"]), relay.error_msg)
        self.assertEqual(relay.operator_interventions, 1)
        self.assertNotEqual(relay.checkpoint_id, hold.checkpoint_id)
        self.until(lambda: Recover.Feedback.STEP_PLACE in steps, "feedback of all steps")
        self.assertIn(Recover.Feedback.STEP_HOIST, steps)

        self.experience()

        # Taken back in the middle: what was reached is judged, and the run gets on by itself.
        steps.clear()
        relay_again = self.send("relay", self.fresh_state().context_epoch, feedback_callback=lambda f: steps.append(f.feedback.step))
        self.assertTrue(relay_again.accepted)
        self.until(lambda: steps, "first step", RUN_S)
        self.answer(relay_again.cancel_goal_async(), "answer to the cancel")
        relay_again = self.result(relay_again)
        self.assertEqual(relay_again.error_code, Recover.Result.CANCELED, relay_again.error_msg)

        self.team.wait_for("[orchestrator", "files:", RUN_S)
        records = [json.loads(line) for line in (self.team.runs / "asked" / "ledger.jsonl").read_text().splitlines()]
        asked = [r["data"] for r in records if r["event"] == "recovery" and r["data"]["requested"]]
        self.assertEqual([(a["recovery_id"], a["next_checkpoint_id"]) for a in asked][:2],
                         [(r.recovery_id, r.checkpoint_id) for r in (hold, relay)])
        self.assertEqual(len(asked), 3)
        added = [r["data"]["id"] for r in records if r["event"] == "experience_added"]
        self.assertEqual(added, [self.added])
        self.assertEqual(records[-1]["data"]["label"], "S", records[-1]["data"]["reason"])

    def experience(self):
        """What the run has learnt so far can be looked up, and a person may add to it."""
        query = dict(store="exemplar", phase="straight", kind="coordinated_linear_transport", objective="advance_segment", mode="sync")
        found = self.call(RetrieveExperience, "/experience/retrieve", **query)
        self.assertEqual((found.error_msg, len(found.identity)), ("", 64))
        self.assertGreater(len(found.ids), 0)
        known = self.call(PromoteExperience, "/experience/promote", store="exemplar", record=found.records[0])
        self.assertTrue(known.ok and known.merged, known.error_msg)
        self.added = known.id
        bad = self.call(PromoteExperience, "/experience/promote", store="exemplar", record="{}")
        self.assertFalse(bad.ok)
        self.assertNotEqual(bad.error_msg, "")
        wrong = self.call(RetrieveExperience, "/experience/retrieve", store="dreams", phase="straight")
        self.assertIn("strategy, exemplar", wrong.error_msg)


if __name__ == "__main__":
    unittest.main()
