package launch

import (
	"os"
	"path/filepath"
	"testing"

	"sextant/backend/mcp/config"
)

func TestHomePerEntry(t *testing.T) {
	box := &Sandbox{Homes: t.TempDir()}
	old := config.Entry{Command: "npx", Args: []string{"-y", "@a/server@1.2", "/x"}}
	for _, same := range []config.Entry{
		{Command: "npx", Args: []string{"-y", "@a/server", "/y"}},
		{Command: "npx", Args: []string{"@a/server@2"}, Cwd: "/x"},
	} {
		if box.homePath("foo", same) != box.homePath("foo", old) {
			t.Errorf("%q lost its home", same.Args)
		}
	}
	for name, other := range map[string]config.Entry{
		"foo": {Command: "npx", Args: []string{"-y", "@b/server"}},
		"bar": old,
	} {
		if box.homePath(name, other) == box.homePath("foo", old) {
			t.Errorf("%s %q has another's home", name, other.Args)
		}
	}
	outside := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	make := func(name string) string {
		dir, err := box.prepareHome(name, old)
		if err == nil {
			err = box.MarkStarted(name, old)
		}
		if err == nil {
			err = os.MkdirAll(dir+"/closed/deep", 0o700)
		}
		if err == nil {
			err = os.Symlink(outside, dir+"/closed/link")
		}
		if err == nil {
			err = os.Chmod(dir+"/closed", 0o500)
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	foo, bar, gone := make("foo"), make("bar"), make("gone")
	stranger := filepath.Join(box.Homes, "notes")
	if err := os.Mkdir(stranger, 0o700); err != nil {
		t.Fatal(err)
	}
	there := func(path string) bool { _, err := os.Stat(path); return err == nil }
	if err := box.RemoveUnusedHomes(map[string]config.Entry{"bar": old}, "foo"); err != nil || there(foo) ||
		there(foo+startedSuffix) || !there(bar) || !there(gone) {
		t.Errorf("removing one: %v", err)
	}
	if err := box.RemoveUnusedHomes(map[string]config.Entry{"bar": old}, ""); err != nil || there(gone) ||
		!there(bar) ||
		!there(bar+startedSuffix) || !there(stranger) || !there(outside) {
		t.Errorf("removing what is left over: %v", err)
	}
}
