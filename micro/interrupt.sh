#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Interruptlets against other ways of serving, at 64 to 8000 connections: see README.md here.
set -eu
program=interrupt
micro=$(cd "$(dirname "$0")" && pwd)
. "$micro/peers.sh"
. "$micro/program.sh"
