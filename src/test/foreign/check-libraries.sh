#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the libraries in the jar for all platforms: each is there and is what its folder says, offers the natives, and
# on Linux with glibc needs nothing younger than it promises.
#
#   check-libraries.sh <jar>
#
# The last line is "N passed, N failed".
set -euo pipefail

jar=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unzip -q "$jar" 'META-INF/native/*' -d "$dir"
passed=0 failed=0

# library <folder>/<file> <what file(1) says of it> [the youngest version of glibc's symbols]
library() {
    local file=$dir/META-INF/native/$1 is needs wrong=""
    if [ -f "$file" ]; then
        is=$(file -b "$file")
        [[ $is == $2* ]] || wrong="is not: $2"
        grep -aq Java_dev_pollux_internal_jni_Natives_await "$file" || wrong="has no natives"
        needs=$(glibc "$file")
        [ -z "${3:-}" ] || [ "$(printf '%s\n' "$3" "$needs" | sort -V | tail -n 1)" = "$3" ] ||
            wrong="needs glibc $needs"
    else
        is="" wrong="is missing"
    fi
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
        echo "$1: $(wc -c <"$file") bytes, ${is%%,*}${needs:+, glibc $needs}"
    else
        failed=$((failed + 1))
        echo "$1: WRONG, $wrong: $is"
    fi
}

# The youngest version of glibc that a library's symbols ask for, nothing if it asks for none.
glibc() {
    { readelf -W --dyn-syms "$1" 2>/dev/null || true; } | sed -n 's/.*@GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1
}

library linux-x86_64/libpollux-jni.so 'ELF 64-bit LSB shared object, x86-64, ' 2.17
library linux-aarch64/libpollux-jni.so 'ELF 64-bit LSB shared object, ARM aarch64, ' 2.17
library linux-ppc64le/libpollux-jni.so \
    'ELF 64-bit LSB shared object, 64-bit PowerPC or cisco 7500, OpenPOWER ELF V2 ABI, ' 2.19
library linux-riscv64/libpollux-jni.so 'ELF 64-bit LSB shared object, UCB RISC-V, ' 2.27
library linux-s390x/libpollux-jni.so 'ELF 64-bit MSB shared object, IBM S/390, ' 2.17
library linux-x86_64-musl/libpollux-jni.so 'ELF 64-bit LSB shared object, x86-64, '
library linux-aarch64-musl/libpollux-jni.so 'ELF 64-bit LSB shared object, ARM aarch64, '
library macos-x86_64/libpollux-jni.dylib 'Mach-O 64-bit x86_64 dynamically linked shared library'
library macos-aarch64/libpollux-jni.dylib 'Mach-O 64-bit arm64 dynamically linked shared library'
library freebsd-x86_64/libpollux-jni.so 'ELF 64-bit LSB shared object, x86-64, '
library freebsd-aarch64/libpollux-jni.so 'ELF 64-bit LSB shared object, ARM aarch64, '
library netbsd-x86_64/libpollux-jni.so 'ELF 64-bit LSB shared object, x86-64, '
library netbsd-aarch64/libpollux-jni.so 'ELF 64-bit LSB shared object, ARM aarch64, '
library openbsd-x86_64/libpollux-jni.so 'ELF 64-bit LSB shared object, x86-64, '
library openbsd-aarch64/libpollux-jni.so 'ELF 64-bit LSB shared object, ARM aarch64, '
library windows-x86_64/pollux-jni.dll 'PE32+ executable (DLL) (GUI) x86-64'
library windows-aarch64/pollux-jni.dll 'PE32+ executable (DLL) (GUI) Aarch64'

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
