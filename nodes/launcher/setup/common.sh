# Paths, messages and stamped steps shared by every part of `run`. Sourced; needs TROUPE_ROOT.
SETUP=nodes/launcher/setup
SETUP_DIR="$TROUPE_ROOT/$SETUP"
TROUPE_DIR="$TROUPE_ROOT/.troupe"
ROS_DIR="$TROUPE_DIR/ros"
MSGS_DIR="$TROUPE_DIR/msgs"
STAMPS="$TROUPE_DIR/stamps"
LOGS="$TROUPE_DIR/logs"

say() { printf '%s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# digest PATH...: one hash over names and contents of files, and of the files in folders, below TROUPE_ROOT.
digest() {
    (cd "$TROUPE_ROOT" && find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
}

# step NAME KEY FUNCTION: runs FUNCTION unless an earlier run with the same KEY finished.
# The stamp is written last and by rename, so an interrupted step runs again.
step() {
    local name="$1" key="$2" function="$3" started=$SECONDS
    if [ -f "$STAMPS/$name" ] && [ "$(cat "$STAMPS/$name")" = "$key" ]; then return 0; fi
    mkdir -p "$STAMPS" "$LOGS"
    rm -f "$STAMPS/$name"
    say "setup: $name ..."
    if ! ("$function") >"$LOGS/$name.log" 2>&1; then
        tail -n 20 "$LOGS/$name.log" >&2
        die "setup step '$name' failed; the whole output is in .troupe/logs/$name.log"
    fi
    printf '%s\n' "$key" >"$STAMPS/$name.new"
    mv "$STAMPS/$name.new" "$STAMPS/$name"
    say "setup: $name done in $((SECONDS - started)) s"
}

# put NEW OLD: moves a finished folder into place; leaves an equal one alone, so that
# nothing that was built against it looks out of date.
put() {
    mkdir -p "$(dirname "$2")"
    if [ -d "$2" ] && diff -rq "$1" "$2" >/dev/null 2>&1; then rm -rf "$1"; return 0; fi
    rm -rf "$2"
    mv "$1" "$2"
}

# timed NAME COMMAND...: runs a command and prints its wall time; keeps its exit code.
timed() {
    local name="$1" started=$SECONDS code=0
    shift
    "$@" || code=$?
    say "$name: $((SECONDS - started)) s wall time, exit code $code"
    return $code
}
