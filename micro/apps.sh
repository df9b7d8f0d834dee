#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures unmodified servers on the JDK's selectors and on Pollux: see README.md here.
set -eu
program=apps
main='apps.Main apps'
report=
native=load
. "$(dirname "$0")/common.sh"
class_path=$without_pollux
. "$micro/program.sh"
