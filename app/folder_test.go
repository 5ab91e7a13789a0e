package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/agent/loop"
)

func TestFolderIsOpenedWhileSextantRuns(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	first, other := sys.WorkspaceFolder(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "list.txt"), []byte("three lamps"), 0o600); err != nil {
		t.Fatal(err)
	}
	window := windowOf(t, sys)
	if r := window.execute("read_file", map[string]string{"path": "list.txt"}); r.Success {
		t.Fatal("the file is in the first folder")
	}
	if err := sys.OpenFolder(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if r := window.execute("read_file", map[string]string{"path": "list.txt"}); !r.Success {
		t.Errorf("the file of the new folder was not read: %v", r.Error)
	}
	if sys.policySettings().Folder != sys.realWorkspace() || sys.WorkspaceFolder() != other {
		t.Errorf("the folder is %s, for the policy %s", sys.WorkspaceFolder(), sys.policySettings().Folder)
	}
	if got := sys.recentFolders(t.Context()); len(got) != 2 || got[0] != other || got[1] != first {
		t.Errorf("the recent folders are %v", got)
	}
	for path, want := range map[string]string{
		"relative":                              "is no full path",
		filepath.Join(other, "none"):            "There is no folder",
		filepath.Join(other, "list.txt"):        "There is no folder",
		sys.Config.DataDir:                      "Sextant keeps its own data",
		filepath.Join(sys.Config.DataDir, "/."): "Sextant keeps its own data",
	} {
		if err := sys.OpenFolder(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("opening %s: %v, want %q", path, err, want)
		}
	}
	if sys.WorkspaceFolder() != other {
		t.Errorf("a refused folder was opened: %s", sys.WorkspaceFolder())
	}
}

func TestFolderStaysWhileTheAssistantWorks(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	conversation, err := sys.Loop.Start(t.Context(), loop.TurnRequest{Text: "wait 60 seconds"})
	if err != nil {
		t.Fatal(err)
	}
	err = sys.OpenFolder(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "The assistant is working") {
		t.Errorf("opened while a turn runs: %v", err)
	}
	sys.Loop.Stop(conversation)
}

// TestLastFolderIsOpenedAgain starts in the home folder, as a desktop's menu does.
func TestLastFolderIsOpenedAgain(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Chdir(home)
	flags := testFlags(t)
	folder := func(options OpenOptions) string {
		sys := openWith(t, flags, options)
		defer sys.Close()
		if options.Serve && sys.WorkspaceFolder() == home {
			if err := sys.OpenFolder(t.Context(), project); err != nil {
				t.Fatal(err)
			}
			return home
		}
		return sys.WorkspaceFolder()
	}
	for _, c := range []struct {
		what    string
		options OpenOptions
		want    string
	}{
		{"the first start", OpenOptions{Serve: true}, home},
		{"the next start", OpenOptions{Serve: true}, project},
		{"a single command", OpenOptions{}, home},
	} {
		if got := folder(c.options); got != c.want {
			t.Errorf("%s works in %s, want %s", c.what, got, c.want)
		}
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	if sys := openWith(t, flags, OpenOptions{Serve: true}); sys.WorkspaceFolder() != home {
		t.Errorf("without the project it works in %s", sys.WorkspaceFolder())
	}
}
