#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds both native libraries with this system's own compiler, warnings as errors, and has the jar's diagnosis use the
# one with JNI adapters. It needs a C compiler, GNU make and a JDK, but no Maven. Plain sh, since not every system has
# another shell.
#
#   sh src/test/portable/build.sh PORTABLE   leaves target/own; PORTABLE is the folder that pack.sh has packed
#
# CC names the compiler, JAVA_HOME the JDK.
set -eu
PORTABLE=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."

MAKE=$(command -v gmake || command -v make)
"$MAKE" --no-print-directory -C src/main/native ${CC:+CC="$CC"} OUT="$PWD/target/own/c" library
"$MAKE" --no-print-directory -C src/main/native ${CC:+CC="$CC"} OUT="$PWD/target/own" JAVA_HOME="$JAVA_HOME"
"$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED "-Ddev.pollux.library.path=$PWD/target/own" \
    -cp "$PORTABLE/lib/pollux.jar" dev.pollux.Diagnosis
