#!/usr/bin/env bash
# `make dev`: Vite with hot reload, and the server from source behind it. Both end together. Open Vite's address with
# the code that `serve` prints.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd frontend && exec npm run --silent dev) &
vite=$!
trap 'kill "$vite" 2>/dev/null || true; wait "$vite" 2>/dev/null || true' EXIT
go run -tags sqlite_fts5 . serve "$@"
