# Writes .troupe/env.sh: everything a process needs to build against or join the graph. Sourced.
IDL_PACKAGES="troupe_msgs unitree_hg unitree_api simulation_interfaces tf2_msgs std_msgs geometry_msgs sensor_msgs diagnostic_msgs std_srvs builtin_interfaces rosgraph_msgs action_msgs unique_identifier_msgs rcl_interfaces service_msgs type_description_interfaces"

# The definitions of our message packages, relative to the checkout.
interface_files() { (cd "$TROUPE_ROOT" && printf '%s\n' msgs/*/{msg,srv,action}/*.{msg,srv,action} | grep -vF '*'); }

# Prints the exports. Plain sh; sourcing it twice changes nothing more.
print_env() {
    local python site folder
    python="$(troupe_python)"
    site="lib/python$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    cat <<'PREPEND'
# Written by `./run setup`. For any POSIX shell.
_troupe_prepend() {
    eval "_troupe_value=\${$1-}"
    case ":$_troupe_value:" in
        *":$2:"*) ;;
        *) eval "export $1=\"\$2\${_troupe_value:+:\$_troupe_value}\"" ;;
    esac
}
PREPEND
    if ! ros_is_sourced; then
        echo "export ROS_DISTRO=jazzy ROS_VERSION=2 ROS_PYTHON_VERSION=3 _ROS_WHEELS_BOOTSTRAP_COMPLETE=1"
        echo "export RMW_IMPLEMENTATION=\"\${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}\""
        echo "# this machine only, unless the caller says otherwise"
        echo "export ROS_AUTOMATIC_DISCOVERY_RANGE=\"\${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}\""
        for folder in "$ROS_DIR/$site"/site-packages/ros_*.libs "$ROS_DIR/lib"; do
            echo "_troupe_prepend LD_LIBRARY_PATH '$folder'"
        done
        echo "_troupe_prepend AMENT_PREFIX_PATH '$ROS_DIR'"
        echo "_troupe_prepend CMAKE_PREFIX_PATH '$ROS_DIR'"
    fi
    echo "_troupe_prepend LD_LIBRARY_PATH '$TROUPE_DIR/mujoco/lib'"
    echo "_troupe_prepend LD_LIBRARY_PATH '$MSGS_DIR/lib'"
    echo "_troupe_prepend AMENT_PREFIX_PATH '$MSGS_DIR'"
    echo "_troupe_prepend CMAKE_PREFIX_PATH '$MSGS_DIR'"
    echo "_troupe_prepend PYTHONPATH '$MSGS_DIR/$site/site-packages'"
    echo "_troupe_prepend PATH '$(dirname "$python")'"
    echo "export MUJOCO_DYNAMIC_LINK_DIR='$TROUPE_DIR/mujoco/lib'"
    echo "export TROUPE_ASSETS='$TROUPE_DIR/assets'"
    # the last entry names no package: it changes with the messages, so that generated Rust code follows them
    echo "export IDL_PACKAGE_FILTER='$(tr ' ' ';' <<<"$IDL_PACKAGES");messages_$(digest $(interface_files))'"
    echo "unset -f _troupe_prepend; unset _troupe_value"
}

write_env() {
    print_env >"$TROUPE_DIR/env.sh.new" && mv "$TROUPE_DIR/env.sh.new" "$TROUPE_DIR/env.sh"
}
