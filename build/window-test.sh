#!/usr/bin/env bash
# Tests one real window on its own display: starts Xvfb and the built program with fresh folders, waits for the window,
# types a command with xdotool, and checks in the database that the page was opened. Screenshots stay in
# build/bin/window-*.png, the program's log in build/bin/window.log.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${SEXTANT_BIN:-$PWD/build/bin/sextant}
shots=build/bin
log=$shots/window.log
patience=${SEXTANT_WINDOW_PATIENCE:-90} # seconds for each step

fail() {
  echo "window test: $*" >&2
  import -silent -window root "$shots/window-failed.png" 2>/dev/null && echo "screenshot of the display: $shots/window-failed.png" >&2
  echo "--- the end of the program's log ($log)" >&2
  tail -n 25 "$log" >&2 2>/dev/null || true
  exit 1
}

[ -x "$binary" ] || { echo "window test: $binary does not exist. Run: make build" >&2; exit 1; }
if ! build/setup.sh --has-desktop; then
  echo "window test: this build has no window (GTK and WebKit development files are missing)" >&2
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
  # Chromium may still be writing its profile while it dies.
  for _ in $(seq 20); do rm -rf "$dir" 2>/dev/null && break; sleep 0.1; done
}
trap stop EXIT

# until_true WHAT CHECK…: repeats CHECK until it succeeds, at most for the seconds in patience.
until_true() {
  local what=$1 end=$((SECONDS + patience)); shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || fail "$what did not happen within $patience s"
    kill -0 "$app" 2>/dev/null || fail "the program exited before $what"
    sleep 0.2
  done
}

start_display() {
  setsid Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3>"$dir/display" >/dev/null 2>&1 &
  xvfb=$!
  local end=$((SECONDS + 20))
  until [ -s "$dir/display" ]; do
    kill -0 "$xvfb" 2>/dev/null || { echo "window test: Xvfb did not start" >&2; exit 1; }
    [ "$SECONDS" -lt "$end" ] || { echo "window test: Xvfb reported no display within 20 s" >&2; exit 1; }
    sleep 0.1
  done
  DISPLAY=":$(tr -d '[:space:]' <"$dir/display")"
  export DISPLAY
}

start_program() {
  mkdir -p "$shots"
  mkdir -p -m 0700 "$dir/data" "$dir/config" "$dir/work" "$dir/home"
  local bus=()
  if command -v dbus-run-session >/dev/null; then bus=(dbus-run-session --); fi
  (
    cd "$dir/work"
    unset WAYLAND_DISPLAY
    export HOME="$dir/home" SEXTANT_DATA="$dir/data" SEXTANT_CONFIG="$dir/config"
    export GDK_BACKEND=x11 NO_AT_BRIDGE=1 LIBGL_ALWAYS_SOFTWARE=1
    exec setsid "${bus[@]}" "$binary" --log-level info
  ) >"$PWD/$log" 2>&1 </dev/null &
  app=$!
}

# A second start, as by another click on the icon in a desktop's menu.
second_start() {
  (
    cd "$dir/work"
    export HOME="$dir/home" SEXTANT_DATA="$dir/data" SEXTANT_CONFIG="$dir/config"
    timeout 20 "$binary" 2>/dev/null
  )
}

# The conversation of the last start: its part of the window is blank until it is drawn.
conversation_drawn() {
  timeout 10 import -silent -window root -crop "380x360+$((WIDTH - 410))+60" +repage "$shots/window-restart.png" || return 1
  colours=$(identify -format '%k' "$shots/window-restart.png" 2>/dev/null) || return 1
  [ "${colours:-0}" -ge 40 ]
}

window_shown() {
  window=$(xdotool search --onlyvisible --name '^Sextant' 2>/dev/null | tail -n 1)
  [ -n "$window" ]
}

# A blank window has a few colours; a drawn one has hundreds, because text is anti-aliased.
drawn() {
  import -silent -window "$window" "$1" 2>/dev/null || return 1
  colours=$(identify -format '%k' "$1" 2>/dev/null) || return 1
  [ "${colours:-0}" -ge 40 ]
}

# The window itself never uses the red of the first lamp, so this many pixels of it mean that the live view shows the
# shop. The match is fuzzy because the picture is a JPEG.
shop_shown() {
  import -silent -window "$window" "$shots/window-demo.png" 2>/dev/null || return 1
  red=$(convert "$shots/window-demo.png" -alpha off -fuzz 7% -fill black +opaque '#C8553D' \
    -fuzz 0 -fill white +opaque black -colorspace gray -format '%[fx:round(mean*w*h)]' info: 2>/dev/null) || return 1
  [ "${red:-0}" -ge 300 ]
}

