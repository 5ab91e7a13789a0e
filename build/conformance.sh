#!/usr/bin/env bash
# `make conformance`: MCP's conformance suite against our client and our server, in both revisions. Prints the suite's
# summary; after a failure the full output stays in the folder that it prints. No failures are expected: one required
# scenario that fails makes this fail.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=$(build/setup.sh --conformance)
out=$(mktemp -d)
go build -tags sqlite_fts5 -o build/bin/mcp-conformance-client ./build/conformance
go build -tags sqlite_fts5 -o build/bin/mcp-conformance-server ./build/conformance/server

bad=0
# run REVISION client|server ARGS…
run() {
  local revision=$1 side=$2 log="$out/$2-$1.log"
  shift 2
  # The suite writes its results below the working folder.
  # shellcheck disable=SC2086
  if (cd "$out" && $suite "$side" --requirements "$revision" "$@" </dev/null >"$log" 2>&1); then
    echo "== MCP $side, revision $revision"
  else
    echo "== MCP $side, revision $revision: FAILED (full output: $log)"
    bad=1
  fi
  sed -n '/^=== .*SUMMARY ===/,$p' "$log"
}

for revision in 2026-07-28 2025-11-25; do
  run "$revision" client --command "$PWD/build/bin/mcp-conformance-client"
done

# The server prints its address on its first line.
mkfifo "$out/address"
build/bin/mcp-conformance-server >"$out/address" 2>"$out/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
read -r address <"$out/address"
for revision in 2026-07-28 2025-11-25; do
  run "$revision" server --url "$address"
done

[ "$bad" -eq 0 ] && rm -rf "$out"
exit "$bad"
