# `./run doctor`: says what is wrong with this machine, this shell and the running graph. Sourced.
# One line a finding; exit code 1 when any of them is a FAIL.
DOCTOR_FAILS=0
GRAPH_READABLE=yes

good() { printf 'ok    %s\n' "$*"; }
note() { printf 'note  %s\n' "$*"; }
fail() {
    printf 'FAIL  %s\n' "$*"
    DOCTOR_FAILS=$((DOCTOR_FAILS + 1))
}

doctor() {
    local shell=no graph=()
    while [ $# -gt 0 ]; do
        case "$1" in
            --shell) shell=yes ;;
            --graph) graph=(--expected) ;;
            *) die "doctor knows --graph and --shell, not '$1'" ;;
        esac
        shift
    done
    check_ros "$shell"
    check_rmw
    check_domain
    check_libraries
    check_graph ${graph[@]+"${graph[@]}"}
    if [ "$DOCTOR_FAILS" != 0 ]; then
        printf '%d found\n' "$DOCTOR_FAILS"
        exit 1
    fi
    echo "nothing wrong found"
}

# Judges the shell as the caller has it, then enters the graph's environment unless asked not to.
check_ros() {
    local prefix sourced=no
    if [ -n "${AMENT_PREFIX_PATH:-}" ] && [ -z "${ROS_DISTRO:-}" ]; then
        fail "ROS: AMENT_PREFIX_PATH is set but ROS_DISTRO is not; source the setup file of one ROS 2 installation"
    elif [ -z "${AMENT_PREFIX_PATH:-}" ] && [ -n "${ROS_DISTRO:-}" ]; then
        fail "ROS: ROS_DISTRO is '$ROS_DISTRO' but AMENT_PREFIX_PATH is empty; source its setup file again"
    elif [ -n "${AMENT_PREFIX_PATH:-}" ]; then
        sourced=yes
        case "$ROS_DISTRO" in
            jazzy | humble) ;;
            *) fail "ROS: '$ROS_DISTRO' is sourced; troupe works with jazzy or humble" ;;
        esac
        while IFS= read -r prefix; do
            [ -d "$prefix" ] || fail "ROS: AMENT_PREFIX_PATH names $prefix, which does not exist"
        done < <(tr ':' '\n' <<<"$AMENT_PREFIX_PATH")
    fi
    if [ "$1" = yes ]; then
        [ "$sourced" = yes ] || fail "ROS: not sourced in this shell; run: eval \"\$(./run env)\""
    elif [ -f "$TROUPE_DIR/env.sh" ]; then
        [ "$sourced" = yes ] || note "ROS: not sourced in this shell; ./run brings its own, other tools need: eval \"\$(./run env)\""
    elif [ "$sourced" != yes ]; then
        fail "ROS: not sourced, and ./run setup has not been run"
    else
        fail "set-up: not run yet; run ./run setup"
    fi
    CALLER_RMW="${RMW_IMPLEMENTATION:-}"
    if [ "$1" != yes ] && [ -f "$TROUPE_DIR/env.sh" ]; then . "$TROUPE_DIR/env.sh"; fi
    # the RMW is judged on its own: a wrong one ends Python here
    if ! (unset RMW_IMPLEMENTATION && doctor_python -c 'import rclpy') 2>/dev/null; then
        fail "ROS: this environment's Python cannot import rclpy"
    elif ! (unset RMW_IMPLEMENTATION && doctor_python -c 'import troupe_msgs.msg, unitree_hg.msg, simulation_interfaces.srv') 2>/dev/null; then
        fail "ROS: the message packages are not in this environment; run ./run setup, then eval \"\$(./run env)\""
    else
        good "ROS: ${ROS_DISTRO:-unknown}, with the message packages"
    fi
}

# The Python of the environment that is judged.
doctor_python() { _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 "$(command -v python3 || echo python3)" "$@"; }

