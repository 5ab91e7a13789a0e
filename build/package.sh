#!/usr/bin/env bash
# Packs the built program with its desktop entry and icon in the layout of /usr/local and ~/.local: bin/,
# share/applications/, share/icons/.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${VERSION:-dev}
arch=$(go env GOARCH)
name="sextant-${version//\//-}-linux-$arch"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

root="$dir/$name"
install -D -m 0755 build/bin/sextant "$root/bin/sextant"
install -D -m 0644 build/icons/sextant.desktop "$root/share/applications/sextant.desktop"
install -D -m 0644 build/icons/sextant.png "$root/share/icons/hicolor/256x256/apps/sextant.png"
install -D -m 0644 build/icons/sextant.svg "$root/share/icons/hicolor/scalable/apps/sextant.svg"
if [ -f LICENSE ]; then install -D -m 0644 LICENSE "$root/share/doc/sextant/LICENSE"; fi
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$dir" -czf "build/bin/$name.tar.gz" "$name"
echo "build/bin/$name.tar.gz: unpack it, then copy its contents to ~/.local or /usr/local"
