package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

//go:embed git_read.md
var gitReadDoc string

// Default and maximum of limit, which counts commits, branches or hundreds of lines.
const (
	defaultEntries = 30
	maxEntries     = 500
)

type gitReadParams struct {
	Command string `json:"command"`
	Path    string `json:"path"`
	Rev     string `json:"rev"`
	Staged  bool   `json:"staged"`
	Limit   int    `json:"limit"`
}

func gitCommands() []string { return []string{"status", "log", "diff", "show", "blame", "branch"} }

func gitRead() tool {
	const name = "git_read"
	return tool{
		def: define(name, "files", gitReadDoc,
			`{"type":"object","properties":{`+
				`"command":{"type":"string","enum":["status","log","diff","show","blame","branch"]},`+
				`"path":{"type":"string","maxLength":4096,"description":"Folder or file; default: the workspace folder."},`+
				`"rev":{"type":"string","maxLength":200,"description":"Commit, branch, range, or commit:file for show."},`+
				`"staged":{"type":"boolean","default":false,"description":"diff: the staged changes, instead of the others."},`+
				`"limit":{"type":"integer","minimum":1,"maximum":500,"default":30,"description":"Commits of log, branches, or hundreds of lines of blame."}},`+
				`"required":["command"],"additionalProperties":false}`,
			`{"command":"status"}`, `{"command":"log","path":"docs","limit":5}`, `{"command":"show","rev":"HEAD~1"}`),
		paths: func(t *Tools, call toolspec.Call) ([]toolspec.FileUse, *toolspec.Result) {
			var p gitReadParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return nil, bad
			}
			r, bad := t.repository(p)
			if bad != nil {
				return nil, bad
			}
			return r.reads, nil
		},
		describe: func(_ *Tools, call toolspec.Call) toolspec.Description {
			var p gitReadParams
			_ = json.Unmarshal(call.Args, &p)
			return toolspec.Description{Sentence: strings.TrimSpace("Reading git " + p.Command + " " + p.Rev)}
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call) toolspec.Result {
			var p gitReadParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.gitRead(ctx, p)
		},
	}
}

type repository struct {
	// top is the folder that contains .git, and dir is the folder that .git leads to. Both are absolute with links
	// followed.
	top, dir string
	// within is the requested path relative to top, or "" for the whole repository.
	within string
	// reads contains the places that git reads: top, and the places that the call and .git name.
	reads []toolspec.FileUse
}

func (t *Tools) repository(p gitReadParams) (repository, *toolspec.Result) {
	asked, bad := t.locate(p.Path)
	if bad != nil {
		return repository{}, bad
	}
	real := asked.Path
	top := real
	for {
		if dir, ok := gitDir(top); ok {
			within, err := filepath.Rel(top, real)
			if err != nil || within == "." {
				within = ""
			}
			r := repository{top: top, dir: dir, within: within}
			whole, bad := t.use(top)
			if bad != nil {
				return r, bad
			}
			r.reads = addUse([]toolspec.FileUse{whole}, asked)
			if bad := t.addStores(&r); bad != nil {
				return r, bad
			}
			return r, t.checkRevision(&r, p.Rev)
		}
		up := filepath.Dir(top)
		if up == top {
			return repository{}, toolkit.Fail(toolspec.UserError, real+" is not in a git repository",
				"Send the path of one, or of something in it.")
		}
		top = up
	}
}

func gitDir(top string) (string, bool) {
	path := filepath.Join(top, ".git")
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return path, err == nil
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", false
	}
	b, err := os.ReadFile(path)
	named, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if err != nil || !ok {
		return "", false
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(top, named)
	}
	dir, err := protectedpaths.Resolve(filepath.Clean(named))
	return dir, err == nil
}

func (t *Tools) checkRevision(r *repository, rev string) *toolspec.Result {
	for _, c := range rev {
		if c < ' ' || c == 0x7f {
			return toolkit.Fail(toolspec.ValidationError, "rev contains characters that no revision has",
				"Send a commit, a branch or a range.")
		}
	}
	if strings.HasPrefix(rev, "-") {
		return toolkit.Fail(toolspec.ValidationError, "rev begins with a hyphen, like an option",
			"Send a commit, a branch or a range.")
	}
	// Only git knows which colon precedes the file: :0:file and HEAD@{10:00}:file have two.
	for rest, more := rev, true; more; {
		var file string
		if _, file, more = strings.Cut(rest, ":"); file != "" {
			read, bad := t.use(filepath.Join(r.top, filepath.FromSlash(file)))
			if bad != nil {
				return bad
			}
			r.reads = addUse(r.reads, read)
		}
		rest = file
	}
	return nil
}

