#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Redis of docs/examples against the same code on Netty, and redis-server: see README.md here.
set -eu
program=redis
report=
. "$(dirname "$0")/common.sh"
for command in redis-benchmark redis-server; do
    [ $help = yes ] || command -v $command >/dev/null || { echo "$0: needs $command" >&2; exit 1; }
done
if [ $build = yes ]; then
    mkdir -p "$micro/target/redis"
    javac -proc:none -cp "$class_path" -d "$micro/target/redis" "$root/docs/examples/Redis.java"
fi
class_path=$class_path:$micro/target/redis
. "$micro/program.sh"
