#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the C library into an empty folder, as a package would be made of it, and uses it as a stranger does: through
# pkg-config, the examples compiled against the shared and the static library, and talked to over TCP and UDP. So are
# the examples with the mechanisms that are emulated here, under the sanitizers. The headers go through each C and C++.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/../../.."

dir=$(mktemp -d "${TMPDIR:-/tmp}/pollux-installed.XXXXXX")
trap 'rm -rf "$dir"' EXIT
staged=$dir/staged prefix=/opt/pollux
lib=$staged$prefix/lib
version=$(sed -n '/<version>/{s/.*<version>\(.*\)<.*/\1/p;q;}' pom.xml)
interface=${version%%.*}
copy="$dir/a program/src/main/native" copy_version=7.8.9-SNAPSHOT
strict=(-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror)
passed=0 failed=0

# check <sentence> <command...>
check() {
    local sentence=$1 status=0
    shift
    # Not under "if" or "||": there, bash would ignore the errors inside.
    set +e
    (set -e; "$@")
    status=$?
    set -e
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        echo "ok: $sentence"
    else
        failed=$((failed + 1))
        echo "WRONG: $sentence"
    fi
}

# install_to <source tree> <folder>: with no JDK to be found.
install_to() {
    make --no-print-directory -C "$1/src/main/native" install PREFIX=$prefix DESTDIR="$2" JAVA_HOME=/nonexistent
}

# The staged library's pkg-config file, and nobody else's.
packaged() {
    PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$staged pkg-config "$@" pollux
}

files_are_those_of_a_library() {
    diff - <(cd "$staged" && find . ! -type d -printf '%P %m %l\n' | sed 's/ $//' | LC_ALL=C sort) <<END
opt/pollux/include/pollux/arena.h 644
opt/pollux/include/pollux/pollux.h 644
opt/pollux/lib/libpollux.a 644
opt/pollux/lib/libpollux.so 777 libpollux.so.$interface
opt/pollux/lib/libpollux.so.$interface 777 libpollux.so.$version
opt/pollux/lib/libpollux.so.$version 755
opt/pollux/lib/pkgconfig/pollux.pc 644
END
}

name_is_that_of_the_interface() {
    readelf -d "$lib/libpollux.so" | grep -F "Library soname: [libpollux.so.$interface]"
}

