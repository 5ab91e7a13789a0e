#!/usr/bin/env bash
# Builds the window's page into frontend/dist if a source file is newer than the last build.
set -euo pipefail
cd "$(dirname "$0")/.."

built=frontend/dist/index.html
if [ -f "$built" ]; then
  newer=$(find frontend/src frontend/public frontend/index.html frontend/package-lock.json \
    frontend/vite.config.* frontend/svelte.config.* frontend/tsconfig.json shared/navigation/map.json \
    -newer "$built" -type f -print -quit 2>/dev/null || true)
  [ -n "$newer" ] || exit 0
fi
cd frontend
npm run --silent build </dev/null
