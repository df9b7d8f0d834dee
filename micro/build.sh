#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux and what measures it into micro/target: classes, lib and pollux.jar.
set -eu
micro=$(cd "$(dirname "$0")" && pwd)
cd "$(dirname "$micro")"
mvn -q -B -Dmaven.test.skip=true -Dmaven.javadoc.skip=true package
mkdir -p "$micro/target"
# A copy, so that a build during a measurement changes nothing.
cp target/pollux-*[0-9].jar "$micro/target/pollux.jar"
mvn -q -B -f "$micro/pom.xml" process-classes
