package inspect

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sextant/shared/toolspec"
)

// listedPaths are the places that a log of the repository in the folder path would read.
func listedPaths(tools *Tools, path string) (at []string, sensitive string) {
	for _, u := range tools.Describe(callOf("git_read", map[string]any{"command": "log", "path": path})).Files {
		at, sensitive = append(at, u.Path), sensitive+u.Sensitive
	}
	return at, sensitive
}

func TestGitReadListsExternalObjectStores(t *testing.T) {
	tools, folder := newTools(t)
	home := filepath.Dir(folder)
	other := filepath.Join(home, "other")
	newRepository(t, other)

	led := filepath.Join(folder, "led")
	writeFile(t, filepath.Join(led, ".git"), "gitdir: ../../other/.git\n")

	gitIn(t, other, "worktree", "add", "-q", filepath.Join(folder, "tree"), "old")

	common := filepath.Join(folder, "common")
	writeFile(t, filepath.Join(common, ".git/HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(common, ".git/commondir"), "../../../other/.git\n")

	borrows := filepath.Join(folder, "borrows")
	newRepository(t, borrows)
	middle := filepath.Join(home, "middle")
	newRepository(t, middle)
	writeFile(t, filepath.Join(borrows, ".git/objects/info/alternates"), "# other stores\n"+
		filepath.Join(middle, ".git/objects")+"\n")
	writeFile(t, filepath.Join(middle, ".git/objects/info/alternates"),
		"../../../other/.git/objects\n\"../../../quoted\"\n")

	linked := filepath.Join(folder, "linked")
	newRepository(t, linked)
	if err := os.RemoveAll(filepath.Join(linked, ".git/objects")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, ".git/objects"), filepath.Join(linked, ".git/objects")); err != nil {
		t.Fatal(err)
	}

	for path, want := range map[string][]string{
		led:                           {filepath.Join(other, ".git")},
		filepath.Join(folder, "tree"): {filepath.Join(other, ".git/worktrees/tree"), filepath.Join(other, ".git")},
		common:                        {filepath.Join(other, ".git")},
		borrows: {
			filepath.Join(middle, ".git/objects"), filepath.Join(other, ".git/objects"),
			filepath.Join(home, "quoted"),
		},
		linked: {filepath.Join(other, ".git/objects")},
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			at, sensitive := listedPaths(tools, path)
			for _, w := range want {
				if !slices.Contains(at, w) {
					t.Errorf("%s reads %s too, listed are %v", path, w, at)
				}
			}
			if sensitive != "" {
				t.Errorf("%s: git's own files are called %s", path, sensitive)
			}
		})
	}
	if at, _ := listedPaths(tools, other); len(at) != 1 {
		t.Errorf("an ordinary repository reads %v", at)
	}
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "log", "path": "tree"}), "Add the desk lamp")
}

func TestGitReadDoesNotFollowIntoProtectedPaths(t *testing.T) {
	tools, folder := newTools(t)
	secret := filepath.Join(filepath.Dir(folder), ".password-store")
	newRepository(t, secret)
	writeFile(t, filepath.Join(folder, "led/.git"), "gitdir: "+secret+"/.git\n")
	newRepository(t, filepath.Join(folder, "common"))
	writeFile(t, filepath.Join(folder, "common/.git/commondir"), "../../../.password-store/.git")
	newRepository(t, filepath.Join(folder, "borrows"))
	writeFile(t, filepath.Join(folder, "borrows/.git/objects/info/alternates"), secret+"/.git/objects\n")
	newRepository(t, filepath.Join(folder, "quotes"))
	writeFile(t, filepath.Join(folder, "quotes/.git/objects/info/alternates"),
		`"`+secret+`/.git/\157bjects"behind`+"\n")
	newRepository(t, filepath.Join(folder, "long"))
	writeFile(t, filepath.Join(folder, "long/.git/commondir"), string(make([]byte, maxPath+1)))
	for _, path := range []string{"led", "common", "borrows", "quotes", "long"} {
		t.Run(path, func(t *testing.T) {
			call := callOf("git_read", map[string]any{"command": "log", "path": path})
			if r := tools.Refuse(call); r == nil || r.ErrorType != toolspec.SecurityError {
				t.Errorf("not refused: %+v", r)
			}
		})
	}
}

func TestGitReadRefusesARepositoryWithAForbiddenPath(t *testing.T) {
	tools, folder := newTools(t)
	home := filepath.Dir(folder)
	newRepository(t, folder)
	other := filepath.Join(home, "other")
	newRepository(t, other)
	gitIn(t, other, "worktree", "add", "-q", filepath.Join(home, "tree"), "old")
	if err := os.Symlink(folder, filepath.Join(home, "alias")); err != nil {
		t.Fatal(err)
	}
	var forbidden []string
	tools.cfg.ForbiddenPaths = func(_ context.Context, tool string) ([]string, error) {
		if tool != "git_read" {
			t.Errorf("asked about %s", tool)
		}
		return forbidden, nil
	}
	for _, c := range []struct {
		path, rule string
		closed     bool
	}{
		{folder, filepath.Join(folder, "docs"), true},
		{folder, filepath.Join(folder, "gone/long/ago"), true},
		{folder, filepath.Join(home, "alias/docs"), true},
		{folder, filepath.Join(other, "docs"), false},
		{folder, folder + "2", false},
		{filepath.Join(home, "tree"), filepath.Join(other, "docs"), true},
	} {
		forbidden = []string{c.rule}
		for _, args := range []map[string]any{{"command": "diff"}, {"command": "show"}, {"command": "log"}} {
			args["path"] = c.path
			r := run(t, tools, "git_read", args)
			if c.closed {
				wantError(t, r, toolspec.PermissionError, "a rule forbids "+c.rule)
			} else {
				wantText(t, r)
			}
		}
	}
}
