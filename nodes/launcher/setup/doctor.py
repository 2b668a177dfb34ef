"""Looks at the running ROS graph: missing topics, several owners of a command, mismatched ends.

Prints one line a finding and exits with the number of failures. `--expected` makes an empty
graph a failure.
"""

import argparse
import sys
import time

MOST_FAILURES = 100  # an exit code holds no more than 255

# What every transport graph has, whoever provides it.
TEAM_TOPICS = {"/team/state": "sim_bridge, or an estimator on robots"}
ROBOT_TOPICS = {
    "lowstate": "sim_bridge, or the vendor's driver",
    "lowcmd": "the g1 node",
}
# Topics that every node has, this one too.
OWN_TOPICS = ("/rosout", "/parameter_events")
# Topics that may have one publisher only.
SINGLE_OWNER = ("lowcmd", "/clock", "/team/state")


class Findings:
    """Counts and prints."""

    def __init__(self):
        self.failures = 0

    def fail(self, text):
        self.failures += 1
        print(f"FAIL  {text}", flush=True)

    @staticmethod
    def good(text):
        print(f"ok    {text}", flush=True)

    @staticmethod
    def note(text):
        print(f"note  {text}", flush=True)


def owner(info):
    """Readable name of one end of a topic."""
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"


def settle(node, quiet_s, at_most_s):
    """Waits until discovery brings nothing new for a while; returns topics and their types.

    Whoever misses the first announcement is heard at the next one, three seconds later. As long as nobody
    else was found, the whole time is waited.
    """
    seen, quiet_since, start = None, time.monotonic(), time.monotonic()
    while True:
        now = time.monotonic()
        ends = {
            name: (tuple(types), node.count_publishers(name), node.count_subscribers(name))
            for name, types in node.get_topic_names_and_types()
        }
        if ends != seen:
            seen, quiet_since = ends, now
        alone = not any(name not in OWN_TOPICS for name in ends)
        quiet = now - quiet_since >= quiet_s
        if now - start >= at_most_s or (quiet and not alone):
            return {name: types for name, (types, _, _) in ends.items()}
        time.sleep(0.1)


def robots_of(node, topics):
    """Namespaces of robots, from the nodes and from the vendor's topics."""
    found = {space.strip("/") for name, space in node.get_node_names_and_namespaces() if name == "g1"}
    for name in topics:
        space, _, leaf = name.rpartition("/")
        if leaf in ROBOT_TOPICS:
            found.add(space.strip("/"))
    return sorted(robot for robot in found if robot)


def check_owners(node, topics, findings):
    """No two publishers where one must be in charge."""
    for name in sorted(topics):
        if not name.endswith(SINGLE_OWNER):
            continue
        owners = sorted(owner(info) for info in node.get_publishers_info_by_topic(name))
        if len(owners) > 1:
            findings.fail(f"topic: {name} has {len(owners)} publishers: {', '.join(owners)}; only one may command")


def check_ends(node, topics, findings):
    """Types and quality of service of both ends agree."""
    from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

    for name, types in sorted(topics.items()):
        if len(types) > 1:
            findings.fail(f"topic: {name} is used with several types: {', '.join(types)}")
        publishers = node.get_publishers_info_by_topic(name)
        for reader in node.get_subscriptions_info_by_topic(name):
            for writer in publishers:
                wanted, offered = reader.qos_profile, writer.qos_profile
                if (
                    wanted.reliability == ReliabilityPolicy.RELIABLE
                    and offered.reliability == ReliabilityPolicy.BEST_EFFORT
                ):
                    findings.fail(f"topic: {name}: {owner(reader)} wants reliable, {owner(writer)} sends best effort")
                if (
                    wanted.durability == DurabilityPolicy.TRANSIENT_LOCAL
                    and offered.durability == DurabilityPolicy.VOLATILE
                ):
                    findings.fail(f"topic: {name}: {owner(reader)} wants latched data, {owner(writer)} keeps none")


def check_present(node, topics, robots, findings):
    """Every topic that the graph lives on has a publisher."""
    wanted = dict(TEAM_TOPICS)
    if any(name == "sim_bridge" for name in node.get_node_names()):
        wanted["/clock"] = "sim_bridge"
    for robot in robots:
        wanted.update({f"/{robot}/{leaf}": source for leaf, source in ROBOT_TOPICS.items()})
    for name, source in wanted.items():
        if node.count_publishers(name) == 0:
            known = "has no publisher" if name in topics else "is missing"
            findings.fail(f"topic: {name} {known}; it comes from {source}")


def look(node, findings, expected):
    """All checks of one graph."""
    topics = settle(node, quiet_s=3.5, at_most_s=12.0)
    robots = robots_of(node, topics)
    alive = bool(robots) or any(name.startswith("/team/") for name in topics)
    if not alive:
        if expected:
            findings.fail("graph: no troupe node answers in this domain; a running one may use another domain or RMW")
            check_present(node, topics, robots, findings)
        else:
            findings.note("graph: no troupe node runs in this domain")
        return
    before = findings.failures
    check_present(node, topics, robots, findings)
    check_owners(node, topics, findings)
    check_ends(node, topics, findings)
    if not robots:
        findings.fail("graph: no robot: neither a g1 node nor a lowstate topic")
    if findings.failures == before:
        findings.good(f"graph: {len(topics)} topics, robots {', '.join(robots)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--expected", action="store_true", help="an empty graph is a failure")
    arguments = parser.parse_args()
    findings = Findings()
    try:
        import rclpy

        rclpy.init()
        node = rclpy.create_node("doctor")
    except Exception as error:  # every cause is a finding: import, RMW, domain, network
        line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        findings.fail(f"graph: ROS does not start here: {line}")
        return findings.failures
    try:
        look(node, findings, arguments.expected)
    finally:
        node.destroy_node()
        rclpy.shutdown()
    return min(findings.failures, MOST_FAILURES)


if __name__ == "__main__":
    sys.exit(main())