# The page's answer must be in the database (SQLite, or its write-ahead log). The browser's own profile is not
# checked: it would contain the address even if nothing arrived.
page_opened() {
  find "$dir/data" -maxdepth 1 -type f -name '*.db*' -exec grep -qa 'Desk lamps' {} + 2>/dev/null
}

# called TOOL PATTERN [FILE]: checks that the newest call of a tool in the conversation succeeded with a result that
# matches the pattern. Sets matched to the pattern's group; saves the result's picture in FILE.
called() {
  matched=$(node -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    const [instance, tool, pattern, file] = process.argv.slice(1);
    const { url, token } = JSON.parse(readFileSync(instance));
    const ask = async (path) => {
      const answer = await fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` } });
      if (!answer.ok) process.exit(1);
      return answer;
    };
    (async () => {
      const { conversations } = await (await ask("/api/state")).json();
      const { events } = await (await ask(`/api/conversations/${conversations[0].id}`)).json();
      const ends = events.filter((e) => e.kind === "call.ended" && e.data.tool === tool);
      const end = ends.at(-1)?.data;
      const found = end?.status === "done" && new RegExp(pattern).exec(end.output ?? "");
      if (!found) process.exit(1);
      if (file) writeFileSync(file, Buffer.from(await (await ask(`/api/blobs/${end.images[0]}`)).arrayBuffer()));
      process.stdout.write(found[1] ?? "yes");
    })().catch(() => process.exit(1));' "$dir/data/instance.json" "$@" 2>/dev/null)
}

# attached PATTERN: checks that an unsent message has an attachment with a name that matches.
attached() { unsent draft.given. "$1"; }

# drafted TEXT: checks that this is the text of an unsent message.
drafted() { unsent draft. "^${1//\?/[?]}\$"; }

# unsent PREFIX PATTERN: checks that a draft whose key begins with PREFIX has a value that matches.
unsent() {
  node -e '
    const { readFileSync } = require("node:fs");
    const [instance, prefix, pattern] = process.argv.slice(1);
    const { url, token } = JSON.parse(readFileSync(instance));
    fetch(new URL("/api/state", url), { headers: { Authorization: `Bearer ${token}` } })
      .then((answer) => answer.json())
      .then(({ settings }) => {
        const drafts = settings.filter((s) => s.key.startsWith(prefix));
        process.exit(drafts.some((s) => new RegExp(pattern).test(s.value)) ? 0 : 1);
      })
      .catch(() => process.exit(1));' "$dir/data/instance.json" "$@" 2>/dev/null
}

page_kept() { xdotool getwindowname "$window" 2>/dev/null | grep -q '^Sextant'; }

dialog_shown() {
  dialog=$(xdotool search --onlyvisible --name '^(Open|Select|Choose|Datei|File)' 2>/dev/null | tail -n 1)
  [ -n "$dialog" ]
}

send_command() {
  local width height
  eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=')"
  width=$WIDTH height=$HEIGHT
  xdotool windowfocus --sync "$window" 2>/dev/null || true
  # The composer is at the bottom right, above the status bar.
  xdotool mousemove --window "$window" "$((width - 214))" "$((height - 95))" click 1
  xdotool key --clearmodifiers ctrl+a
  xdotool type --clearmodifiers --delay 30 "$1"
  xdotool key Return
}

start_display
start_program
until_true "a window called Sextant" window_shown
until_true "a first picture in the window" drawn "$shots/window-start.png"
echo "window: shown, $colours colours ($shots/window-start.png)"

send_command "open demo"
until_true "opening the demo shop after typing “open demo”" page_opened
until_true "the shop in the live view" shop_shown
echo "window: typed “open demo”, the shop is in the live view, $red pixels of its red lamp ($shots/window-demo.png)"

# The clipboard, from the page to the message and back.
xdotool mousemove --window "$window" 130 186 click --repeat 3 --delay 60 1
sleep 1
xdotool key --clearmodifiers ctrl+c
sleep 1
eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=')"
xdotool mousemove --window "$window" $((WIDTH - 214)) $((HEIGHT - 95)) click 1
xdotool key --clearmodifiers ctrl+v
until_true "the heading of the page in the message after Ctrl C and Ctrl V" drafted 'Desk lamps\s*'
xdotool key --clearmodifiers ctrl+a
xdotool type --clearmodifiers --delay 30 'saffron'
xdotool key --clearmodifiers ctrl+a ctrl+x
xdotool mousemove --window "$window" 660 117 click 1
sleep 1
xdotool key --clearmodifiers ctrl+v
sleep 1
send_command "annotate"
until_true "the text of the message in the page after Ctrl X and Ctrl V" called annotate_page 'saffron'
echo "window: copied from the page to the message, and from the message to the page"

# The page of a panel in the same window: number it, click an element, take a screenshot.
send_command "open tools"
until_true "opening the tools panel" called open_tools_panel Opened
send_command "annotate"
until_true "numbering the tools panel" called annotate_page 'panel:tools[^]*\[(\d+)\] radio "Available"'
import -silent -window "$window" "$shots/window-marks.png"
send_command "click $matched"
until_true "pressing “Available” on the tools panel" called click_element 'radio "Available" \(checked'
send_command "screenshot"
until_true "a picture of the tools panel" called take_screenshot 'Picture of the panel tools, (\d+ × \d+)' "$shots/window-panel.png"
colours=$(identify -format '%k' "$shots/window-panel.png")
[ "$colours" -ge 40 ] || fail "the picture of the tools panel has $colours colours ($shots/window-panel.png)"
echo "window: numbered and pressed on the tools panel, picture of $matched pixels with $colours colours ($shots/window-panel.png)"

# Files from outside: a drop from another program, a picture on the clipboard, the file dialog, and @ in the message.
mkdir "$dir/files"
echo 'The code word is saffron.' >"$dir/files/dropped.txt"
echo 'The colour is saffron.' >"$dir/files/copied.txt"
echo 'lamp;19.50' >"$dir/work/budget.csv"
convert -size 40x30 xc:red "$dir/files/picture.png"
cat >"$dir/files/picked.pdf" <<'PDF'
%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >> endobj
trailer << /Root 1 0 R >>
PDF
cc -o "$dir/window-files" build/window-files.c $(pkg-config --cflags --libs gtk+-3.0)
setsid env GDK_BACKEND=x11 NO_AT_BRIDGE=1 "$dir/window-files" "$dir/files/picture.png" "$dir/files/dropped.txt" \
  "$dir/files/copied.txt" >"$dir/window-files.log" 2>&1 &
files=$!
until_true "the program that offers files" grep -q ready "$dir/window-files.log"

eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=')"
# The pointer moves in steps, because GTK asks the program under it at each of them.
xdotool mousemove 20 20 mousedown 1
for step in $(seq 1 30); do xdotool mousemove $((20 + step * (WIDTH / 2) / 30)) $((20 + step * 380 / 30)); sleep 0.02; done
xdotool mouseup 1
until_true "attaching a dropped file" attached dropped.txt
page_kept || fail "the drop navigated the window"

xdotool windowfocus --sync "$window" 2>/dev/null || true
xdotool mousemove --window "$window" $((WIDTH - 214)) $((HEIGHT - 95)) click 1
xdotool key --clearmodifiers ctrl+v
until_true "attaching the picture on the clipboard" attached '[.]png'

kill -USR1 "$files"
sleep 0.5 # the other program takes the clipboard
xdotool key --clearmodifiers ctrl+v
until_true "attaching a copied file" attached copied.txt
xdotool type --clearmodifiers --delay 30 'colour?'
until_true "a draft without the path of the copied file" drafted 'colour?'
xdotool key --clearmodifiers ctrl+a BackSpace

xdotool type --clearmodifiers --delay 30 '@budg'
sleep 1 # the list of names appears
xdotool key Return
until_true "attaching a workspace file with @" attached budget.csv

xdotool mousemove --window "$window" $((WIDTH - 389)) $((HEIGHT - 60)) click 1
until_true "the dialog that picks files" dialog_shown
xdotool windowfocus --sync "$dialog" 2>/dev/null || true
# The first key opens the field for a path, which takes a moment; keys until then would be lost.
xdotool type --clearmodifiers /
sleep 1
xdotool type --clearmodifiers --delay 30 "${dir#/}/files/picked.pdf"
sleep 1
xdotool key Return
until_true "attaching a picked PDF" attached picked.pdf
import -silent -window "$window" "$shots/window-files.png"
kill -- "-$files" 2>/dev/null || true
page_kept || fail "a file navigated the window"
echo "window: attached a dropped text, a pasted picture, a copied file, a workspace file and a picked PDF ($shots/window-files.png)"

windows() { xdotool search --onlyvisible --name '^Sextant' 2>/dev/null | wc -l; }
before=$(windows)
said=$(second_start) || fail "a second start failed"
[ "$said" = "Its window is in front now." ] || fail "a second start said “$said”"
[ "$(windows)" -eq "$before" ] || fail "there are $(windows) windows after a second start, and $before before"
echo "window: a second start brings it to the front"

kill -- "-$app" 2>/dev/null || true
wait "$app" 2>/dev/null || true
while window_shown; do sleep 0.1; done
start_program
until_true "the window of the next start" window_shown
until_true "the last conversation in the next start" conversation_drawn
echo "window: shows the last conversation after a restart ($shots/window-restart.png)"
echo "window test: passed"
