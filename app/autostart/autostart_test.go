package autostart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	path := filepath.Join(config, "autostart", "sextant.desktop")
	for _, on := range []bool{false, true, true, false, false} {
		if err := Set(on); err != nil {
			t.Fatalf("%t: %v", on, err)
		}
		text, err := os.ReadFile(path)
		if on != (err == nil) {
			t.Fatalf("%t: the file: %v", on, err)
		}
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if on && !strings.Contains(string(text), "\nExec=\""+program+"\" window --hidden\n") {
			t.Errorf("the file is\n%s", text)
		}
	}
}

func TestProgramIsQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"/opt/my app/sextant": `"/opt/my app/sextant"`,
		`/a"b$c\d%e`:          `"/a\\"b\\$c\\\\d%%e"`,
	} {
		if got := quote(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
