package shell_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sextant/shared/toolspec"
)

func TestOwnTemporaryFolderNeedsNoApproval(t *testing.T) {
	b := newBench(t)
	r := b.run("true")
	if how, _ := value(r, "sandbox").(string); how == "no sandbox" {
		t.Skip("no sandbox here")
	}
	writes := func(command string) (paths []string) {
		args, err := json.Marshal(map[string]any{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range b.tools.Describe(toolspec.Call{Tool: "bash", Args: args}).Files {
			if f.Use != toolspec.UseRead {
				paths = append(paths, f.Path)
			}
		}
		return paths
	}
	name := "sextant-own-temp-" + filepath.Base(filepath.Dir(b.home))
	for _, command := range []string{"echo x > /tmp/" + name + "; cat /tmp/" + name, "mkdir -p /tmp/" + name +
		"/a && touch /var/tmp/" + name, "grep -c x /dev/null > /tmp/" + name + " || rm /tmp/" + name} {
		if got := writes(command); len(got) > 0 {
			t.Errorf("%s: tells of %q", command, got)
		}
	}
	if r := b.run("echo x > /tmp/" + name + "; cat /tmp/" + name); r.Text != "x" {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{"/tmp/" + name, "/var/tmp/" + name} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	// The workspace of this test lies in the temporary folder too, and what is written there stays.
	for _, command := range []string{
		"echo x > " + b.ws + "/f", "rm " + b.home + "/g", "echo x > /srv/tmp/f",
		"echo x > /tmp/../srv/f",
	} {
		if got := writes(command); len(got) != 1 {
			t.Errorf("%s: tells of %q", command, got)
		}
	}
}
