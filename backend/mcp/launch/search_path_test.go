package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSearchPathAddsUserFolders(t *testing.T) {
	home := t.TempDir()
	tool := func(parts ...string) string {
		file := filepath.Join(append([]string{home}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	own := tool("own", "npx")
	tool(".nvm", "versions", "node", "v9.1.0", "bin", "npx")
	newest := tool(".nvm", "versions", "node", "v22.3.1", "bin", "npx")
	twenty := tool(".nvm", "versions", "node", "v20.9.0", "bin", "npx")
	shim := tool(".asdf", "shims", "erl")
	global := tool("packages", "bin", "server-x")
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte("fund=false\nprefix = ~/packages\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	path := SearchPath("/usr/bin", home)
	for name, want := range map[string]string{
		"npx": newest, "erl": shim, "server-x": global, "no-such": "no-such",
		"./npx": "./npx",
	} {
		t.Run(name, func(t *testing.T) {
			if got := executable(name, strings.Replace(path, "/usr/bin:", "", 1)); got != want {
				t.Errorf("%s is %s, not %s", name, got, want)
			}
		})
	}
	if got := executable("npx", SearchPath(filepath.Dir(own), home)); got != own {
		t.Errorf("what the path has is hidden by %s", got)
	}
	if err := os.MkdirAll(filepath.Join(home, ".nvm", "alias"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".nvm", "alias", "default"), []byte("v20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(filepath.SplitList(SearchPath("", home)), filepath.Dir(twenty)) {
		t.Errorf("nvm's default is not in %s", SearchPath("", home))
	}
}
