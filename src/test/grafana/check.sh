#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks docs/grafana.json against the types that Grafana publishes: no field may be unknown, missing or of another
# type. Then it breaks the dashboard, and expects that this is found. Needs npm, which gets the types and a compiler.
set -euo pipefail
cd "$(dirname "$0")/../../.."

out=target/grafana
mkdir -p $out
npm install --silent --no-fund --no-audit --prefix $out @grafana/schema@13.2.3 typescript@5.9.3

# is_right <name> <sed expression>: whether the dashboard, so edited, has the types.
is_right() {
    { cat src/test/grafana/dashboard.ts && sed -E "$2" docs/grafana.json; } >"$out/$1.ts"
    "$out/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck --module nodenext --target es2022 "$out/$1.ts"
}

is_right dashboard ''
for broken in 's/"timeseries"/"timeserie"/' 's/"displayMode": "list"/"displayMode": "lists"/' 's/"expr"/"expression"/' \
    's/"gridPos"/"grid"/' 's/"showPoints": "never"/"showPoints": 0/' 's/"templating"/"template"/' \
    's/"colorMode"/"colourMode"/'; do
    if is_right broken "$broken" >$out/broken.log; then
        echo "This is not found: $broken" >&2
        exit 1
    fi
done
echo "docs/grafana.json has the types of Grafana's schema"
