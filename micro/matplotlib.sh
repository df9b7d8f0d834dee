# SPDX-License-Identifier: Apache-2.0
# Sourced with $micro set: leaves a python3 that has Matplotlib in $python. Matplotlib lives in an environment of its own;
# called before the measuring, so that what is missing fails before the hour, not after.
prepare_matplotlib() {
    python=$micro/target/report/bin/python
    if ! "$python" -c 'import matplotlib' 2>/dev/null; then
        mkdir -p "$micro/target"
        python3 -m venv "$micro/target/report" || { echo "$0: needs python3 with its venv module" >&2; exit 1; }
        "$python" -m pip install --quiet --disable-pip-version-check -r "$micro/report/requirements.txt"
    fi
}
