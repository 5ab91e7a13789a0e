package authoring

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/backend/toolkit"
	"sextant/backend/toolprovider/pinning"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

//go:embed create_panel.md
var createDoc string

type createParams struct {
	PanelID     string                     `json:"panel_id"`
	Template    string                     `json:"template"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Tools       json.RawMessage            `json:"tools"`
	Page        json.RawMessage            `json:"page"`
	HTML        string                     `json:"html"`
	Script      string                     `json:"script"`
	Files       map[string]string          `json:"files"`
	Manifest    map[string]json.RawMessage `json:"manifest"`
	Replace     bool                       `json:"replace"`
}

const (
	createName = "create_panel"
	// marker is the name of a file in the folder of each panel that the assistant made.
	marker      = ".made-by-assistant"
	maxFiles    = 40
	maxFile     = 512 << 10
	loadTimeout = 10 * time.Second
)

// PanelRegistry contains the methods of the panel registry that this package needs.
type PanelRegistry interface {
	Panels() []event.Panel
	// AcceptedPanel returns the manifest that the user accepted for a panel. It returns false if there is none.
	AcceptedPanel(panel string) (wire.AcceptedPanel, bool)
	// Accept accepts the pending manifest with the given hash.
	Accept(ctx context.Context, panel, hash string) error
	// SetAcceptedManifest stores text as the accepted manifest of a panel.
	SetAcceptedManifest(ctx context.Context, panel string, text []byte) error
	// ReadNow reads the panel folders immediately.
	ReadNow(ctx context.Context)
}

// Config configures Tools.
type Config struct {
	// Folder contains the user's panels. If it is "", there are no tools.
	Folder   string
	Registry PanelRegistry
	// Reserved returns the tool names that no panel may use; nil means none.
	Reserved func() []string
	// Open shows a panel in the window. If it is nil, a created panel is not shown.
	Open func(ctx context.Context, panel string) error
}

// Tools implements the baseline tools create_panel, read_panel and change_panel, and installs archives while the
// program runs (Offer, Install). It is safe for concurrent use.
type Tools struct{ cfg Config }

// NewTools returns the tools configured by cfg.
func NewTools(cfg Config) *Tools { return &Tools{cfg} }

// Definitions returns the tools that create, read and change a panel, or none if Config.Folder is "".
func (p *Tools) Definitions(string) []toolspec.Definition {
	if p.cfg.Folder == "" {
		return nil
	}
	d := toolkit.Define(createName, "panels", createDoc, `{"type":"object","properties":{`+
		`"panel_id":{"type":"string","maxLength":49,"description":"Small letters, digits, hyphens."},`+
		`"template":{"type":"string","enum":["list","board"]},`+
		`"title":{"type":"string","maxLength":80},"description":{"type":"string","maxLength":300},`+
		`"tools":{"type":"array","items":{"type":"object"}},"page":{"type":"object"},"html":{"type":"string"},`+
		`"script":{"type":"string","description":"backend.js: JavaScript that runs in the sandbox and answers the tools."},`+
		`"files":{"type":"object","additionalProperties":{"type":"string"}},"manifest":{"type":"object"},"replace":{"type":"boolean"}`+
		`},"required":["panel_id"],"additionalProperties":false}`, toolspec.Hints{Confirm: true},
		`{"panel_id":"shopping-list","template":"list"}`, `{"panel_id":"lamps","template":"board","replace":true}`,
		`{"panel_id":"shelf","title":"Shelf","tools":[{"name":"shelf_show","description":"The books",`+
			`"endpoint":"GET /api/shelf/books","parameters":{}}],`+
			`"script":"handlers.shelf_show = async () => ['Emma']"}`)
	d.TimeoutMS = 30_000
	return append([]toolspec.Definition{d}, editDefinitions()...)
}

type plan struct {
	id, title string
	files     map[string][]byte
	manifest  manifest.Manifest
	tools     []string
	// exists is true if there is already a panel with this id. byAssistant is true if the assistant made it.
	exists, byAssistant bool
}

// Describe describes what call would do, with the files or changed lines, so that the user can read them before they
// are written.
func (p *Tools) Describe(call toolspec.Call) toolspec.Description {
	switch call.Tool {
	case readName:
		return toolspec.Description{Sentence: "Reading a panel that the assistant made"}
	case changeName:
		return p.describeChange(call)
	}
	made, problem := p.plan(call.Args)
	if problem != nil {
		var params createParams
		_ = json.Unmarshal(call.Args, &params)
		return toolspec.Description{Sentence: "Making the panel " + excerpt.TruncateRunes(params.PanelID, 60)}
	}
	d := toolspec.Description{
		Sentence: "Making the panel " + made.id, Target: filepath.Join(p.cfg.Folder, made.id),
		Data: made.text(), ForwardsSecrets: true,
	}
	switch {
	case made.exists && made.byAssistant:
		d.Sentence = "Replacing the panel " + made.id + ", which the assistant made"
	case made.exists:
		d.Sentence = "Replacing the panel " + made.id + ", which the assistant did not make"
	}
	return d
}

func (p *plan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", rightsText(p.manifest))
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if name != marker {
			fmt.Fprintf(&b, "\n%s:\n%s\n", name, p.files[name])
		}
	}
	return b.String()
}

// Execute reads, changes or creates a panel. It waits up to 10 seconds until the written panel is loaded. It opens a
// created panel, and reverts a change that is not loaded in time.
func (p *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition,
	_ func(stream, text string),
) (toolspec.Result, error) {
	switch call.Tool {
	case readName:
		return p.read(call), nil
	case changeName:
		return p.change(ctx, call)
	}
	made, problem := p.plan(call.Args)
	if problem != nil {
		return *problem, nil
	}
	if err := os.MkdirAll(p.cfg.Folder, 0o700); err != nil {
		return toolspec.Result{}, fmt.Errorf("making panels folder: %w", err)
	}
	if err := writePanel(p.cfg.Folder, made.id, content{files: made.files}, keepAll); err != nil {
		return toolspec.Result{}, err
	}
	panel, ok := p.await(ctx, made)
	if !ok {
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the panel %s was written, but not loaded in time",
			made.id),
			"List its problems with read_panel, then call again with replace."), nil
	}
	if p.cfg.Open != nil {
		if err := p.cfg.Open(ctx, made.id); err != nil {
			return toolspec.Result{}, err
		}
	}
	r := toolspec.OK(map[string]any{
		"panel": made.id, "title": made.title, "tools": panel.Tools,
		"folder": filepath.Join(p.cfg.Folder, made.id),
	})
	r.Sentence = "Made the panel " + made.title
	r.Text = r.Sentence + " and opened it."
	if len(panel.Tools) > 0 {
		r.Text += " Its tools: " + strings.Join(panel.Tools, ", ") + "."
	}
	return r, nil
}

// await accepts the manifest if it is pending, because the user saw it when approving the call.
func (p *Tools) await(ctx context.Context, made *plan) (event.Panel, bool) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	hash := pinning.Hash(made.files[manifest.FileName])
	for {
		for _, panel := range p.cfg.Registry.Panels() {
			if panel.ID != made.id {
				continue
			}
			if panel.Pending != nil && panel.Pending.Hash == hash {
				// If this fails, the manifest stays pending in the window.
				_ = p.cfg.Registry.Accept(ctx, made.id, hash)
				continue
			}
			if panel.Usable && panel.Title == made.title && len(panel.Tools) == len(made.tools) && made.shown(panel) {
				return panel, true
			}
		}
		select {
		case <-ctx.Done():
			return event.Panel{}, false
		case <-tick.C:
		}
	}
}

func (p *plan) shown(panel event.Panel) bool {
	return p.manifest.UI == nil || panel.Page.Kind == p.manifest.UI.Kind
}

func (p *Tools) plan(args json.RawMessage) (*plan, *toolspec.Result) {
	var params createParams
	if bad := toolkit.Decode(args, &params); bad != nil {
		return nil, bad
	}
	if err := manifest.CheckID(params.PanelID); err != nil {
		return nil, refusal(err.Error(), `A valid panel_id is "shopping-list".`)
	}
	made := &plan{id: params.PanelID}
	folder := filepath.Join(p.cfg.Folder, params.PanelID)
	if _, err := os.Lstat(folder); err == nil {
		made.exists = true
		_, err = os.Stat(filepath.Join(folder, marker))
		made.byAssistant = err == nil
	}
	if made.exists && !params.Replace {
		return nil, refusal(fmt.Sprintf("there is already a panel %s", params.PanelID),
			"Choose another panel_id, or send replace: true to replace it, which asks the user.")
	}
	var bad *toolspec.Result
	if made.files, bad = params.files(); bad != nil {
		return nil, bad
	}
	for _, panel := range p.cfg.Registry.Panels() {
		if panel.ID == params.PanelID && panel.Builtin {
			return nil, refusal(params.PanelID+" is a built-in panel", "Choose another panel_id.")
		}
	}
	return made, p.validate(made)
}

func refusal(text, next string) *toolspec.Result {
	return toolkit.Fail(toolspec.ValidationError, text, next+" Nothing was written.")
}

// validate checks the files in a temporary folder as the running program would.
func (p *Tools) validate(made *plan) *toolspec.Result {
	dir, err := os.MkdirTemp("", "sextant-panel-")
	if err != nil {
		return toolkit.Fail(toolspec.SystemError, "making a folder for the check: "+err.Error(),
			"Free some space, then call again.")
	}
	defer os.RemoveAll(dir)
	if err := writePanel(dir, made.id, content{files: made.files}, keepAll); err != nil {
		return toolkit.Fail(toolspec.SystemError, err.Error(), "Free some space, then call again.")
	}
	folder := filepath.Join(dir, made.id)
	var reserved []string
	if p.cfg.Reserved != nil {
		reserved = p.cfg.Reserved()
	}
	report := manifest.Validate(folder, reserved...)
	problems := slices.DeleteFunc(report.Problems, func(problem manifest.Problem) bool {
		return problem.IsWarning() &&
			problem.Line == 0
	})
	for _, other := range p.cfg.Registry.Panels() {
		for _, tool := range report.Tools {
			if other.ID != made.id && slices.Contains(other.Tools, tool) {
				problems = append(problems, manifest.Problem{
					Severity: event.SeverityError, Tool: tool,
					Text: fmt.Sprintf("the %s panel already has a tool %s; give it another name", other.Title,
						tool),
				})
			}
		}
	}
	if len(problems) > 0 {
		lines := make([]string, len(problems))
		for i, problem := range problems {
			lines[i] = problem.String()
			if problem.Fix != "" {
				lines[i] += " Right would be: " + problem.Fix
			}
		}
		return refusal(strings.Join(lines, "\n"), "Fix all problems and send the whole panel again.")
	}
	found := manifest.Parse(made.files[manifest.FileName], made.id, false)
	if found.Plan == nil {
		return refusal("the manifest cannot be used", "")
	}
	made.manifest, made.title, made.tools = found.Plan.Manifest, found.Plan.Manifest.Title, report.Tools
	return nil
}

func (c *createParams) files() (map[string][]byte, *toolspec.Result) {
	if c.Template != "" {
		kind := map[string]string{"list": "declarative", "board": "webview"}[c.Template]
		files, err := template(c.PanelID, kind)
		if err != nil || kind == "" {
			return nil, refusal(fmt.Sprintf("there is no template %q", c.Template), "Templates are list and board.")
		}
		files[marker] = nil
		return files, nil
	}
	if strings.TrimSpace(c.Title) == "" {
		return nil, refusal("the panel has no title", `Send title, or template: "list" for a finished panel.`)
	}
	if len(c.Files) > maxFiles {
		return nil, refusal(fmt.Sprintf("%d files are too many; the limit is %d", len(c.Files), maxFiles),
			"Send fewer.")
	}
	files := map[string][]byte{marker: nil}
	for name, text := range c.Files {
		if !fileName(name) || name == manifest.FileName {
			return nil, refusal(fmt.Sprintf("%q is not a valid file name for a panel", excerpt.TruncateRunes(name, 80)),
				`A valid name is "server.mjs"; manifest.json is made from the other arguments.`)
		}
		if len(text) > maxFile {
			return nil, refusal(name+" is larger than 512 KB", "Make it smaller.")
		}
		files[name] = []byte(text)
	}
	text, bad := c.manifest(files)
	files[manifest.FileName] = text
	return files, bad
}

// manifest adds the page and the script in the arguments to files.
func (c *createParams) manifest(files map[string][]byte) ([]byte, *toolspec.Result) {
	members := map[string]any{
		"manifest_version": 1, "version": "1.0.0", "panel_type": "made", "tools": json.RawMessage(`[]`),
	}
	for name, value := range c.Manifest {
		members[name] = value
	}
	members["panel_id"], members["title"] = c.PanelID, c.Title
	if c.Description != "" {
		members["description"] = c.Description
	}
	if len(c.Tools) > 0 {
		members["tools"] = c.Tools
	}
	switch {
	case len(c.Page) > 0 && c.HTML != "":
		return nil, refusal("page and html cannot both be given", "Send one of them.")
	case len(c.Page) > 0:
		members["ui"] = map[string]string{"kind": "declarative", "entry": "page.json"}
		files["page.json"] = indented(c.Page)
	case c.HTML != "":
		ui := map[string]any{}
		if given, ok := c.Manifest["ui"]; ok && json.Unmarshal(given, &ui) != nil {
			ui = map[string]any{}
		}
		ui["kind"], ui["entry"] = "webview", "index.html"
		members["ui"] = ui
		files["index.html"] = []byte(c.HTML)
	}
	if c.Script != "" {
		members["backend"] = map[string]string{"kind": "script", "file": "backend.js"}
		files["backend.js"] = []byte(c.Script)
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, refusal("the manifest is not JSON: "+err.Error(), "")
	}
	return indented(text), nil
}

func indented(text []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return text
	}
	return append(b.Bytes(), '\n')
}