func addUse(all []toolspec.FileUse, u toolspec.FileUse) []toolspec.FileUse {
	if i := slices.IndexFunc(all, func(has toolspec.FileUse) bool { return has.Path == u.Path }); i >= 0 {
		if all[i].Sensitive == "" {
			all[i].Sensitive = u.Sensitive
		}
		return all
	}
	return append(all, u)
}

// No value of p is where git expects an option.
func (p gitReadParams) arguments(r repository) ([]string, *toolspec.Result) {
	limit := p.Limit
	if limit == 0 {
		limit = defaultEntries
	}
	if limit < 1 || limit > maxEntries {
		return nil, toolkit.Fail(toolspec.ValidationError, fmt.Sprintf("limit is %d", limit),
			fmt.Sprintf("Send 1 to %d.", maxEntries))
	}
	quiet := []string{"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}
	revs := slices.DeleteFunc([]string{p.Rev}, func(s string) bool { return s == "" })
	at := []string{"--"}
	if r.within != "" {
		at = append(at, filepath.ToSlash(r.within))
	}
	var args []string
	switch p.Command {
	case "status":
		return append([]string{
			"status", "--short", "--branch", "--ignore-submodules=all", "--untracked-files=normal",
			"--no-column",
		}, at...), nil
	case "log":
		args = []string{
			"log", "-n", strconv.Itoa(limit), "--no-color", "--no-show-signature", "--date=iso-strict",
			"--format=%h %ad %an%d%n    %s", "--no-patch",
		}
	case "diff":
		args = append([]string{"diff"}, quiet...)
		if p.Staged {
			args = append(args, "--cached")
		}
	case "show":
		args = append([]string{"show", "--no-show-signature", "--date=iso-strict", "--format=medium"}, quiet...)
		if strings.Contains(p.Rev, ":") {
			at = nil // git accepts no path for a file of a commit
		}
	case "blame":
		if r.within == "" {
			return nil, toolkit.Fail(toolspec.ValidationError, "blame needs the path of a file",
				`For example {"command":"blame","path":"README.md"}.`)
		}
		args = []string{"blame", "--no-textconv", "--date=short", "--no-progress", "-L", "1," + strconv.Itoa(limit*100)}
		// git rejects a range that ends after the end of the file.
		if n, err := countLines(filepath.Join(r.top, r.within)); err == nil && n > 0 && p.Rev == "" {
			args[len(args)-1] = "1," + strconv.Itoa(min(n, limit*100))
		} else {
			args = args[:len(args)-2]
		}
	case "branch":
		return []string{
			"for-each-ref", "--count=" + strconv.Itoa(limit), "--sort=-committerdate",
			"--format=%(HEAD) %(refname:short) %(objectname:short) %(committerdate:iso-strict) %(subject)",
			"refs/heads", "refs/remotes",
		}, nil
	default:
		return nil, toolkit.Fail(toolspec.ValidationError, fmt.Sprintf("there is no command %q here", p.Command),
			"Send "+strings.Join(gitCommands(), ", ")+".")
	}
	return append(append(args, revs...), at...), nil
}

func countLines(path string) (int, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8<<20 {
		return 0, fmt.Errorf("counting lines of %s: %w", path, os.ErrInvalid)
	}
	b, err := os.ReadFile(path)
	n := strings.Count(string(b), "\n")
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n, err
}

func (t *Tools) gitRead(ctx context.Context, p gitReadParams) toolspec.Result {
	r, bad := t.repository(p)
	if bad == nil {
		bad = t.checkRules(ctx, r)
	}
	if bad != nil {
		return *bad
	}
	args, bad := p.arguments(r)
	if bad != nil {
		return *bad
	}
	out, bad := t.git(ctx, r, args)
	if bad != nil {
		return *bad
	}
	text := forModel(out.text, out.more, "Narrow it with path, rev or limit.")
	if text == "" {
		text = "(nothing)\n"
	}
	result := toolspec.OK(map[string]any{
		"repository": r.top, "command": p.Command, "text": text, "truncated": out.more || len(text) < len(out.text),
	})
	result.Text = r.top + "\n" + text
	result.Sentence = strings.TrimSpace("Read git " + p.Command + " " + p.Rev)
	first, _, _ := strings.Cut(text, "\n")
	result.Preview = []string{first}
	result.Sources = t.sources(r.top)
	return result
}
