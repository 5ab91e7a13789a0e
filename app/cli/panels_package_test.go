package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// typed runs the command line at a terminal at which line is typed.
func typed(t *testing.T, flags map[string]string, line string, args ...string) (code int, out, errs string) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	if _, err := keyboard.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	args = append(args, "--data", flags["data"], "--config", flags["config"])
	code = Run(t.Context(), args, Streams{In: terminal, Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func TestAPanelIsPackedAndInstalledByAPersonWhoReadWhatItMayDo(t *testing.T) {
	flags, file := testFlags(t), filepath.Join(t.TempDir(), "reading-list.sextant-panel")
	if code, out, errs := verb(t, flags, "panels", "pack", "../../docs/examples/reading-list", "--out",
		file); code != exitDone || !strings.Contains(out, "Packed reading-list") {
		t.Fatalf("pack: %d %s %s", code, out, errs)
	}
	folder := filepath.Join(flags["data"], "panels", "reading-list")
	code, _, errs := verb(t, flags, "panels", "install", file)
	if code != exitRefused || !strings.Contains(errs, "process “node” “server.mjs”") ||
		!strings.Contains(errs, "--yes") || isFolder(folder) {
		t.Errorf("with nobody to ask: %d %s", code, errs)
	}
	if code, _, errs := typed(t, flags, "n", "panels", "install", file); code != exitRefused || isFolder(folder) {
		t.Errorf("after a no: %d %s", code, errs)
	}
	code, out, errs := typed(t, flags, "y", "panels", "install", file)
	if code != exitDone || !strings.Contains(errs, "reading_list_add") ||
		!strings.Contains(out, "Installed reading-list") || !isFolder(folder) {
		t.Errorf("after a yes: %d %s %s", code, out, errs)
	}
	if code, out, errs := verb(t, flags, "panels", "pack", "reading-list", "--out", file, "--json"); code != exitDone ||
		!strings.Contains(out, `"panel": "reading-list"`) {
		t.Errorf("pack by its id: %d %s %s", code, out, errs)
	}
	if code, out, errs := verb(t, flags, "panels", "install", file, "--yes", "--json"); code != exitDone ||
		!strings.Contains(out, `"update": true`) || !strings.Contains(errs, "no more than") {
		t.Errorf("again, without a question: %d %s %s", code, out, errs)
	}
}

func TestAFileThatIsNoPanelIsRefusedWithItsProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"),
		[]byte("{\n  \"panel_id\": \"mine\",\n  \"titel\": \"Mine\"\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := testFlags(t)
	code, _, errs := verb(t, flags, "panels", "pack", dir, "--out", filepath.Join(dir, "x"))
	if code != exitFailed || !strings.Contains(errs, "manifest.json:3:3:") || !strings.Contains(errs, "fix       ") {
		t.Errorf("pack: %d %s", code, errs)
	}
	code, _, errs = verb(t, flags, "panels", "install", filepath.Join(dir, "manifest.json"), "--yes")
	if code != exitFailed || !strings.Contains(errs, "the archive is refused") {
		t.Errorf("install: %d %s", code, errs)
	}
}
