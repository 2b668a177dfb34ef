# What `run` does after set-up: build, demo, test, launch, eval, bench, bank, ledger. Sourced.

# The one build: people, tests and CI share its artefacts.
FEATURES="troupe_sim_bridge/ros,troupe_g1/ros,troupe_verifier/ros,troupe_orchestrator/ros,troupe_viewer/ros"
BIN="${CARGO_TARGET_DIR:-$TROUPE_ROOT/target}/debug"

# Sets up and enters the graph's environment.
enter() {
    command -v cargo >/dev/null || PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
    command -v cargo >/dev/null || die "cargo is missing: install Rust (https://rustup.rs), version $(minimum_rust) or newer"
    setup
    . "$TROUPE_DIR/env.sh"
}

minimum_rust() { sed -n 's/^rust-version = "\(.*\)"/\1/p' "$TROUPE_ROOT/Cargo.toml"; }

cargo_here() { cargo "$1" --manifest-path "$TROUPE_ROOT/Cargo.toml" --workspace --features "$FEATURES" "${@:2}"; }

build() {
    enter
    timed build cargo_here build "$@"
}

# A later name:=value wins over an earlier one.
demo() {
    build
    timed demo "$BIN/launcher" --raw orchestrator "$TROUPE_ROOT/launch/transport_sim.launch.xml" \
        mode:=lockstep world:=l1 seed:=0 provider:=builtin viewer_mode:=record \
        runs:="$TROUPE_ROOT/runs" run_id:="demo-$(date +%Y%m%d-%H%M%S)" "$@"
}

launch() {
    local file="${1:-}"
    [ -n "$file" ] || die "launch needs a file, for example: ./run launch transport_sim.launch.xml seed:=1"
    if [ ! -f "$file" ] && [ -f "$TROUPE_ROOT/launch/$file" ]; then file="$TROUPE_ROOT/launch/$file"; fi
    build
    exec "$BIN/launcher" "$file" "${@:2}"
}

# eval, bank and ledger are the local graph's, save `eval graph`.
local_graph() {
    build
    if [ "$1" = eval ] && [ "${2:-}" = graph ]; then timed "eval graph" eval_graph "${@:3}"; return; fi
    if [ "$1" = ledger ] || [ "$1" = bank ]; then exec "$BIN/local_graph" "$@"; fi
    timed "$1" "$BIN/local_graph" "$@"
}

# Wall-clock time of whole runs over ROS: one after another, for they share the cores. FIRST..LAST as in eval.
eval_graph() {
    local seeds="0..4" seed failed=0 stamp runs=() more=()
    while [ $# != 0 ]; do
        case "$1" in
            --seeds) seeds="${2:-}"; shift 2 || die "--seeds needs FIRST..LAST" ;;
            *:=*) more+=("$1"); shift ;;
            *) die "eval graph takes --seeds FIRST..LAST and NAME:=VALUE, not '$1'" ;;
        esac
    done
    [[ "$seeds" =~ ^[0-9]+(\.\.[0-9]+)?$ ]] || die "--seeds '$seeds' does not fit; allowed: a number, or FIRST..LAST"
    stamp="$(date +%Y%m%d-%H%M%S)"
    for seed in $(seq "${seeds%%.*}" "${seeds##*.}"); do
        runs+=("$TROUPE_ROOT/runs/graph-$stamp/$seed")
        # A run that does not reach its end is measured as well.
        "$BIN/launcher" --raw orchestrator "$TROUPE_ROOT/launch/transport_sim.launch.xml" \
            mode:=lockstep world:=l1 provider:=builtin viewer:=false "${more[@]}" seed:="$seed" \
            runs:="$TROUPE_ROOT/runs/graph-$stamp" run_id:="$seed" || failed=$((failed + 1))
    done
    [ "$failed" = 0 ] || say "$failed runs ended without an accepted endpoint"
    "$BIN/local_graph" ledger times "${runs[@]}"
}

# The reference for inference lies beside the environment; without it that one line is not measured.
bench() {
    local reference="$TROUPE_DIR/bench"
    build
    [ -d "$reference" ] || "$(troupe_python)" -m pip install --quiet --require-hashes --no-deps --target "$reference" \
        -r "$SETUP_DIR/bench.txt" || say "onnxruntime cannot be installed here: inference is not compared"
    PYTHONPATH="$reference:${PYTHONPATH:-}" timed bench "$(troupe_python)" "$SETUP_DIR/bench.py" \
        --root "$TROUPE_ROOT" --binaries "$BIN" "$@"
}

tests() {
    local rust=0 python=0 log
    build
    mkdir -p "$LOGS"
    log="$LOGS/test.log"
    if cargo nextest --version >/dev/null 2>&1; then
        timed "rust tests" nextest --no-fail-fast "$@" || rust=$?
    else
        timed "rust tests" rust_tests "$log" "$@" || rust=$?
    fi
    if compgen -G "$TROUPE_ROOT/tests/graph/*.py" >/dev/null && [ $# = 0 ]; then
        timed "python tests" python_tests || python=$?
    fi
    [ "$rust" = 0 ] && [ "$python" = 0 ] || die "tests failed (rust: exit code $rust, python: exit code $python)"
    say "all tests passed"
}

nextest() {
    cargo nextest run --manifest-path "$TROUPE_ROOT/Cargo.toml" --workspace --features "$FEATURES" "$@"
}

rust_tests() {
    local code=0
    cargo_here test --no-fail-fast "${@:2}" 2>&1 | tee "$1" || code=$?
    awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; suites++ }
        END { printf "rust tests: %d passed, %d failed, %d ignored in %d suites\n", passed, failed, ignored, suites }' "$1"
    return $code
}

python_tests() {
    "$(troupe_python)" -m unittest discover --start-directory "$TROUPE_ROOT/tests/graph" --pattern '*.py' --verbose
}
