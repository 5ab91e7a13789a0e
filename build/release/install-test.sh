#!/usr/bin/env bash
# Installs the .deb of build/bin/release in a fresh root of a Debian or Ubuntu release, opens the window there under Xvfb
# as a user without rights, opens the demo shop in it, installs the package once more over a running Sextant's data,
# removes and purges it, and checks that no file is left.
#
#   sudo build/release/install-test.sh bookworm
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${1:?"usage: install-test.sh SUITE [MIRROR]"}
mirror=${2:-}
deb=$(ls build/bin/release/sextant_*.deb)
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT

echo "== A fresh $suite"
mmdebstrap --quiet --variant=apt --include=mount,procps "$suite" "$root" ${mirror:+"$mirror"}
cp /etc/resolv.conf "$root/etc/"
cp "$deb" "$root/tmp/sextant.deb"
cat > "$root/tmp/test" <<'INSIDE'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
quiet() { "$@" >/tmp/out 2>&1 || { cat /tmp/out; exit 1; }; }
quiet apt-get update -qq
quiet apt-get install -yqq xvfb imagemagick
useradd -m ana
files() { find / -xdev -type f -path '*sextant*' ! -path '/tmp/*' ! -path '/home/*' ! -path '/var/lib/apt/*' ! -path '/var/cache/*' ! -path '/proc/*'; }
[ -z "$(files)" ]

echo "== Install"
quiet apt-get install -yqq /tmp/sextant.deb
sextant version
man -w sextant >/dev/null 2>&1 || [ -f /usr/share/man/man1/sextant.1.gz ] || echo "no manual page (dpkg leaves it out here)"

as_ana() { timeout 120 runuser -u ana -- env HOME=/home/ana DISPLAY=:9 "$@"; }
open_window() {
  runuser -u ana -- env HOME=/home/ana DISPLAY=:9 sh -c 'cd; exec sextant' >/tmp/window.log 2>&1 &
  for _ in $(seq 100); do as_ana sextant open --print >/dev/null 2>&1 && return; sleep 0.3; done
  cat /tmp/window.log; exit 1
}
close_window() { pkill -u ana -x sextant; while pgrep -u ana -x sextant >/dev/null; do sleep 0.1; done; }
Xvfb :9 -screen 0 1280x800x24 >/dev/null 2>&1 &

echo "== The window, and the first page"
open_window
as_ana sextant tools call navigate_page '{"url":"demo"}' | grep -q 'Desk lamps'
sleep 3
import -display :9 -window root /tmp/window.png
[ "$(identify -format %k /tmp/window.png)" -gt 200 ]
close_window

echo "== Upgrade with data"
quiet dpkg -i /tmp/sextant.deb
open_window
as_ana sextant tools call browser_history '{}' --panel browser | grep -q 'Desk lamps' # the visit before the upgrade
close_window

echo "== Remove and purge"
quiet apt-get remove -yqq sextant
quiet dpkg --purge sextant
left=$(files || true) # find may meet a file that is going away
[ -z "$left" ] || { echo "left: $left"; exit 1; }
[ -d /home/ana/.local/share/sextant ]
echo "== Passed: nothing is left but the person's own data"
INSIDE

# Chromium's sandbox needs a user namespace, which a process in a chroot does not get. So this changes the root instead.
unshare --mount --pid --fork --kill-child bash -c '
  mount --bind "$0" "$0"
  mount -t proc proc "$0/proc"
  mount --rbind /dev "$0/dev"
  mkdir "$0/old"
  cd "$0"
  pivot_root . old
  umount -l /old
  rmdir /old
  exec bash /tmp/test' "$root"
