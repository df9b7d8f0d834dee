#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the style of every file: what .editorconfig says, a licence in each source file, and scripts by ShellCheck.
# Java has Checkstyle besides (mvn -Pchecks), C has clang-format. Two rules keep the tests fit for a fresh machine.
# The last line is "N passed, N failed": one for each rule.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 # a column is a character

passed=0 failed=0
mapfile -t files < <(find . -name .git -prune -o -type d \( -name target -o -path '*/src/*/build' -o -name results \
    -o -name __pycache__ \) -prune -o -type f ! -name '*.svg' ! -name '*.log' ! -name '*.class' -printf '%P\n' | sort)

# those [-v] <pattern>: the files whose names match, or don't.
those() {
    printf '%s\n' "${files[@]}" | grep -E "$@"
}

# rule <sentence> <function>: the function prints where the rule is broken.
rule() {
    local broken
    broken=$("$2" 2>&1 || true)
    if [ -z "$broken" ]; then
        passed=$((passed + 1))
        echo "ok: $1"
    else
        failed=$((failed + 1))
        echo "WRONG: $1"
        printf '%s\n' "$broken"
    fi
}

# A row of a table can't be broken, nor can an address. A licence's text should not be, and figures are data.
wide_lines() {
    those -v '^LICENSE$|\.json$' | xargs grep -nE '^.{121,}' | grep -vE '\.md:[0-9]+:\||https?://[^ ]{60,}'
}

tabs() {
    those -v '(^|/)Makefile$|^\.ci/style\.sh$' | xargs grep -nP '\t'
}

trailing_blanks() {
    those -v '^LICENSE$' | xargs grep -nP '[ \t\r]$'
}

unfinished_lines() {
    local file
    for file in "${files[@]}"; do
        [ -z "$(tail -c 1 "$file")" ] || echo "$file"
    done
}

licences() {
    those '\.(java|c|h|sh|py|xml|mk|in|toml|md)$|Makefile$' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0'
}

scripts() {
    printf '%s\n' "${files[@]}" | xargs grep -lE '^#!.*[/ ](ba)?sh$|^# shellcheck shell=' | xargs shellcheck
}

# A minimal Debian lacks these; the shell's own kill is there.
missing_programs() {
    those '^((server/|tools/)?src/(main|test)/java|micro/src|micrometer/src|compatibility|stress)/.*\.java$' |
        xargs grep -nE \
        '"(kill|pkill|pgrep|killall|ps|ss|ip|netstat|lsof|nc|curl|wget|which|xxd|hostname|git|python3?)"[,)]'
}

# Commands that a stage of test.sh needs, and test.sh does not install before the first one.
late_commands() {
    local stages scripts
    stages=$(sed -n '/^packages()/,/^)/p; /^everything()/,/^}/p' test.sh)
    scripts=$(grep -oE '(src|jtreg-tests|stress)/[a-z/-]+\.sh' <<<"$stages")
    comm -13 <(needed <<<"$stages") <(xargs cat <<<"$scripts" | needed)
}

needed() {
    sed -n 's/^ *need //p' | tr ' ' '\n' | sort -u
}

rule "no line is longer than 120 columns" wide_lines
rule "tabs are for Makefiles" tabs
rule "no line ends with blanks, and each as on Unix" trailing_blanks
rule "each file ends with a whole line" unfinished_lines
rule "each source file names its licence" licences
rule "Java runs no program that a minimal Debian lacks" missing_programs
rule "what a stage of test.sh needs is there before the first one" late_commands
rule "ShellCheck has nothing to say" scripts
echo "$passed passed, $failed failed"
[ $failed = 0 ]
