# Builds the message packages that the environment lacks into .troupe/msgs. Sourced.
MESSAGE_PACKAGES="tf2_msgs unitree_hg unitree_api simulation_interfaces troupe_msgs"

# build_package NAME: plain CMake, as colcon would do it.
build_package() {
    local build="$TROUPE_DIR/build/$1"
    with_env cmake -S "$TROUPE_ROOT/msgs/$1" -B "$build" -DCMAKE_INSTALL_PREFIX="$MSGS_DIR" \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DPython3_EXECUTABLE="$(troupe_python)" &&
        with_env cmake --build "$build" --parallel "$(nproc)" &&
        with_env cmake --install "$build"
}

install_messages() {
    local package
    step underlay "$(underlay)" forget_messages
    for package in $MESSAGE_PACKAGES; do
        if has_package "$package"; then continue; fi
        eval "build_$package() { build_package $package; }"
        step "msgs-$package" "$(digest "msgs/$package")" "build_$package"
    done
}

# What was built on another underlay does not fit this one.
forget_messages() { rm -rf "$MSGS_DIR" "$TROUPE_DIR/build" "$STAMPS"/msgs-*; }

# with_env COMMAND...: runs a command in the graph's environment.
with_env() { (. "$TROUPE_DIR/env.sh" && "$@"); }
