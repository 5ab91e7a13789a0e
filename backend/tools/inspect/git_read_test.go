package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// newRepository has two commits, a staged and an unstaged change and a new file.
func newRepository(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	writeFile(t, filepath.Join(dir, "lamps.txt"), "desk\n")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "Add the desk lamp")
	writeFile(t, filepath.Join(dir, "docs/read.md"), "# Lamps\n")
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "-qm", "Say what lamps are")
	gitIn(t, dir, "branch", "old", "HEAD~1")
	writeFile(t, filepath.Join(dir, "lamps.txt"), "desk\nfloor\n")
	writeFile(t, filepath.Join(dir, "docs/read.md"), "# Lamps and shades\n")
	gitIn(t, dir, "add", "docs")
	writeFile(t, filepath.Join(dir, "new.txt"), "new\n")
}

func TestGitReadCommands(t *testing.T) {
	tools, folder := newTools(t)
	newRepository(t, folder)
	cases := []struct {
		args map[string]any
		want []string
		not  string
	}{
		{map[string]any{"command": "status"}, []string{"## main", " M lamps.txt", "M  docs/read.md", "?? new.txt"}, ""},
		{map[string]any{"command": "status", "path": "docs"}, []string{"docs/read.md"}, "lamps.txt"},
		{map[string]any{"command": "log"}, []string{"Say what lamps are", "Add the desk lamp", "Ada"}, ""},
		{map[string]any{"command": "log", "limit": 1}, []string{"Say what lamps are"}, "Add the desk lamp"},
		{map[string]any{"command": "log", "path": "lamps.txt"}, []string{"Add the desk lamp"}, "Say what"},
		{map[string]any{"command": "log", "rev": "old"}, []string{"Add the desk lamp"}, "Say what"},
		{map[string]any{"command": "log", "rev": "old..main"}, []string{"Say what"}, "Add the desk lamp"},
		{map[string]any{"command": "diff"}, []string{"+floor"}, "shades"},
		{map[string]any{"command": "diff", "staged": true}, []string{"+# Lamps and shades"}, "floor"},
		{map[string]any{"command": "diff", "rev": "HEAD"}, []string{"+floor", "shades"}, ""},
		{map[string]any{"command": "show"}, []string{"Say what lamps are", "+# Lamps"}, ""},
		{map[string]any{"command": "show", "rev": "HEAD~1"}, []string{"+desk"}, ""},
		{map[string]any{"command": "show", "rev": "HEAD:docs/read.md"}, []string{"# Lamps\n"}, "shades"},
		{map[string]any{"command": "blame", "path": "lamps.txt"}, []string{"desk", "floor", "Ada"}, ""},
		{map[string]any{"command": "blame", "path": "lamps.txt", "rev": "old"}, []string{"desk"}, "floor"},
		{map[string]any{"command": "branch"}, []string{"* main", "old"}, ""},
		{map[string]any{"command": "diff", "path": "docs/read.md"}, []string{"(nothing)"}, ""},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			r := run(t, tools, "git_read", c.args)
			wantText(t, r, c.want...)
			if c.not != "" && strings.Contains(r.Text, c.not) {
				t.Errorf("%v says %q: %s", c.args, c.not, r.Text)
			}
		})
	}
	d := tools.Describe(callOf("git_read", map[string]any{"command": "log", "path": "docs"}))
	if d.Target != folder || len(d.Files) != 2 || d.Files[1].Path != filepath.Join(folder, "docs") ||
		d.Files[0].Use != toolspec.UseRead || d.Sentence != "Reading git log" {
		t.Errorf("%+v", d)
	}
}

