"""A client that knows nothing but rclpy and the message packages: what any ROS user can do with the team."""

import json
import unittest
import uuid

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import (
    GetEntities, GetEntityState, GetSimulationState, GetSimulatorFeatures, ResetSimulation, SetSimulationState, StepSimulation,
)
from std_msgs.msg import String
from troupe_msgs.action import ExecuteSkill
from troupe_msgs.msg import SkillCall, TeamState
from unique_identifier_msgs.msg import UUID
from unitree_hg.msg import LowState

from team import SOON_S, TeamCase

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Client(TeamCase):
    arguments = ("mode:=realtime",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.epoch = 0
        cls.keep(TeamState, "/team/state")
        cls.keep(LowState, "/g1_0/lowstate")
        cls.skill = ActionClient(cls.node, ExecuteSkill, "/g1_0/skill")
        cls.cancel_skill = cls.node.create_client(CancelGoal, "/g1_0/skill/_action/cancel_goal")

    def setUp(self):
        # Every test begins with standing robots and passing time.
        self.play()
        self.assertEqual(self.call(ResetSimulation, "reset_simulation", scope=ResetSimulation.Request.SCOPE_DEFAULT).result.result, Result.RESULT_OK)
        # The answer may overtake the first state of the new epoch.
        new = lambda: (s := self.seen.get("/team/state")) and s.context_epoch > type(self).epoch and s
        type(self).epoch = self.until(new, "the new epoch").context_epoch

    def call(self, kind, name, /, **fields):
        return super().call(kind, f"/sim_bridge/{name}", **fields)

    def state(self):
        return self.call(GetSimulationState, "get_simulation_state").state.state

    def set_state(self, state):
        return self.call(SetSimulationState, "set_simulation_state", state=SimulationState(state=state)).result.result

    def play(self):
        if self.state() != SimulationState.STATE_PLAYING:
            self.assertEqual(self.set_state(SimulationState.STATE_PLAYING), Result.RESULT_OK)

    def goal(self, **changes):
        call = SkillCall(skill="walk", direction="forward", names=["distance_m", "speed_mps"], values=[0.4, 0.2])
        goal = ExecuteSkill.Goal(call=call, transaction_id="client", deadline_s=20.0)
        goal.context_epoch = self.fresh_state().context_epoch
        for key, value in changes.items():
            setattr(goal, key, value)
        return goal

    def send(self, goal, **options):
        self.assertTrue(self.skill.wait_for_server(SOON_S))
        return self.answer(self.skill.send_goal_async(goal, **options), "answer to the goal")

    def result(self, handle):
        return self.answer(handle.get_result_async(), "result")

    def cancel(self, goal_id):
        self.assertTrue(self.cancel_skill.wait_for_service(SOON_S))
        request = CancelGoal.Request(goal_info=GoalInfo(goal_id=goal_id))
        return self.answer(self.cancel_skill.call_async(request), "answer to the cancel")

    def test_nodes_and_topics_are_found(self):
        wanted = {"/g1_0/g1", "/g1_1/g1", "/sim_bridge", "/team/verifier"}

        def found():
            names = {f"{space.rstrip('/')}/{name}" for name, space in self.node.get_node_names_and_namespaces()}
            return wanted <= names

        self.until(found, "node names")
        topics = dict(self.node.get_topic_names_and_types())
        self.assertEqual(topics["/team/state"], ["troupe_msgs/msg/TeamState"])
        self.assertEqual(topics["/g1_1/lowcmd"], ["unitree_hg/msg/LowCmd"])
        for robot in ("g1_0", "g1_1"):
            owners = self.node.get_publishers_info_by_topic(f"/{robot}/lowcmd")
            self.assertEqual([o.node_namespace for o in owners], [f"/{robot}"])

    def test_states_are_read(self):
        state = self.fresh_state()
        self.assertEqual([r.robot for r in state.robots], ["g1_0", "g1_1"])
        self.assertEqual((state.header.frame_id, state.payloads[0].name), ("world", "payload"))
        self.assertGreater(state.robots[0].base.position.z, 0.6)
        low = self.until(lambda: self.seen.get("/g1_0/lowstate"), "lowstate")
        self.assertEqual((len(low.motor_state), low.mode_machine), (35, 5))

    def test_a_late_joiner_gets_what_is_latched(self):
        self.keep(String, "/g1_1/robot_description", LATCHED)
        text = self.until(lambda: self.seen.get("/g1_1/robot_description"), "robot_description").data
        self.assertIn("left_knee_joint", text)
        self.keep(JointState, "/g1_1/joint_states")
        self.assertEqual(len(self.until(lambda: self.seen.get("/g1_1/joint_states"), "joint_states").name), 29)

    def test_a_goal_succeeds_with_feedback(self):
        feedback = []
        handle = self.send(self.goal(), feedback_callback=lambda m: feedback.append(m.feedback))
        self.assertTrue(handle.accepted)
        done = self.result(handle)
        self.assertEqual((done.status, done.result.error_code), (GoalStatus.STATUS_SUCCEEDED, 0), done.result.error_msg)
        self.assertAlmostEqual(done.result.displacement.x, 0.4, delta=0.1)
        self.assertTrue(done.result.settled)
        self.assertTrue(any(f.stage == ExecuteSkill.Feedback.STAGE_MOVING for f in feedback))
        progress = [f.progress for f in feedback]
        self.assertEqual(progress, sorted(progress))

    def test_a_cancel_stops_and_a_second_one_is_harmless(self):
        moving = []
        handle = self.send(self.goal(), feedback_callback=lambda m: moving.append(m.feedback.travelled > 0.05))
        self.until(lambda: any(moving), "motion")
        result = handle.get_result_async()
        first, second = handle.cancel_goal_async(), handle.cancel_goal_async()
        self.assertEqual(len(self.answer(first, "first cancel").goals_canceling), 1)
        self.answer(second, "second cancel")
        done = self.answer(result, "result")
        self.assertEqual((done.status, done.result.error_code), (GoalStatus.STATUS_CANCELED, ExecuteSkill.Result.CANCELED))
        self.assertLess(done.result.displacement.x, 0.35)
        late = self.cancel(handle.goal_id)
        self.assertEqual(late.return_code, CancelGoal.Response.ERROR_GOAL_TERMINATED)
        # The robot is free for the next goal.
        self.assertEqual(self.result(self.send(self.goal())).result.error_code, 0)

    def test_a_cancel_that_comes_before_its_goal_wins(self):
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        self.assertEqual(self.cancel(goal_id).return_code, CancelGoal.Response.ERROR_NONE)
        before = self.fresh_state().robots[0].base.position.x
        handle = self.send(self.goal(), goal_uuid=goal_id)
        done = self.result(handle)
        self.assertEqual((done.status, done.result.error_code), (GoalStatus.STATUS_CANCELED, ExecuteSkill.Result.CANCELED))
        self.assertAlmostEqual(self.fresh_state().robots[0].base.position.x, before, delta=0.05)

    def test_bad_goals_are_refused_with_their_code(self):
        walk = lambda distance: SkillCall(skill="walk", direction="forward", names=["distance_m", "speed_mps"], values=[distance, 0.2])
        cases = [
            ({"call": walk(9.0)}, ExecuteSkill.Result.OUT_OF_BOUNDS),
            ({"call": walk(float("nan"))}, ExecuteSkill.Result.OUT_OF_BOUNDS),
            ({"deadline_s": float("nan")}, ExecuteSkill.Result.OUT_OF_BOUNDS),
            ({"call": SkillCall(skill="fly")}, ExecuteSkill.Result.INVALID_SKILL),
            ({"context_epoch": 0}, ExecuteSkill.Result.STALE),
            ({"call": SkillCall(skill="release")}, ExecuteSkill.Result.WRONG_PHASE),
        ]
        for changes, code in cases:
            with self.subTest(str(changes)):
                handle = self.send(self.goal(**changes))
                self.assertFalse(handle.accepted)
                self.assertEqual(self.result(handle).result.error_code, code)

    def test_the_vendors_api_walks_a_robot(self):
        self.assertEqual(json.loads(self.ask(7001, "").data), {"data": 500})
        before = self.fresh_state().robots[0].base.position.x
        answer = self.ask(7105, {"velocity": [0.3, 0.0, 0.0], "duration": 3.0})
        self.assertEqual(answer.header.status.code, 0, answer.data)
        self.until(lambda: self.seen["/team/state"].robots[0].base.position.x > before + 0.3, "motion")
        other = self.seen["/team/state"].robots[1].base.position.x
        self.assertLess(abs(other), 0.15)

    def test_unknown_and_wrong_requests_of_the_vendors_api(self):
        for api_id, parameter, code in [
            (4242, "{}", 3203),
            (7105, {"velocity": [9.0, 0.0, 0.0], "duration": 1.0}, 3204),
            (7105, "not JSON", 3204),
            (7101, {"data": 3}, 7302),
            (7102, {"data": 1}, 0),
            (7102, {"data": 0}, 0),
        ]:
            with self.subTest(api_id=api_id, parameter=parameter):
                self.assertEqual(self.ask(api_id, parameter).header.status.code, code)

    def test_pause_step_and_play(self):
        self.assertEqual(self.set_state(SimulationState.STATE_PAUSED), Result.RESULT_OK)
        self.assertEqual(self.state(), SimulationState.STATE_PAUSED)
        self.assertEqual(self.set_state(SimulationState.STATE_PAUSED), SetSimulationState.Response.ALREADY_IN_TARGET_STATE)
        # Whatever was under way when time stopped has arrived once an answer has.
        self.call(GetSimulationState, "get_simulation_state")
        tick = self.seen["/team/state"].tick
        self.assertEqual(self.call(StepSimulation, "step_simulation", steps=7).result.result, Result.RESULT_OK)
        self.until(lambda: self.seen["/team/state"].tick >= tick + 7, "seven ticks")
        self.assertEqual(self.seen["/team/state"].tick, tick + 7)
        clock = self.clock_ns
        self.assertEqual(clock, (tick + 7) * 20_000_000)
        self.assertEqual(self.call(StepSimulation, "step_simulation", steps=0).result.result, Result.RESULT_OPERATION_FAILED)
        self.assertEqual(self.seen["/team/state"].tick, tick + 7)
        self.play()
        self.until(lambda: self.seen["/team/state"].tick > tick + 20, "passing time")
        self.assertEqual(self.call(StepSimulation, "step_simulation", steps=1).result.result, Result.RESULT_INCORRECT_STATE)

    def test_a_reset_stands_the_robots_up_and_time_goes_on(self):
        before = self.fresh_state()
        self.ask(7105, {"velocity": [0.3, 0.0, 0.0], "duration": 2.0})
        self.until(lambda: self.seen["/team/state"].robots[0].base.position.x > 0.15, "motion")
        clock = self.clock_ns
        self.assertEqual(self.call(ResetSimulation, "reset_simulation").result.result, Result.RESULT_OK)
        after = self.until(lambda: (s := self.seen["/team/state"]).context_epoch > before.context_epoch and s, "the new epoch")
        self.assertLess(abs(after.robots[0].base.position.x), 0.1)
        self.assertGreater(after.tick, before.tick)
        self.until(lambda: self.clock_ns > clock, "a later clock")
        unsupported = self.call(ResetSimulation, "reset_simulation", scope=ResetSimulation.Request.SCOPE_TIME)
        self.assertEqual(unsupported.result.result, Result.RESULT_FEATURE_UNSUPPORTED)

    def test_entities_and_features(self):
        features = self.call(GetSimulatorFeatures, "get_simulator_features").features.features
        self.assertEqual(len(features), 10)
        names = self.call(GetEntities, "get_entities").entities
        self.assertEqual(set(names), {"g1_0", "g1_1", "payload"})
        state = self.call(GetEntityState, "get_entity_state", entity="payload").state
        self.assertEqual(state.header.frame_id, "world")
        unknown = self.call(GetEntityState, "get_entity_state", entity="nothing").result
        self.assertEqual(unknown.result, Result.RESULT_NOT_FOUND)
        self.assertIn("payload", unknown.error_message)

    def tearDown(self):
        # A test may have reset the world itself.
        type(self).epoch = self.fresh_state().context_epoch
        super().tearDown()


if __name__ == "__main__":
    unittest.main()
