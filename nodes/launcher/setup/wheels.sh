# MuJoCo's library and headers, the robots' policies and meshes, out of pinned wheels. Sourced.

# unpack PATTERN FOLDER: fetches all pinned wheels once and unpacks the one that matches.
unpack() {
    local cache="$TROUPE_DIR/cache"
    mkdir -p "$cache"
    _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 "$(troupe_python)" -m pip download --disable-pip-version-check \
        --require-hashes --no-deps --only-binary=:all: --implementation cp --python-version 3.11 \
        --platform manylinux_2_28_x86_64 --dest "$cache" -r "$SETUP_DIR/wheels.txt" || return 1
    rm -rf "$2"
    mkdir -p "$2"
    "$(troupe_python)" -m zipfile -e "$cache"/$1 "$2"
}

install_mujoco() {
    local raw="$TROUPE_DIR/tmp/mujoco" new="$TROUPE_DIR/tmp/mujoco.new"
    unpack 'mujoco-*.whl' "$raw" || return 1
    rm -rf "$new"
    mkdir -p "$new/lib" "$new/include" || return 1
    mv "$raw"/mujoco/libmujoco.so.* "$new/lib/" || return 1
    ln -s "$(basename "$new"/lib/libmujoco.so.*)" "$new/lib/libmujoco.so" || return 1
    mv "$raw/mujoco/include/mujoco" "$new/include/" || return 1
    rm -rf "$raw"
    put "$new" "$TROUPE_DIR/mujoco"
}

install_assets() {
    local raw="$TROUPE_DIR/tmp/assets" new="$TROUPE_DIR/tmp/g1.new" mesh
    rm -rf "$new"
    mkdir -p "$new/meshes"
    unpack 'holosoma_inference-*.whl' "$raw" || return 1
    mv "$raw"/holosoma_inference/models/loco/g1_29dof/{fastsac,ppo}_g1_29dof.onnx "$new/" || return 1
    unpack 'holosoma-*.whl' "$raw" || return 1
    while IFS= read -r mesh; do
        mv "$(find "$raw/holosoma/data/robots/g1" -iname "$mesh" | head -n 1)" "$new/meshes/" || return 1
    done < <(grep -oiE 'file="[^"]*\.stl"' "$raw/holosoma/data/robots/g1/g1_29dof.xml" | sed -E 's#file="([^"]*/)?##; s#"$##' | sort -u)
    rm -rf "$raw"
    put "$new" "$TROUPE_DIR/assets/g1"
}