func TestGitReadRefusesInvalidArguments(t *testing.T) {
	tools, folder := newTools(t)
	newRepository(t, folder)
	home := filepath.Dir(folder)
	writeFile(t, filepath.Join(home, ".ssh/id_rsa"), "key")
	if err := os.Symlink(filepath.Join(home, ".ssh"), filepath.Join(folder, "keys")); err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"--output=" + folder + "/x", "-O/etc/passwd", "a\nb", "a\x00b"} {
		wantError(t, run(t, tools, "git_read", map[string]any{"command": "log", "rev": rev}), toolspec.ValidationError,
			"rev")
	}
	for _, path := range []string{"~/.ssh", "keys/id_rsa", "keys", home + "/.ssh", "../.ssh"} {
		call := map[string]any{"command": "log", "path": path}
		wantError(t, run(t, tools, "git_read", call), toolspec.SecurityError)
		if tools.Refuse(callOf("git_read", call)) == nil {
			t.Errorf("%s is not refused before anybody is asked", path)
		}
	}
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "show", "rev": "HEAD:../.ssh/id_rsa"}),
		toolspec.SecurityError)
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "push"}), toolspec.ValidationError,
		"status, log, diff, show, blame, branch")
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "blame"}), toolspec.ValidationError, "path")
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "log", "limit": 501}), toolspec.ValidationError,
		"1 to 500")
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "log", "rev": "nowhere"}), toolspec.UserError,
		"git failed", "nowhere")
	wantError(t, run(t, tools, "git_read", map[string]any{"command": "log", "path": "/"}), toolspec.UserError,
		"not in a git repository")
	if tools.Refuse(callOf("git_read", map[string]any{"command": "log"})) != nil {
		t.Error("an ordinary call is refused")
	}
}

// hostileConfig names P, a program, wherever git would start one; H is a folder of hooks, S a secret file, L the trace.
const hostileConfig = `
[core]
	fsmonitor = P
	hooksPath = H
	pager = P
	editor = P
	sshCommand = P
	askPass = P
	alternateRefsCommand = P
	worktree = /etc
[pager]
	log = P
	diff = P
[diff]
	external = P
[diff "evil.one"]
	command = P
	textconv = P
	cachetextconv = true
[filter "Evil.Two"]
	clean = P
	smudge = P
	process = P
	required = true
[gpg]
	program = P
[log]
	showSignature = true
[blame]
	ignoreRevsFile = S
[mailmap]
	file = S
[credential]
	helper = !P
[remote "origin"]
	url = ext::P
	promisor = true
	uploadpack = P
	vcs = evil
[protocol "ext"]
	allow = always
[extensions]
	partialClone = origin
[alias]
	log = !P
[include]
	path = more
[trace2]
	eventTarget = L
`

// hostileRepository makes a repository that names a program in every place that git would start
// one from, and returns the file that a start would leave.
func hostileRepository(t *testing.T, dir string) (left string) {
	t.Helper()
	newRepository(t, dir)
	left = filepath.Join(filepath.Dir(dir), "left")
	script := filepath.Join(filepath.Dir(dir), "program")
	writeFile(t, script, "#!/bin/sh\necho \"$0 $*\" >> '"+left+"'\ncat\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(filepath.Dir(dir), "secret.txt")
	writeFile(t, secret, "first-line-of-a-secret\n")
	config := strings.NewReplacer("P\n", script+"\n", "H\n", filepath.Join(dir, ".git/hooks")+"\n", "S\n", secret+"\n",
		"L\n", left+"\n").Replace(hostileConfig)
	add, err := os.OpenFile(filepath.Join(dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := add.WriteString(config); err != nil {
		t.Fatal(err)
	}
	_ = add.Close()
	writeFile(t, filepath.Join(dir, ".git/more"), "[filter \"third\"]\n\tclean = "+script+"\n\tprocess = "+script+
		"\n\trequired = true\n")
	for _, hook := range []string{
		"post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction",
		"pre-auto-gc",
	} {
		writeFile(t, filepath.Join(dir, ".git/hooks", hook), "#!/bin/sh\necho hook >> '"+left+"'\n")
		if err := os.Chmod(filepath.Join(dir, ".git/hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, ".git/info/attributes"),
		"*.txt diff=evil.one filter=Evil.Two\n*.md filter=third diff=evil.one\n")
	return left
}

func TestRepositoryCannotStartPrograms(t *testing.T) {
	tools, folder := newTools(t)
	left := hostileRepository(t, folder)
	// A file with a changed time is read again, so that filters would run.
	writeFile(t, filepath.Join(folder, "lamps.txt"), "desk\nother\n")
	before, err := os.ReadFile(filepath.Join(folder, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "status"}), " M lamps.txt")
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "diff"}), "+other")
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "log"}), "Say what lamps are")
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "show"}), "+# Lamps")
	wantText(t, run(t, tools, "git_read", map[string]any{"command": "branch"}), "main")
	blame := run(t, tools, "git_read", map[string]any{"command": "blame", "path": "lamps.txt"})
	wantError(t, blame, toolspec.UserError, "blame.ignoreRevsFile")
	if strings.Contains(blame.Error, "first-line-of-a-secret") {
		t.Errorf("a file named by the repository is read: %s", blame.Error)
	}
	// What is missing would be fetched, by a program.
	wantError(t, run(t, tools, "git_read", map[string]any{
		"command": "show",
		"rev":     "1111111111111111111111111111111111111111",
	}), toolspec.UserError, "git failed")
	if b, err := os.ReadFile(left); err == nil {
		t.Errorf("programs were started or files written:\n%s", b)
	}
	if after, _ := os.ReadFile(filepath.Join(folder, ".git/index")); string(after) != string(before) {
		t.Error("the index was written")
	}

	// The test itself: git as a person runs it does start them.
	gitIn(t, folder, "-c", "extensions.partialClone=", "-c", "core.worktree="+folder, "status")
	if _, err := os.ReadFile(left); err != nil {
		t.Fatal("this repository starts nothing at all, so the test shows nothing")
	}
}

