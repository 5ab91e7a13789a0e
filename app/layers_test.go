package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"sextant/build/rules"
)

const module = "sextant"

// The window's files carry build tags, so the list is made twice: as the headless program
// and as the desktop one.
func TestImportsGoDownwards(t *testing.T) {
	for _, tags := range []string{"sqlite_fts5", "sqlite_fts5 desktop production webkit2_41"} {
		pkgs := listPackages(t, tags)
		if len(pkgs) < 5 {
			t.Fatalf("go list names only %d packages", len(pkgs))
		}
		for _, p := range rules.CheckLayers(module, pkgs) {
			t.Error(p)
		}
	}
}

func listPackages(t *testing.T, tags string) []rules.Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "-tags", tags, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []rules.Package
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		if !strings.Contains(p.ImportPath, "/node_modules/") {
			pkgs = append(pkgs, rules.Package{Path: p.ImportPath, Imports: p.Imports})
		}
	}
}
