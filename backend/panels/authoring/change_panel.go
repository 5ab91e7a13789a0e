package authoring

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"sextant/backend/panels/manifest"
	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed read_panel.md
var readDoc string

//go:embed change_panel.md
var changeDoc string

const (
	readName   = "read_panel"
	changeName = "change_panel"
)

func editDefinitions() []toolspec.Definition {
	id := `"panel_id":{"type":"string","maxLength":49}`
	path := `"path":{"type":"string","maxLength":200,"description":"%s"}`
	read := toolkit.Define(readName, "panels", readDoc, `{"type":"object","properties":{`+id+`,`+
		fmt.Sprintf(path, "A file; omit it to list the files.")+
		`},"required":["panel_id"],"additionalProperties":false}`,
		toolspec.Hints{ReadOnly: true}, `{"panel_id":"shopping-list","path":"page.json"}`,
		`{"panel_id":"shopping-list"}`, `{"panel_id":"shelf","path":"backend.js"}`)
	change := toolkit.Define(changeName, "panels", changeDoc, `{"type":"object","properties":{`+id+`,`+
		fmt.Sprintf(path, "The file for old or content.")+`,`+
		`"old":{"type":"string","description":"Text that occurs once in the file."},"new":{"type":"string"},`+
		`"all":{"type":"boolean","description":"Replace all occurrences of old."},"content":{"type":"string","description":"The whole new file, instead of old and new."},`+
		`"files":{"type":"object","additionalProperties":{"type":"string"},"description":"Whole files by name."},`+
		`"remove":{"type":"array","items":{"type":"string"}}`+
		`},"required":["panel_id"],"additionalProperties":false}`, toolspec.Hints{Confirm: true},
		`{"panel_id":"shopping-list","path":"page.json","old":"Nothing to buy","new":"All bought"}`,
		`{"panel_id":"lamps","path":"style.css","content":"main { gap: 12px }\n"}`,
		`{"panel_id":"lamps","files":{"cards.js":"export const cards = []\n"},"remove":["old.js"]}`)
	change.TimeoutMS = 30_000
	return []toolspec.Definition{read, change}
}

type changeParams struct {
	PanelID string            `json:"panel_id"`
	Path    string            `json:"path"`
	Old     string            `json:"old"`
	New     string            `json:"new"`
	All     bool              `json:"all"`
	Content *string           `json:"content"`
	Files   map[string]string `json:"files"`
	Remove  []string          `json:"remove"`
}

// The Result refuses a panel that the assistant did not make.
func (p *Tools) ownFiles(id string) (content, *toolspec.Result) {
	if err := manifest.CheckID(id); err != nil {
		return content{}, refusal(err.Error(), `A panel_id is such as "shopping-list".`)
	}
	folder := filepath.Join(p.cfg.Folder, id)
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return content{}, refusal("there is no panel "+id+" in the user's panels folder",
			"List the panels with get_workspace_state, or make one with create_panel.")
	}
	if info, err := os.Lstat(filepath.Join(folder, marker)); err != nil || !info.Mode().IsRegular() {
		return content{}, refusal("the assistant did not make the panel "+id+", so it may not read or change its files",
			"Tell the user what you would change, or replace the whole panel with create_panel, which asks.")
	}
	contents, err := readFolder(folder)
	if err != nil {
		return content{}, refusal("the files of "+id+" cannot be read: "+err.Error(), "Tell the user.")
	}
	contents.files[marker] = nil
	return contents, nil
}

func (p *Tools) read(call toolspec.Call) toolspec.Result {
	var params changeParams
	if bad := toolkit.Decode(call.Args, &params); bad != nil {
		return *bad
	}
	contents, bad := p.ownFiles(params.PanelID)
	if bad != nil {
		return *bad
	}
	if params.Path == "" {
		return p.listFiles(params.PanelID, contents)
	}
	text, ok := contents.files[params.Path]
	switch {
	case !ok || params.Path == marker:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the panel %s has no file %s", params.PanelID,
			excerpt.TruncateRunes(params.Path, 80)), "Its files: "+strings.Join(contents.names(), ", ")+".")
	case len(text) > maxFile || !utf8.Valid(text):
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s is not text, or larger than 512 KB", params.Path),
			"Write a new file with change_panel.")
	}
	r := toolspec.OK(map[string]any{"panel": params.PanelID, "path": params.Path, "content": string(text)})
	r.Text, r.Sentence, r.Sources = string(text), "Read "+params.Path+" of the panel "+params.PanelID,
		[]string{"panel:" + params.PanelID}
	return r
}

func (c content) names() []string {
	return slices.DeleteFunc(sorted(c.files), func(name string) bool { return name == marker })
}

func (p *Tools) listFiles(id string, contents content) toolspec.Result {
	type file struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
	}
	var (
		files    []file
		problems = []string{}
		b        strings.Builder
	)
	for _, name := range contents.names() {
		files = append(files, file{name, len(contents.files[name])})
		fmt.Fprintf(&b, "%s (%d bytes)\n", name, len(contents.files[name]))
	}
	for _, panel := range p.cfg.Registry.Panels() {
		if panel.ID != id {
			continue
		}
		for _, problem := range panel.Problems {
			problems = append(problems, fmt.Sprintf("%s %d:%d: %s", cmp.Or(problem.File, manifest.FileName),
				problem.Line, problem.Column, problem.Text))
		}
	}
	for _, problem := range problems {
		b.WriteString("Problem: " + problem + "\n")
	}
	r := toolspec.OK(map[string]any{"panel": id, "files": files, "problems": problems})
	r.Text, r.Sentence = b.String(), "Listed the files of the panel "+id
	if len(problems) > 0 {
		r.Sources = []string{"panel:" + id} // problems quote the files
	}
	return r
}

