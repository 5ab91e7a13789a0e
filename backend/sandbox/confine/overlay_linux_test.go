package confine

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sextant/backend/sandbox/overlay"
)

// overlayWorld has a workspace folder with the files old, dir/a, dir/sub/b and gone/c.
type overlayWorld struct {
	t       *testing.T
	s       *Sandbox
	ws      string
	private string
}

func newOverlayWorld(t *testing.T) overlayWorld {
	t.Helper()
	base := t.TempDir()
	w := overlayWorld{
		t: t, s: New(Config{TempDir: t.TempDir(), Home: base}), ws: base + "/a, b:c", private: base,
	}
	if !w.s.HasOverlays() {
		t.Fatal("no overlays: ", w.s.probeOverlay())
	}
	for name, text := range map[string]string{
		"old": "old\n", "dir/a": "a\n", "dir/sub/b": "b\n", "gone/c": "c\n",
	} {
		path := filepath.Join(w.ws, name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o755))
		w.must(os.WriteFile(path, []byte(text), 0o600))
	}
	w.must(os.Symlink("dir", w.ws+"/link"))
	w.must(os.WriteFile(base+"/private.txt", []byte("private"), 0o600))
	return w
}

func (w overlayWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// run runs a command on a layer over the workspace.
func (w overlayWorld) run(command string) (*overlay.Layer, Exit, string) {
	w.t.Helper()
	layer, err := w.s.NewLayer()
	w.must(err)
	w.t.Cleanup(layer.Remove)
	var out bytes.Buffer
	exit, err := w.s.Run(w.t.Context(), Spec{
		Args: []string{"bash", "-c", command}, Workspace: w.ws, Restricted: []string{w.private},
		Hidden: []string{w.ws + "/keys", w.ws + "/.env"}, DenyHidden: true,
		Layers: map[string]*overlay.Layer{w.ws: layer}, Stdout: &out, Stderr: &out,
	})
	w.must(err)
	return layer, exit, out.String()
}

func isIgnored(name string) bool { return name == "cache" }

// tree returns the files of the workspace with their contents, and its folders.
func (w overlayWorld) tree() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	w.must(filepath.WalkDir(w.ws, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.ws, path)
		switch {
		case e.IsDir():
			all[name+"/"] = ""
		case e.Type()&os.ModeSymlink != 0:
			all[name], err = os.Readlink(path)
		default:
			body, readErr := os.ReadFile(path)
			all[name], err = string(body), readErr
		}
		return err
	}))
	return all
}

func TestLayerStoresChanges(t *testing.T) {
	w := newOverlayWorld(t)
	tests := []struct {
		name, command string
		want          []overlay.Change
	}{
		{"read", "cat old dir/a && find . >/dev/null", nil},
		{"touched", "touch old && echo a > dir/a", []overlay.Change{
			{Path: "dir/a", Kind: overlay.Changed, Detail: "only its time"},
			{Path: "old", Kind: overlay.Changed, Detail: "only its time"},
		}},
		{"opened", "exec 3<>old", nil},
		{"created and deleted", "mkdir x && echo > x/y && rm -r x", nil},
		{"changed", "echo new >> old", []overlay.Change{{Path: "old", Kind: overlay.Changed}}},
		{"created", "mkdir -p n/m && echo 1 > n/m/f && ln -s /etc/passwd n/l", []overlay.Change{
			{Path: "n", Kind: overlay.Created, Folder: true},
			{Path: "n/l", Kind: overlay.Created, Detail: "link to /etc/passwd"},
			{Path: "n/m", Kind: overlay.Created, Folder: true},
			{Path: "n/m/f", Kind: overlay.Created},
		}},
		{"deleted", "rm old && rm -r dir", []overlay.Change{
			{Path: "dir", Kind: overlay.Deleted, Folder: true, Files: 2}, {Path: "old", Kind: overlay.Deleted},
		}},
		{"folder replaced", "rm -r dir && mkdir -p dir/sub && echo 2 > dir/sub/z", []overlay.Change{
			{Path: "dir/a", Kind: overlay.Deleted},
			{Path: "dir/sub/b", Kind: overlay.Deleted},
			{Path: "dir/sub/z", Kind: overlay.Created},
		}},
		{"file becomes folder", "rm old && mkdir old && echo 3 > old/in", []overlay.Change{
			{Path: "old", Kind: overlay.Deleted},
			{Path: "old", Kind: overlay.Created, Folder: true},
			{Path: "old/in", Kind: overlay.Created},
		}},
		{"folder becomes file", "rm -r gone && echo 4 > gone", []overlay.Change{
			{Path: "gone", Kind: overlay.Deleted, Folder: true, Files: 1}, {Path: "gone", Kind: overlay.Created},
		}},
		{"link becomes folder", "rm link && cp -r dir link", []overlay.Change{
			{Path: "link", Kind: overlay.Deleted},
			{Path: "link", Kind: overlay.Created, Folder: true},
			{Path: "link/a", Kind: overlay.Created},
			{Path: "link/sub", Kind: overlay.Created, Folder: true},
			{Path: "link/sub/b", Kind: overlay.Created},
		}},
		{"moved", "mv dir moved && mv old moved/", []overlay.Change{
			{Path: "dir", Kind: overlay.Deleted, Folder: true, Files: 2},
			{Path: "moved", Kind: overlay.Created, Folder: true},
			{Path: "moved/a", Kind: overlay.Created},
			{Path: "moved/old", Kind: overlay.Created},
			{Path: "moved/sub", Kind: overlay.Created, Folder: true},
			{Path: "moved/sub/b", Kind: overlay.Created},
			{Path: "old", Kind: overlay.Deleted},
		}},
		{"ignored", "mkdir -p x/cache && echo > x/cache/y && echo > cache", []overlay.Change{
			{Path: "cache", Kind: overlay.Created},
			{Path: "x", Kind: overlay.Created, Folder: true},
		}},
		{"mode", "chmod 755 old", []overlay.Change{
			{Path: "old", Kind: overlay.Changed, Detail: "mode -rw------- to -rwxr-xr-x"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newOverlayWorld(t)
			before := w.tree()
			layer, exit, out := w.run(tt.command)
			if exit.Code != 0 {
				t.Fatalf("exit code %d: %s", exit.Code, out)
			}
			if diff := cmp.Diff(before, w.tree()); diff != "" {
				t.Fatalf("the command changed the folder:\n%s", diff)
			}
			got, err := layer.Read(t.Context(), w.ws, isIgnored)
			w.must(err)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("changes:\n%s", diff)
			}
			w.must(layer.Apply(t.Context(), w.ws))
			applied := w.tree()
			again := newOverlayWorld(t)
			command := exec.Command("bash", "-c", tt.command)
			command.Dir = again.ws
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			direct := again.tree()
			maps.DeleteFunc(direct, func(name, _ string) bool { return strings.HasPrefix(name, "x/cache/") })
			if diff := cmp.Diff(direct, applied); diff != "" {
				t.Errorf("applied, other than when the command runs in the folder itself:\n%s", diff)
			}
		})
	}
	w.must(os.WriteFile(w.ws+"/.env", []byte("KEY=1"), 0o600))
	w.must(os.MkdirAll(w.ws+"/keys", 0o700))
	for _, command := range []string{
		"ls " + w.private, "cat '" + w.private + "/private.txt'", "cat .env", "ls keys", "echo > keys/new", "rm .env",
	} {
		if _, exit, out := w.run(command); exit.Code == 0 {
			t.Errorf("%s: %s", command, out)
		}
	}
}