check_rmw() {
    local wanted="${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}" prefix available
    available="$(while IFS= read -r prefix; do
        ls "$prefix/share/ament_index/resource_index/rmw_typesupport" 2>/dev/null || true
    done < <(tr ':' '\n' <<<"${AMENT_PREFIX_PATH:-}") | grep -vx rmw_implementation | sort -u | paste -sd' ' - || true)"
    case " $available " in
        *" $wanted "*) good "RMW: $wanted${CALLER_RMW:+ (set by the caller)}" ;;
        *)
            GRAPH_READABLE=no
            fail "RMW: RMW_IMPLEMENTATION is '$wanted', which this ROS does not have; available: ${available:-none}"
            ;;
    esac
    case "${ROS_AUTOMATIC_DISCOVERY_RANGE:-SUBNET}" in
        OFF) fail "RMW: ROS_AUTOMATIC_DISCOVERY_RANGE is OFF, so no node finds another" ;;
        LOCALHOST) note "RMW: discovery reaches this machine only; robots need ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET" ;;
        SUBNET | SYSTEM_DEFAULT) ;;
        *) fail "RMW: ROS_AUTOMATIC_DISCOVERY_RANGE is '$ROS_AUTOMATIC_DISCOVERY_RANGE'; allowed: LOCALHOST, SUBNET, OFF, SYSTEM_DEFAULT" ;;
    esac
}

check_domain() {
    local domain="${ROS_DOMAIN_ID:-0}" process program name theirs rmw
    if ! [[ "$domain" =~ ^[0-9]{1,3}$ ]] || [ "$domain" -gt 232 ]; then
        GRAPH_READABLE=no
        fail "domain: ROS_DOMAIN_ID is '$domain'; allowed: 0 to 232, and 0 to 101 are free of port clashes"
        return
    fi
    good "domain: $domain"
    # troupe's own processes on this machine tell in which domain and over which RMW they talk
    TROUPE_PROCESSES=0
    for process in /proc/[0-9]*; do
        program="$(readlink "$process/exe" 2>/dev/null || true)"
        program="${program% (deleted)}" # rebuilt while it runs
        case "$program" in "$BIN"/* | */lib/troupe/*) ;; *) continue ;; esac
        name="${program##*/}"
        case "$name" in sim_bridge | g1 | verifier | orchestrator | viewer) ;; *) continue ;; esac
        [ -r "$process/environ" ] || continue
        TROUPE_PROCESSES=$((TROUPE_PROCESSES + 1))
        theirs="$(process_variable "$process" ROS_DOMAIN_ID)"
        rmw="$(process_variable "$process" RMW_IMPLEMENTATION)"
        [ "${theirs:-0}" = "$domain" ] || fail "domain: $name (process ${process#/proc/}) runs in domain ${theirs:-0}, this shell is in $domain"
        [ "${rmw:-rmw_fastrtps_cpp}" = "${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}" ] ||
            fail "RMW: $name (process ${process#/proc/}) uses $rmw, this shell ${RMW_IMPLEMENTATION:-rmw_fastrtps_cpp}"
    done
}

process_variable() { tr '\0' '\n' <"$1/environ" 2>/dev/null | sed -n "s/^$2=//p" | head -n 1; }

check_libraries() {
    local packages program missing found=0 before=$DOCTOR_FAILS
    packages="$(missing_packages 2>/dev/null | paste -sd' ' -)"
    [ -z "$packages" ] || fail "library: these Debian packages are missing: $packages"
    [ -e "${MUJOCO_DYNAMIC_LINK_DIR:-$TROUPE_DIR/mujoco/lib}/libmujoco.so" ] ||
        fail "library: libmujoco.so is not in ${MUJOCO_DYNAMIC_LINK_DIR:-$TROUPE_DIR/mujoco/lib}; run ./run setup"
    [ -f "${TROUPE_ASSETS:-$TROUPE_DIR/assets}/g1/fastsac_g1_29dof.onnx" ] ||
        fail "library: the G1 policy is not in ${TROUPE_ASSETS:-$TROUPE_DIR/assets}/g1; run ./run setup"
    for program in sim_bridge g1 verifier orchestrator viewer local_graph; do
        [ -x "$BIN/$program" ] || continue
        found=$((found + 1))
        missing="$(ldd "$BIN/$program" 2>/dev/null | sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p' | sort -u | paste -sd' ' -)"
        [ -z "$missing" ] || fail "library: $program does not find $missing on LD_LIBRARY_PATH"
    done
    if [ "$found" = 0 ]; then
        note "library: nothing is built yet; ./run build"
    elif [ "$DOCTOR_FAILS" = "$before" ]; then
        good "library: $found programs find theirs"
    fi
}

check_graph() {
    local expected=("$@") code=0
    [ "${TROUPE_PROCESSES:-0}" = 0 ] || expected=(--expected)
    if [ "$GRAPH_READABLE" = no ]; then
        note "graph: cannot be looked at before the findings above are put right"
        return
    fi
    doctor_python "$SETUP_DIR/doctor.py" ${expected[@]+"${expected[@]}"} || code=$?
    # the script's exit code is the number of its findings
    DOCTOR_FAILS=$((DOCTOR_FAILS + code))
}
