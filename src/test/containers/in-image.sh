#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a command in the image, as process 1 of a namespace. User 0 keeps all rights, as when an image is built. Called
# by Containers.java: in-image.sh <image> <root> <options of /tmp, or none> <volume> <user> <command...>. Root and
# volume are "ro" or "rw", or any options of mount.
set -eu
if [ "$1" != inside ]; then
    exec timeout -k 5 100 unshare --mount --pid --fork --kill-child "$0" inside "$@"
fi
image=$2 root=$3 tmp=$4 volume=$5 user=$6
shift 6
mount -t proc proc "$image/proc"
[ "$tmp" = none ] || mount -t tmpfs -o "mode=1777,$tmp" tmpfs "$image/tmp"
mount -o "remount,bind,$volume" "$image/pollux"
mount -o "remount,bind,$root" "$image"
cd /
[ "$user" != 0 ] || exec chroot "$image" "$@"
exec chroot "$image" /usr/bin/setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all \
    --inh-caps=-all --no-new-privs "$@"
