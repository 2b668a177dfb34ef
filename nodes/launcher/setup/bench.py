"""`./run bench`: speed of physics, graph, policies and transport, measured in one go.

Everything that is compared is measured here, in one run, and printed as a ratio too.
"""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time
import uuid

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.action import ActionClient
from rclpy.qos import QoSProfile
from std_msgs.msg import UInt64
from troupe_msgs.action import ExecuteSkill, RunWindow
from troupe_msgs.msg import SkillCall
from troupe_msgs.srv import PlacePayload, ResetWorld, WorldCapabilities
from unique_identifier_msgs.msg import UUID

TICK_S = 0.02
TICKS = 2000
ROUND_TRIPS = 2000


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def wait(node, future, seconds, what):
    rclpy.spin_until_future_complete(node, future, timeout_sec=seconds)
    if not future.done():
        sys.exit(f"bench: {what} did not answer within {seconds} s")
    return future.result()


@contextlib.contextmanager
def processes(*commands):
    started = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) for c in commands]
    # Their output is not needed, but a full pipe would stop them.
    for process in started:
        subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                process.send_signal(signal.SIGINT)
        for process in started:
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def graph(root, binaries, world, viewer):
    """Real-time factor and tick latency of the lockstep graph; `viewer` is off, on or frozen."""
    runs = root / "runs" / "bench"
    command = [
        str(binaries / "launcher"), str(root / "launch/transport_sim.launch.xml"), "mode:=lockstep", f"world:={world}",
        "orchestrator:=false", "cameras:=false", f"viewer:={'false' if viewer == 'off' else 'true'}",
        f"runs:={runs}", f"run_id:=bench_{viewer}_{os.getpid()}",
    ]
    with processes(command):
        node = rclpy.create_node(f"bench_{viewer}")
        latest = {}
        node.create_subscription(DiagnosticArray, "/diagnostics", lambda m: latest.update(
            {value.key: value.value for s in m.status if "bridge" in s.name for value in s.values}), 10)
        reset = node.create_client(ResetWorld, "/world/reset")
        # As the orchestrator does: without feedback, which would wake this process every few ticks and weigh on
        # what is measured.
        window = node.create_client(RunWindow.Impl.SendGoalService, "/world/run_window/_action/send_goal")
        closed = node.create_client(RunWindow.Impl.GetResultService, "/world/run_window/_action/get_result")
        if not all(client.wait_for_service(30.0) for client in (reset, window, closed)):
            sys.exit("bench: the bridge did not come up within 30 s")
        epoch = wait(node, reset.call_async(ResetWorld.Request(seed=0)), 30, "world/reset").context_epoch
        if viewer == "frozen":
            for line in subprocess.run(["pgrep", "-f", f"{binaries}/viewer"], capture_output=True, text=True).stdout.split():
                os.kill(int(line), signal.SIGSTOP)

        def run(ticks, until_idle=False):
            goal_id = UUID(uuid=list(uuid.uuid4().bytes))
            goal = RunWindow.Goal(transaction_id="bench", max_ticks=ticks, until_idle=until_idle)
            wait(node, window.call_async(RunWindow.Impl.SendGoalService.Request(goal_id=goal_id, goal=goal)), 30, "run_window")
            start = time.perf_counter()
            result = wait(node, closed.call_async(RunWindow.Impl.GetResultService.Request(goal_id=goal_id)), 300, "run_window").result
            return ticks * TICK_S / (time.perf_counter() - start), result

        # As in the bare loop: both robots carry the payload.
        capabilities = node.create_client(WorldCapabilities, "/world/capabilities")
        place = node.create_client(PlacePayload, "/world/place_payload")
        capabilities.wait_for_service(30.0)
        place.wait_for_service(30.0)
        for robot in wait(node, capabilities.call_async(WorldCapabilities.Request()), 30, "world/capabilities").robots:
            skill = ActionClient(node, ExecuteSkill, f"/{robot}/skill")
            if not skill.wait_for_server(30.0):
                sys.exit(f"bench: {robot} did not come up within 30 s")
            goal = ExecuteSkill.Goal(call=SkillCall(skill="init_support"), transaction_id="bench", context_epoch=epoch, deadline_s=30.0)
            if not wait(node, skill.send_goal_async(goal), 30, f"{robot}/skill").accepted:
                sys.exit(f"bench: {robot} refused init_support")
        run(1500, until_idle=True)
        wait(node, place.call_async(PlacePayload.Request(payload="payload")), 30, "world/place_payload")
        run(200)
        factor, _ = run(TICKS)
        # One more report of the bridge, so that its percentiles are of these ticks.
        end = time.monotonic() + 3
        latest.clear()
        while time.monotonic() < end and not latest:
            rclpy.spin_once(node, timeout_sec=0.1)
        node.destroy_node()
        if viewer == "frozen":
            for line in subprocess.run(["pgrep", "-f", f"{binaries}/viewer"], capture_output=True, text=True).stdout.split():
                os.kill(int(line), signal.SIGCONT)
    latency = {key: latest[key] for key in latest if key.startswith("answer")}
    return {"real_time_factor": factor, "answer": latency}


