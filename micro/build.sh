#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux, its tools, and what measures it into micro/target: classes, lib and pollux.
set -eu
cd "$(dirname "$0")/.."
mvn -q -B -f build/pom.xml -pl ../micro -am -DskipTests -Dmaven.javadoc.skip=true package
