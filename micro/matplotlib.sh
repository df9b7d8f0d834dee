# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154 # $micro is set by who sources this
# Sourced with $micro set. Leaves a python3 that has Matplotlib, in an environment of its own, in $python. Called before
# anything is measured, so that what is missing is noticed before the hour, not after.
prepare_matplotlib() {
    python=$micro/target/report/bin/python
    if ! "$python" -c 'import matplotlib, pyte, rich' 2>/dev/null; then
        mkdir -p "$micro/target"
        python3 -m venv "$micro/target/report" || { echo "$0: needs python3 with its venv module" >&2; exit 1; }
        "$python" -m pip install --quiet --disable-pip-version-check -r "$micro/report/requirements.txt"
    fi
}