exports_are_those_of_the_headers() {
    diff <(cat "$staged$prefix"/include/pollux/*.h | grep -oE '^PLX_API .*\(' | grep -oE 'plx_[a-z_]+\($' |
        tr -d '(' | sort) \
        <(nm -D --defined-only "$lib/libpollux.so" | awk '{ print $3 }' | sort)
}

static_names_are_ours() {
    ! nm -g --defined-only "$lib/libpollux.a" | grep -E ' [A-Z] ' | grep -v ' plx_'
}

package_tells_version_and_threads() {
    [ "$(packaged --modversion)" = "$version" ]
    [[ $(packaged --libs --static) == *-lpollux*-pthread* ]]
}

elsewhere_it_is_the_same() {
    mkdir "$dir/tree" "$dir/tree/src" "$dir/tree/src/main"
    cp pom.xml "$dir/tree"
    cp -r src/main/native "$dir/tree/src/main"
    install_to "$dir/tree" "$dir/again"
    diff -r "$staged" "$dir/again"
}

# said <sentence> <command...>: the command fails, and says that.
said() {
    if "${@:2}" >"$dir/output" 2>&1; then
        return 1
    fi
    grep -F "$1" "$dir/output"
}

# The library's folder is copied to where it lies here, but in another project.
a_copy_needs_a_version() {
    mkdir -p "$(dirname "$copy")"
    cp -r src/main/native "$copy"
    sed 's/>pollux</>program</' pom.xml >"$dir/a program/pom.xml"
    said 'no version: the folder was copied out of the project; give VERSION=1.2.3' make -C "$copy" install
}

a_copy_is_installed_from_itself() {
    touch "$dir/before"
    make --no-print-directory -C "$copy" install VERSION=$copy_version PREFIX=$prefix DESTDIR="$dir/copied"
    [ -d "$copy/build" ]
    [ -z "$(find "$dir/a program" -newer "$dir/before" ! -path "$copy*")" ]
}

# versions_agree <folder> <version>: of what is staged there. Header and library have no qualifier.
versions_agree() {
    local kind
    staged=$1 lib=$1$prefix/lib
    [ "$(packaged --modversion)" = "$2" ]
    [ -f "$lib/libpollux.so.$2" ]
    for kind in shared static; do
        compiled $kind "$dir/versions-$kind" "$dir/versions.c"
        [ "$(running $kind "$dir/versions-$kind")" = "header ${2%%-*}, library ${2%%-*}" ]
    done
}

other_folders_are_named() {
    make --no-print-directory -C src/main/native install PREFIX=/usr LIBDIR=/usr/lib/abi \
        INCLUDEDIR=/usr/include/pollux-0 DESTDIR="$dir/other"
    [ -f "$dir/other/usr/include/pollux-0/pollux/pollux.h" ]
    PKG_CONFIG_LIBDIR=$dir/other/usr/lib/abi/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
        pkg-config --cflags --libs pollux >"$dir/flags"
    diff "$dir/flags" - <<<'-I/usr/include/pollux-0 -L/usr/lib/abi -lpollux '
}

# compiled <shared|static> <program> <source> [<flag>...]: as the examples' heads have it.
compiled() {
    local flags
    if [ "$1" = shared ]; then
        read -ra flags < <(packaged --cflags --libs)
    else
        read -ra flags < <(packaged --static --cflags --libs)
        flags+=(-static)
    fi
    ${CC:-cc} "${strict[@]}" "${@:4}" "$3" "${flags[@]}" -o "$2"
}

# running <shared|static> <program...>: in place of this shell. The shared one is found where it is staged; the static
# one must not need that.
running() {
    if [ "$1" = shared ]; then
        export LD_LIBRARY_PATH=$lib
    fi
    exec "${@:2}"
}

answers() {
    (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# serve <echo|batches> <shared|static|emulated> <mechanism>: starts that example on a free port: $server, $port. Not in
# a subshell.
serve() {
    local log=$dir/server.log
    for _ in {1..50}; do
        port=$((20000 + RANDOM))
        ! answers $port || continue
        running "$2" "$dir/$1-$2" $port "$3" 2>"$log" &
        server=$!
        while kill -0 $server 2>/dev/null; do
            ! answers $port || return 0
            sleep 0.01
        done
        grep -F 'Address already in use' "$log" || break
    done
    cat "$log"
    return 1
}

# Whether a process comes to rest: a fifth of a second without processor time, in words 14 and 15 of proc(5).
rests() {
    local before
    for _ in {1..100}; do
        before=$(cut -d ' ' -f 14,15 "/proc/$1/stat")
        sleep 0.2
        [ "$before" != "$(cut -d ' ' -f 14,15 "/proc/$1/stat")" ] || return 0
    done
    return 1
}

# bytes_come_back <echo|batches> <shared|static|emulated> <mechanism>
bytes_come_back() {
    local slow quick writer
    server=
    trap '[ -z "$server" ] || kill -KILL $server' EXIT
    serve "$@"
    # One that sends more than sockets hold (net.ipv4.tcp_rmem, tcp_wmem) and reads nothing, until another one has been
    # served.
    exec {slow}<>"/dev/tcp/127.0.0.1/$port"
    timeout 60 cat "$dir/much" >&"$slow" &
    writer=$!
    exec {quick}<>"/dev/tcp/127.0.0.1/$port"
    for line in one two three; do
        echo "$line" >&"$quick"
        read -r -t 60 -u "$quick"
        [ "$REPLY" = "$line" ]
    done
    rests $server
    timeout 60 head -c "$(wc -c <"$dir/much")" <&"$slow" | cmp - "$dir/much"
    wait $writer
    kill -TERM $server
    wait $server # it ends well
    server=
}

# unknown_mechanism_is_said <echo|batches> <shared|static> <call that says so>
unknown_mechanism_is_said() {
    local status=0 known='there are epoll, poll, io_uring for arenas, and no others'
    (running "$2" "$dir/$1-$2" 0 selekt) 2>"$dir/refusal" || status=$?
    [ $status = 1 ]
    diff "$dir/refusal" - <<<"$1-$2: $3: No such device (ENODEV): no such mechanism; $known"
}

nothing_is_left() {
    make --no-print-directory -C src/main/native uninstall PREFIX=$prefix DESTDIR="$staged"
    [ -z "$(find "$staged" ! -type d)" ]
    [ ! -e "$staged$prefix/include/pollux" ]
}

# answers_while_it_waits <shared|static|emulated> <mechanism>: an example with a timer, a command's output and a socket.
# The command waits at a gate until the timer has counted.
answers_while_it_waits() {
    local port gate held asking answer='' log=$dir/sources.log
    gate=$(mktemp -u "$dir/gate.XXXXXX")
    mkfifo "$gate"
    exec {held}<>"$gate" # nobody is held up by opening it
    sources=
    trap '[ -z "$sources" ] || kill -KILL $sources' EXIT
    for _ in {1..200}; do
        if [ -z "$sources" ]; then
            port=$((20000 + RANDOM))
            running "$1" "$dir/sources-$1" $port "echo begun; cat '$gate'; echo ended" "$2" \
                >"$dir/out" 2>"$log" {held}>&- &
            sources=$!
        fi
        exec {asking}<>"/dev/udp/127.0.0.1/$port"
        # Refused until it is there. Bash's own read takes a byte of each datagram.
        answer=$({ echo >&"$asking" && timeout 0.5 dd bs=200 count=1 <&"$asking"; } 2>/dev/null) || true
        exec {asking}>&-
        [[ ! $answer =~ ^[1-9][0-9]*' s, 6 bytes, question '[0-9]+$ ]] || break
        kill -0 $sources 2>/dev/null || sources= # another program has the port
        sleep 0.05
    done
    echo through >&"$held"
    exec {held}>&-
    wait $sources # it ends well
    sources=
    cat "$log"
    diff "$dir/out" - <<<$'begun\nthrough\nended'
    [[ $answer == *' s, 6 bytes, '* ]]
}

# header_compiles <compiler> <language> <standard> <header> <line>...: as it is installed, with no other header before
# it, and the lines behind it.
header_compiles() {
    printf '%s\n' "#include <$4>" "${@:5}" |
        "$1" -x "$2" "-std=$3" -pedantic-errors -Wall -Wextra -Werror "-I$staged$prefix/include" -fsyntax-only -
}

# headers_compile <compiler> <language> <standard>
headers_compile() {
    header_compiles "$@" pollux/pollux.h 'int version_of(plx_event *event);' \
        'int version_of(plx_event *event) { event->cookie = PLX_NO_COOKIE; return PLX_VERSION + plx_version(); }'
    header_compiles "$@" pollux/arena.h 'int echo(plx_arena *arena, const plx_arrival *a, plx_order *o);' \
        'int echo(plx_arena *arena, const plx_arrival *a, plx_order *o) {' \
        '    o->connection = a->connection; o->address = a->address; o->length = a->length;' \
        '    o->what = a->what == PLX_ARRIVAL_DATA ? PLX_ORDER_SEND | PLX_ORDER_NOTIFY : PLX_ORDER_CLOSE;' \
        '    return plx_arena_turn(arena, 1, -1);' '}'
}

# The program in docs/c-library.md, as a reader would copy it.
documented_example_runs() {
    # shellcheck disable=SC2016 # the backquotes are Markdown's
    sed -n '/^```c$/,/^```$/{/^```/d;p}' docs/c-library.md >"$dir/documented.c"
    compiled shared "$dir/documented" "$dir/documented.c" -Wconversion -Wsign-conversion
    [ "$(printf 'one\ntwo\n' | running shared "$dir/documented")" = $'one\ntwo' ]
    if (running shared "$dir/documented") <pom.xml 2>"$dir/refusal"; then # a regular file
        return 1
    fi
    grep -F 'Operation not permitted (EPERM)' "$dir/refusal"
}

examples_are_short() {
    [ "$(wc -l <src/main/native/example/echo.c)" -lt 60 ]
    [ "$(wc -l <src/main/native/example/batches.c)" -le 60 ]
    [ "$(wc -l <src/main/native/example/sources.c)" -le 80 ]
}

head -c 100000000 /dev/urandom >"$dir/much"
cat >"$dir/list.c" <<'END'
#include <pollux/pollux.h>
#include <stdio.h>
int main(void)
{
    return puts(plx_mechanisms()) < 0;
}
END

cat >"$dir/versions.c" <<'END'
#include <pollux/pollux.h>
#include <stdio.h>
int main(void)
{
    const int library = plx_version();
    printf("header %d.%d.%d, ", PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH);
    printf("library %d.%d.%d\n", library >> 16, library >> 8 & 0xff, library & 0xff);
    return library != PLX_VERSION;
}
END

# The mechanisms that an arena runs on here: io_uring may be refused.
cat >"$dir/arenas.c" <<'END'
#include <pollux/arena.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    char names[256], *name;
    plx_arena *arena;
    strcpy(names, plx_arena_mechanisms());
    for (name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
        if (plx_arena_open(name, NULL, &arena) == 0)
            puts(name);
        plx_arena_close(arena);
    }
    return 0;
}
END

check "it installs without a JDK" install_to . "$staged"
check "what is installed is header, libraries and pollux.pc" files_are_those_of_a_library
check "the shared library's name is that of its interface" name_is_that_of_the_interface
check "the shared library offers what the headers declare, and nothing else" exports_are_those_of_the_headers
check "the static library defines no name that is not plx_" static_names_are_ours
check "pkg-config tells the version, and of threads" package_tells_version_and_threads
check "header, library, its file and pkg-config tell one version" versions_agree "$staged" "$version"
check "built elsewhere it is the same, byte for byte" elsewhere_it_is_the_same
check "a copy of the folder asks for a version" a_copy_needs_a_version
check "a copy is built and installed from itself alone" a_copy_is_installed_from_itself
check "and all of it tells the version that was given" versions_agree "$dir/copied" $copy_version
check "a prefix that is no absolute path is refused" said 'PREFIX is here, which is no absolute path' \
    make -C "$copy" install PREFIX=here VERSION=1.2.3
check "what is no version is refused" said 'VERSION is 1.x, which is no version' make -C "$copy" library VERSION=1.x
check "what is no C11 compiler is named" said 'false: no C11 compiler' make -C src/main/native library CC=false
if command -v bmake >/dev/null; then # test.sh has it
    check "BSD make says that GNU make is needed" said 'needs GNU make' bmake -C src/main/native install
fi
check "other folders for libraries and header are named" other_folders_are_named
for standard in c99 c11 c17; do
    check "the headers compile as $standard" headers_compile "${CC:-cc}" c $standard
done
for standard in c++98 c++11 c++14 c++17 c++20; do
    check "the headers compile as $standard" headers_compile "${CXX:-c++}" c++ $standard
done
check "the examples are short" examples_are_short
check "the example in docs/c-library.md does what it says" documented_example_runs
for kind in shared static; do
    check "a program compiles, $kind" compiled $kind "$dir/list-$kind" "$dir/list.c"
    check "the example compiles, $kind" compiled $kind "$dir/echo-$kind" src/main/native/example/echo.c
    mechanisms=$(running $kind "$dir/list-$kind")
    for mechanism in ${mechanisms//,/ }; do
        check "the example echoes, $kind, $mechanism" bytes_come_back echo $kind "$mechanism"
    done
    check "a program with an arena compiles, $kind" compiled $kind "$dir/arenas-$kind" "$dir/arenas.c"
    check "the example of an arena compiles, $kind" \
        compiled $kind "$dir/batches-$kind" src/main/native/example/batches.c
    for mechanism in $(running $kind "$dir/arenas-$kind"); do
        check "the arena echoes, $kind, $mechanism" bytes_come_back batches $kind "$mechanism"
    done
    check "the example of several sources compiles, $kind" \
        compiled $kind "$dir/sources-$kind" src/main/native/example/sources.c -std=gnu11
    for mechanism in ${mechanisms//,/ }; do
        check "several sources are waited for, $kind, $mechanism" answers_while_it_waits $kind "$mechanism"
    done
    check "the example says that there is no such mechanism, $kind" unknown_mechanism_is_said echo $kind plx_open
    check "so does that of an arena, $kind" unknown_mechanism_is_said batches $kind plx_arena_open
done
check "uninstalling leaves nothing" nothing_is_left
check "the examples compile, with the emulations" \
    make --no-print-directory -C src/test/native examples OUT="$dir/emulated" ALSO="$dir/list.c $dir/arenas.c"
ln -s emulated/echo "$dir/echo-emulated"
ln -s emulated/batches "$dir/batches-emulated"
ln -s emulated/sources "$dir/sources-emulated"
mechanisms=$("$dir/emulated/list")
for mechanism in ${mechanisms//,/ }; do
    check "the example echoes, with the emulations, $mechanism" bytes_come_back echo emulated "$mechanism"
    check "several sources are waited for, with the emulations, $mechanism" answers_while_it_waits emulated "$mechanism"
done
for mechanism in $("$dir/emulated/arenas"); do
    check "the arena echoes, with the emulations, $mechanism" bytes_come_back batches emulated "$mechanism"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