func TestLongGitOutputIsTruncated(t *testing.T) {
	tools, folder := newTools(t)
	newRepository(t, folder)
	writeFile(t, filepath.Join(folder, "lamps.txt"), strings.Repeat("a line of text that is new\n", 200_000))
	r := run(t, tools, "git_read", map[string]any{"command": "diff", "path": "lamps.txt"})
	wantText(t, r, "[Cut: there is more. Narrow it")
	if len(r.Text) > maxText+1000 {
		t.Errorf("%d bytes", len(r.Text))
	}
}

func TestGitReadDescriptionListsPaths(t *testing.T) {
	tools, folder := newTools(t)
	newRepository(t, folder)
	writeFile(t, filepath.Join(folder, ".netrc"), "machine lamps.example\n")
	gitIn(t, folder, "add", ".")
	gitIn(t, folder, "commit", "-qm", "Keep a log-in")
	for _, args := range []map[string]any{
		{"command": "show", "rev": "HEAD:.netrc"},
		{"command": "show", "rev": ":0:.netrc"},
		{"command": "show", "rev": ":.netrc"},
		{"command": "show", "rev": "HEAD@{2026-11-01 10:00}:.netrc"},
		{"command": "log", "path": ".netrc"},
		{"command": "blame", "path": ".netrc"},
	} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			marked := false
			for _, u := range tools.Describe(callOf("git_read", args)).Files {
				marked = marked || u.Path == filepath.Join(folder, ".netrc") && u.Sensitive != ""
			}
			if !marked {
				t.Errorf("%v does not say that it reads a file of log-ins", args)
			}
		})
	}
	for _, u := range tools.Describe(callOf("git_read",
		map[string]any{"command": "show", "rev": "HEAD:lamps.txt"})).Files {
		if u.Sensitive != "" {
			t.Errorf("%s is called %s", u.Path, u.Sensitive)
		}
	}

	// In the home itself, the same file is closed to every tool.
	home := filepath.Dir(folder)
	newRepository(t, home)
	for _, rev := range []string{"HEAD:.netrc", ":0:.netrc", "HEAD@{2026-11-01 10:00}:.netrc", "HEAD:work/../.netrc"} {
		call := callOf("git_read", map[string]any{"command": "show", "path": home, "rev": rev})
		if r := tools.Refuse(call); r == nil || r.ErrorType != toolspec.SecurityError {
			t.Errorf("%s is not refused: %+v", rev, r)
		}
	}
}