def rclpy_pong():
    rclpy.init()
    node = rclpy.create_node("pong_py")
    publisher = node.create_publisher(UInt64, "/bench/pong", QoSProfile(depth=10))
    node.create_subscription(UInt64, "/bench/ping", publisher.publish, QoSProfile(depth=10))
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(node)


def rclpy_round_trip():
    node = rclpy.create_node("ping_py")
    got = []
    node.create_subscription(UInt64, "/bench/pong", lambda m: got.append(m.data), QoSProfile(depth=10))
    publisher = node.create_publisher(UInt64, "/bench/ping", QoSProfile(depth=10))
    times, number, deadline = [], 0, time.monotonic() + 60
    while len(times) < ROUND_TRIPS + 100 and time.monotonic() < deadline:
        number += 1
        sent = time.perf_counter()
        publisher.publish(UInt64(data=number))
        while time.perf_counter() - sent < 0.2:
            rclpy.spin_once(node, timeout_sec=0.02)
            if got and got[-1] == number:
                times.append(1e6 * (time.perf_counter() - sent))
                break
    node.destroy_node()
    return {"p50_us": statistics.median(times[100:]), "p99_us": percentile(times[100:], 0.99)}


def transport(binaries):
    with processes([str(binaries / "ping_pong"), "pong"]):
        p50, p99 = map(float, subprocess.check_output([str(binaries / "ping_pong"), "ping", str(ROUND_TRIPS)], text=True).split())
    with processes([sys.executable, __file__, "--pong"]):
        python = rclpy_round_trip()
    return {"r2r": {"p50_us": p50, "p99_us": p99}, "rclpy": python}


def onnxruntime_inference(assets):
    """Median and p99 of one inference with onnxruntime on one thread; nothing when it is not installed."""
    try:
        import numpy
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(assets / "g1/fastsac_g1_29dof.onnx"), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    times = []
    for i in range(2000):
        observation = numpy.full((1, 100), 0.001 * i, dtype=numpy.float32)
        start = time.perf_counter()
        session.run(None, {name: observation})
        times.append(1e6 * (time.perf_counter() - start))
    return {"p50_us": statistics.median(times), "p99_us": percentile(times, 0.99)}


def main():
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--world", default="l1", help="name of a file in config/worlds")
    parser.add_argument("--json", type=pathlib.Path, help="also write the measurements to this file")
    parser.add_argument("--root", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--binaries", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--pong", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pong:
        return rclpy_pong()
    root, binaries = arguments.root, arguments.binaries
    local = root / "runs" / "bench" / f"local_{os.getpid()}.json"
    local.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([str(binaries / "local_graph"), "--config", str(root / "config"), "bench", "--world", arguments.world, "--json", str(local)], check=True)
    measured = {"local": json.loads(local.read_text())}
    rclpy.init()
    measured["onnxruntime"] = onnxruntime_inference(pathlib.Path(os.environ["TROUPE_ASSETS"]))
    measured["transport"] = transport(binaries)
    measured["graph"] = {viewer: graph(root, binaries, arguments.world, viewer) for viewer in ("off", "on", "frozen")}
    rclpy.shutdown()
    bare = measured["local"]["bare_real_time_factor"]
    for viewer, got in measured["graph"].items():
        got["share_of_bare_loop"] = got["real_time_factor"] / bare
        print(f"lockstep graph carrying, viewer {viewer}: {got['real_time_factor']:.1f} x real time, {got['share_of_bare_loop']:.2f} of the bare loop; {got['answer']}")
    inference = measured["onnxruntime"]
    if inference:
        ratio = measured["local"]["inference_p50_us"] / inference["p50_us"]
        print(f"policy inference against onnxruntime: {ratio:.2f} of its median ({inference['p50_us']:.0f} us)")
    else:
        print("policy inference against onnxruntime: not measured, onnxruntime is not installed")
    r2r, python = measured["transport"]["r2r"], measured["transport"]["rclpy"]
    print(f"round trip between processes: r2r {r2r['p50_us']:.0f} us median, {r2r['p99_us']:.0f} us p99; rclpy {python['p50_us']:.0f} us median, {python['p99_us']:.0f} us p99")
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
