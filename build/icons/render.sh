#!/usr/bin/env bash
# Makes sextant.png from sextant.svg with Chromium, so that the pixels are the browser's.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{ echo '<style>html,body{margin:0;background:transparent}svg{display:block;width:256px;height:256px}</style>'; cat sextant.svg; } >"$dir/icon.html"
flags=(--headless --user-data-dir="$dir/profile" --hide-scrollbars --default-background-color=00000000 --window-size=256,256)
[ "$(id -u)" -ne 0 ] || flags+=(--no-sandbox)
chromium "${flags[@]}" --screenshot="$PWD/sextant.png" "file://$dir/icon.html" 2>/dev/null
