#!/usr/bin/env bash
# Tests every hostile panel of frontend/e2e/isolation in the real window (WebKitGTK under Xvfb): starts the built program
# with fresh folders, opens the panels one after the other over the program's API, and checks what reached the canary
# servers. The output contains the counts.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${SEXTANT_BIN:-$PWD/build/bin/sextant}
log=build/bin/isolation.log
[ -x "$binary" ] || { echo "isolation test: $binary does not exist. Run: make build" >&2; exit 1; }
if ! build/setup.sh --has-desktop; then
  echo "isolation test: this build has no window (GTK and WebKit development files are missing)" >&2
  exit 1
fi

dir=$(mktemp -d)
xvfb='' app=''
stop() {
  local pid
  for pid in "$app" "$xvfb"; do
    [ -n "$pid" ] || continue
    kill -- "-$pid" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$dir" 2>/dev/null || true
}
trap stop EXIT

setsid Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3>"$dir/display" >/dev/null 2>&1 &
xvfb=$!
for _ in $(seq 200); do [ -s "$dir/display" ] && break; sleep 0.1; done
[ -s "$dir/display" ] || { echo "isolation test: Xvfb reported no display within 20 s" >&2; exit 1; }
DISPLAY=":$(tr -d '[:space:]' <"$dir/display")"
export DISPLAY

mkdir -p build/bin
mkdir -m 0700 "$dir/data" "$dir/config" "$dir/work" "$dir/home" "$dir/bin"
# Stubs that record every request to open an address.
for name in xdg-open x-www-browser www-browser sensible-browser gio; do
  printf '#!/bin/sh\ntouch "%s/data/opened"\n' "$dir" >"$dir/bin/$name"
  chmod +x "$dir/bin/$name"
done
# shellcheck disable=SC2046 # the flags must be split into words
cc -o "$dir/view" build/isolation-view.c $(pkg-config --cflags --libs gtk+-3.0 webkit2gtk-4.1)
bus=()
if command -v dbus-run-session >/dev/null; then bus=(dbus-run-session --); fi
(
  cd "$dir/work"
  unset WAYLAND_DISPLAY
  export PATH="$dir/bin:$PATH"
  export HOME="$dir/home" SEXTANT_DATA="$dir/data" SEXTANT_CONFIG="$dir/config" SEXTANT_KEYCHAIN=off
  export GDK_BACKEND=x11 NO_AT_BRIDGE=1 LIBGL_ALWAYS_SOFTWARE=1
  exec setsid "${bus[@]}" "$binary" --log-level warn
) >"$PWD/$log" 2>&1 </dev/null &
app=$!

for _ in $(seq 900); do
  [ -s "$dir/data/instance.json" ] && xdotool search --onlyvisible --name '^Sextant' >/dev/null 2>&1 && break
  kill -0 "$app" 2>/dev/null || { tail -n 25 "$log" >&2; echo "isolation test: the program exited early" >&2; exit 1; }
  sleep 0.1
done

cd frontend
if ! SEXTANT_ISOLATION_DATA="$dir/data" SEXTANT_ISOLATION_VIEW="$dir/view" LIBGL_ALWAYS_SOFTWARE=1 NO_AT_BRIDGE=1 npx --no-install playwright test isolation.spec --retries 0 </dev/null; then
  import -silent -window root ../build/bin/isolation-failed.png 2>/dev/null || true
  tail -n 25 "../$log" >&2
  exit 1
fi
kill -0 "$app" 2>/dev/null || { echo "isolation test: a panel made the program exit" >&2; exit 1; }
echo "isolation test: passed"
