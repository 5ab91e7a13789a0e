#!/usr/bin/env bash
# `make quick`: vet and types of everything, and the tests of changed packages and of packages that import them. A
# package is compared with the revision BASE (default: the last commit), including changes not yet committed. Packages
# that start the whole program or Chromium are tested only if they themselves changed; make test runs all.
set -uo pipefail
cd "$(dirname "$0")/.."

tags=sqlite_fts5
base=${BASE:-HEAD}
slow='^sextant/(app|build/|backend/browser|backend/surface|backend/sandbox/confine$)'

changed_folders() {
  { git diff --name-only "$base" -- '*.go' '*.sql' '*.json' '*.md' '*.js' '*.txtar'; git ls-files -o --exclude-standard -- '*.go'; } |
    xargs -r -n1 dirname | sort -u
}

# A package has changed if a file changed in its folder, or in a subfolder that is not itself a package.
affected_packages() {
  local folders
  folders=$(changed_folders)
  [ -n "$folders" ] || return 0
  go list -test -tags "$tags" -f '{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{join .Deps ","}}' ./... 2>/dev/null |
    awk -F '\t' -v top="$PWD/" -v folders="$folders" -v slow="$slow" '
      { sub(/ .*/, "", $1); sub(/(\.test|_test)$/, "", $1); sub(top, "", $2); package[$2] = $1; deps[$1] = deps[$1] "," $3 }
      END {
        count = split(folders, list, "\n")
        for (i = 1; i <= count; i++) {
          f = list[i]
          while (!(f in package) && sub(/\/[^\/]*$/, "", f)) {}
          if (f in package) changed[package[f]] = 1
        }
        for (p in deps) {
          chosen = p in changed
          if (!chosen && p !~ slow) {
            n = split(deps[p], imports, ",")
            for (i = 1; i <= n && !chosen; i++) { q = imports[i]; sub(/ .*/, "", q); chosen = q in changed }
          }
          if (chosen) print p
        }
      }' | sort -u
}

bad=0
build/setup.sh || exit 1
go vet -tags "$tags" ./... || bad=1
types=$(cd frontend && npx --no-install svelte-check --tsconfig ./tsconfig.json --fail-on-warnings </dev/null 2>&1) || {
  echo "$types"
  bad=1
}
mapfile -t packages < <(affected_packages)
if [ "${#packages[@]}" -gt 0 ]; then
  go test -tags "$tags" -vet=off -timeout 5m "${packages[@]}" | grep -v 'no test files' || true
  [ "${PIPESTATUS[0]}" -eq 0 ] || bad=1
fi
if ! git diff --quiet "$base" -- frontend/src; then
  (cd frontend && npx --no-install vitest run --changed "$base" </dev/null) || bad=1
fi
[ "$bad" -eq 0 ] && echo "make quick: passed in ${SECONDS} s (${#packages[@]} Go packages tested)" || { echo "make quick: failed"; exit 1; }
