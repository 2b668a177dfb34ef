# System packages: finds what is missing, installs it as root, else names it. Sourced.

# Prints the Debian packages that this machine lacks.
missing_packages() {
    local python include
    python="$(base_python)"
    include="$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')"
    command -v g++ >/dev/null && command -v make >/dev/null || echo build-essential
    command -v cmake >/dev/null || echo cmake
    command -v clang >/dev/null || echo clang
    command -v git >/dev/null || echo git
    compgen -G "/usr/lib/llvm-*/lib/libclang*.so" >/dev/null || [ -n "${LIBCLANG_PATH:-}" ] || echo libclang-dev
    [ -f "$include/Python.h" ] || echo python3-dev
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    library libEGL.so.1 || echo libegl1
    compgen -G "/usr/lib/*/dri/swrast_dri.so" >/dev/null || echo libgl1-mesa-dri
}

# library NAME: whether the dynamic linker knows it.
library() { /sbin/ldconfig -p 2>/dev/null | grep -F "$1 " >/dev/null; }

install_packages() {
    local packages
    packages="$(missing_packages)"
    [ -n "$packages" ] || return 0
    # shellcheck disable=SC2086 # a list of names
    set -- $packages
    echo "missing: $*"
    if ! command -v apt-get >/dev/null; then
        echo "This machine has no apt-get. Install what corresponds to these Debian packages: $*"
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        echo "Not root. Ask for: apt-get install --no-install-recommends $*"
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"
}
