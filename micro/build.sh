#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Pollux and what measures it into micro/target: classes, lib and pollux. The argument is one more module.
set -eu
cd "$(dirname "$0")/.."
mvn -q -B -f build/pom.xml -pl "../micro${1:+,$1}" -am -DskipTests -Dmaven.javadoc.skip=true package
