#!/usr/bin/env bash
# `make check`: format, lint, types, layers, generated files. Checks Go and TypeScript in parallel, prints the output of
# both, and fails if either failed.
set -uo pipefail
cd "$(dirname "$0")/.."

tags=sqlite_fts5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

go_half() {
  local tools bad=0 unformatted
  tools=$(build/setup.sh --tools) || return 1
  unformatted=$(git ls-files -co --exclude-standard -- '*.go' | xargs -r "$tools/gofumpt" -l) || bad=1
  if [ -n "$unformatted" ]; then
    printf 'not formatted; run %s -w on:\n%s\n' "$tools/gofumpt" "$unformatted"
    bad=1
  fi
  "$tools/golangci-lint" run --build-tags "$tags" --timeout 20m || bad=1
  go test -tags "$tags" -timeout 120s ./build/rules || bad=1
  # The layers, the navigation map, the source rules and the freshness of generated files are tests of app.
  go test -tags "$tags" -timeout 120s -run 'Import|Package|Line|Source|Names|Map|Generated|FirstVersion' ./app ./shared/... || bad=1
  return "$bad"
}

ui_half() {
  cd frontend || return 1
  local bad=0
  npx --no-install prettier --check --log-level warn --cache . || bad=1
  npx --no-install eslint --cache --cache-location node_modules/.cache/eslint/ . || bad=1
  npx --no-install openapi-typescript openapi.json -o "$out/schema.gen.ts" >/dev/null || bad=1
  cmp -s "$out/schema.gen.ts" src/shared/api/schema.gen.ts || {
    echo "src/shared/api/schema.gen.ts is stale; run: make generate"
    bad=1
  }
  npx --no-install svelte-check --tsconfig ./tsconfig.json --fail-on-warnings || bad=1
  return "$bad"
}

(go_half </dev/null) >"$out/go" 2>&1 & go_pid=$!
(ui_half </dev/null) >"$out/ui" 2>&1 & ui_pid=$!
wait "$go_pid"; go_status=$?
wait "$ui_pid"; ui_status=$?

echo "== Go";         cat "$out/go"
echo "== TypeScript"; cat "$out/ui"
if [ "$go_status" -ne 0 ] || [ "$ui_status" -ne 0 ]; then
  echo "make check: failed"
  exit 1
fi
echo "make check: passed in ${SECONDS} s"
