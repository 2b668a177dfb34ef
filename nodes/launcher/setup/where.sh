# Decides which ROS 2 and which Python are used. Sourced after common.sh.

# True when the user sourced a ROS 2 of their own: that one is used and nothing is installed beside it.
ros_is_sourced() {
    [ -n "${ROS_DISTRO:-}" ] && [ -n "${AMENT_PREFIX_PATH:-}" ] || return 1
    case ":$AMENT_PREFIX_PATH:" in *":$ROS_DIR:"*) return 1 ;; esac
    case "$ROS_DISTRO" in jazzy | humble) return 0 ;; esac
    die "ROS 2 '$ROS_DISTRO' is sourced; troupe works with jazzy or humble. Source one of these, or none."
}

# The prefixes below ours, which may hold message packages already. An installed troupe is ours too.
underlay() {
    local prefix kept=""
    if ros_is_sourced; then
        while IFS= read -r prefix; do
            [ "$prefix" != "$MSGS_DIR" ] && [ ! -f "$prefix/share/troupe/package.xml" ] || continue
            kept="$kept${kept:+:}$prefix"
        done < <(tr ':' '\n' <<<"$AMENT_PREFIX_PATH")
        printf '%s' "$kept"
    else
        printf '%s' "$ROS_DIR"
    fi
}

# has_package NAME: whether a prefix below ours holds an ament package.
has_package() {
    local prefix
    while IFS= read -r prefix; do
        if [ -f "$prefix/share/$1/package.xml" ]; then return 0; fi
    done < <(underlay | tr ':' '\n')
    return 1
}

# The Python that sees rclpy and the message packages.
troupe_python() {
    if ros_is_sourced; then printf '%s' "$TROUPE_DIR/python/bin/python3"; else printf '%s' "$ROS_DIR/bin/python3"; fi
}

# The Python of the machine, from which the environment under .troupe is made.
base_python() {
    local candidate
    if ros_is_sourced; then command -v python3 || die "python3 is missing"; return; fi
    for candidate in python3.11 python3 /usr/bin/python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    die "the ROS 2 Jazzy wheels need Python 3.11 and none is on PATH. Install it, or source an installed ROS 2 Jazzy or Humble."
}

machine_is_known() {
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || ros_is_sourced ||
        die "$(uname -s) on $(uname -m): the pinned packages are for Linux on x86_64 only. Source an installed ROS 2 and see README.md."
}