func TestLayerIsNotAppliedToAChangedFolder(t *testing.T) {
	for _, change := range []string{
		"echo > gone/new", "echo other > old", "rm old", "echo > dir/sub/new", "rm dir/a", "echo > made",
		"chmod 700 old",
	} {
		t.Run(change, func(t *testing.T) {
			w := newOverlayWorld(t)
			layer, _, _ := w.run("echo new > old; echo new > made; rm -r dir gone; echo > gone")
			_, err := layer.Read(t.Context(), w.ws, isIgnored)
			w.must(err)
			command := exec.Command("bash", "-c", change)
			command.Dir = w.ws
			w.must(command.Run())
			before := w.tree()
			var since *overlay.ChangedSinceError
			if err := layer.Apply(t.Context(), w.ws); !errors.As(err, &since) {
				t.Errorf("applied: %v", err)
			}
			if diff := cmp.Diff(before, w.tree()); diff != "" {
				t.Errorf("something was applied:\n%s", diff)
			}
		})
	}
}

func TestLayerWithWhatIsNotCopied(t *testing.T) {
	for _, command := range []string{
		"mkfifo pipe", "rm old && mkfifo old", "for i in $(seq 2100); do echo > f$i; done",
	} {
		w := newOverlayWorld(t)
		layer, _, _ := w.run(command)
		if changes, err := layer.Read(t.Context(), w.ws, isIgnored); !errors.Is(err, overlay.ErrUnsupported) {
			t.Errorf("%s: %v %v", command, changes, err)
		}
	}
}

// A run can put a link to somewhere else where the folder has a folder.
func TestLayerIsNotAppliedOutside(t *testing.T) {
	w := newOverlayWorld(t)
	layer, _, out := w.run("rm -r dir && mkdir dir && echo bad > dir/private.txt")
	_, err := layer.Read(t.Context(), w.ws, isIgnored)
	w.must(err)
	w.must(os.RemoveAll(w.ws + "/dir"))
	w.must(os.Symlink(w.private, w.ws+"/dir"))
	if err := layer.Apply(t.Context(), w.ws); err == nil {
		t.Error("applied", out)
	}
	if body, err := os.ReadFile(w.private + "/private.txt"); err != nil || string(body) != "private" {
		t.Errorf("changed outside: %q %v", body, err)
	}
}

func TestLayerLeavesNothing(t *testing.T) {
	w := newOverlayWorld(t)
	layer, _, _ := w.run("mkdir closed && echo > closed/f && chmod 0 closed")
	if _, err := layer.Read(t.Context(), w.ws, isIgnored); err == nil && os.Geteuid() != 0 {
		t.Error("a closed folder was read")
	}
	layer.Remove()
	left, err := filepath.Glob(w.s.cfg.TempDir + "/*")
	w.must(err)
	if len(left) > 0 {
		t.Error("left: ", strings.Join(left, ", "))
	}
}
