# `./run setup`: every step in order, each skipped when its stamp is right. Sourced.

setup() {
    local mode=wheels everything
    machine_is_known
    if ros_is_sourced; then mode="sourced $(underlay)"; fi
    mkdir -p "$STAMPS"
    everything="$TROUPE_ROOT $mode $(digest $(setup_files))"
    # one set-up at a time; a second one waits and then finds nothing to do
    exec 9>"$TROUPE_DIR/lock"
    if ! flock -n 9; then
        say "setup: another one is running; waiting for it"
        flock 9
    fi
    if ! is_set_up "$everything"; then set_up_all "$everything" "$mode"; fi
    exec 9>&-
}

# What a finished set-up depends on, relative to the checkout.
setup_files() {
    interface_files
    (cd "$TROUPE_ROOT" && ls -d msgs/*/CMakeLists.txt msgs/*/package.xml $SETUP/{common,where,debian,ros,wheels,env,msgs,setup}.sh $SETUP/*.txt)
}

is_set_up() {
    [ -f "$STAMPS/all" ] && [ "$(cat "$STAMPS/all")" = "$1" ] && [ -x "$(troupe_python)" ] &&
        [ -f "$TROUPE_DIR/env.sh" ] && [ -e "$TROUPE_DIR/mujoco/lib/libmujoco.so" ] &&
        [ -f "$TROUPE_DIR/assets/g1/fastsac_g1_29dof.onnx" ] && [ -d "$MSGS_DIR/share/troupe_msgs" ]
}

set_up_all() {
    local started=$SECONDS pins package
    # a stamp is worth nothing when what it stands for was deleted
    [ -x "$(troupe_python)" ] || rm -f "$STAMPS"/{ros,python}
    [ -e "$TROUPE_DIR/mujoco/lib/libmujoco.so" ] || rm -f "$STAMPS/mujoco"
    [ -f "$TROUPE_DIR/assets/g1/fastsac_g1_29dof.onnx" ] || rm -f "$STAMPS/assets"
    for package in $MESSAGE_PACKAGES; do
        [ -f "$MSGS_DIR/share/$package/package.xml" ] || rm -f "$STAMPS/msgs-$package"
    done
    rm -f "$STAMPS/all"
    [ -z "$(missing_packages)" ] || rm -f "$STAMPS/debian"
    step debian "$(digest $SETUP/debian.sh)" install_packages
    if [ "$2" = wheels ]; then
        step ros "$TROUPE_ROOT $(digest $SETUP/ros.{sh,txt})" install_ros
    else
        step python "$2" install_python
    fi
    pins="$(digest $SETUP/wheels.{sh,txt})"
    step mujoco "$pins" install_mujoco
    step assets "$pins" install_assets
    rm -rf "$TROUPE_DIR/cache" "$TROUPE_DIR/tmp"
    step env "$1" write_env
    install_messages
    printf '%s\n' "$1" >"$STAMPS/all.new"
    mv "$STAMPS/all.new" "$STAMPS/all"
    say "setup: complete, $((SECONDS - started)) s"
}