type panelChange struct {
	*plan
	was, is content
}

func (p *Tools) planChange(args json.RawMessage) (*panelChange, *toolspec.Result) {
	var params changeParams
	if bad := toolkit.Decode(args, &params); bad != nil {
		return nil, bad
	}
	was, bad := p.ownFiles(params.PanelID)
	if bad != nil {
		return nil, bad
	}
	is := content{files: maps.Clone(was.files), executables: was.executables}
	if err := params.apply(is.files); err != nil {
		return nil, refusal(err.Error(), "Read the files with read_panel.")
	}
	if maps.EqualFunc(was.files, is.files, bytes.Equal) {
		return nil, refusal("nothing would change", "Send what should change.")
	}
	made := &plan{id: params.PanelID, files: is.files, exists: true, byAssistant: true}
	if bad := p.validate(made); bad != nil {
		bad.Suggestion = "Fix all problems in one call. Nothing was written; the panel is unchanged."
		return nil, bad
	}
	return &panelChange{plan: made, was: was, is: is}, nil
}

func (c *changeParams) apply(files map[string][]byte) error {
	if len(c.Files)+len(c.Remove) > maxFiles {
		return fmt.Errorf("one call changes at most %d files", maxFiles)
	}
	write := maps.Clone(c.Files)
	if write == nil {
		write = map[string]string{}
	}
	switch {
	case c.Path == "" && (c.Content != nil || c.Old != ""):
		return errors.New("the path of the file is missing")
	case c.Content != nil:
		write[c.Path] = *c.Content
	case c.Old != "":
		text := string(files[c.Path])
		switch n := strings.Count(text, c.Old); {
		case n == 0:
			return fmt.Errorf("old does not occur in %s", excerpt.TruncateRunes(c.Path, 80))
		case n > 1 && !c.All:
			return fmt.Errorf("old occurs %d times in %s; include more of the text around it, or send all: true", n,
				excerpt.TruncateRunes(c.Path, 80))
		}
		write[c.Path] = strings.ReplaceAll(text, c.Old, c.New)
	case c.Path != "":
		return errors.New("content or old is missing for " + excerpt.TruncateRunes(c.Path, 80))
	}
	for name, text := range write {
		switch {
		case !fileName(name):
			return fmt.Errorf("%q is not a valid file name for a panel", excerpt.TruncateRunes(name, 80))
		case len(text) > maxFile:
			return fmt.Errorf("%s would be larger than 512 KB", name)
		}
		files[name] = []byte(text)
	}
	for _, name := range c.Remove {
		if _, ok := files[name]; !ok || name == marker || name == manifest.FileName {
			return fmt.Errorf("%q cannot be removed", excerpt.TruncateRunes(name, 80))
		}
		delete(files, name)
	}
	return nil
}

func fileName(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.") &&
		!strings.ContainsAny(name, "\\:\x00")
}

func (c *panelChange) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", rightsText(c.manifest))
	names := map[string][]byte{}
	maps.Copy(names, c.was.files)
	maps.Copy(names, c.is.files)
	for _, name := range sorted(names) {
		was, is := c.was.files[name], c.is.files[name]
		if _, stays := c.is.files[name]; !stays {
			fmt.Fprintf(&b, "\n%s is removed.\n", name)
		} else if !bytes.Equal(was, is) {
			fmt.Fprintf(&b, "\n%s", udiff.Unified(name, name, string(was), string(is)))
		}
	}
	return b.String()
}

func (p *Tools) describeChange(call toolspec.Call) toolspec.Description {
	c, problem := p.planChange(call.Args)
	if problem != nil {
		var params changeParams
		_ = json.Unmarshal(call.Args, &params)
		return toolspec.Description{Sentence: "Changing the panel " + excerpt.TruncateRunes(params.PanelID, 60)}
	}
	return toolspec.Description{
		Sentence: "Changing the panel " + c.id + ", which the assistant made",
		Target:   filepath.Join(p.cfg.Folder, c.id), Data: c.text(), ForwardsSecrets: true,
	}
}

// change reverts the change if the running program does not load it in time.
func (p *Tools) change(ctx context.Context, call toolspec.Call) (toolspec.Result, error) {
	c, problem := p.planChange(call.Args)
	if problem != nil {
		return *problem, nil
	}
	if err := writePanel(p.cfg.Folder, c.id, c.is, keepHidden); err != nil {
		return toolspec.Result{}, err
	}
	p.cfg.Registry.ReadNow(ctx)
	panel, ok := p.await(ctx, c.plan)
	if !ok {
		if err := writePanel(p.cfg.Folder, c.id, c.was, keepHidden); err != nil {
			return toolspec.Result{}, fmt.Errorf("restoring the panel: %w", err)
		}
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the change of %s was not loaded in time, so the panel was restored", c.id),
			"List its problems with read_panel."), nil
	}
	r := toolspec.OK(map[string]any{"panel": c.id, "title": c.title, "tools": panel.Tools})
	r.Sentence = "Changed the panel " + c.title
	r.Text = r.Sentence + ". The change is in use."
	return r, nil
}
