package custom

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/sandbox/script"
	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed create_tool.md
var createDoc string

//go:embed delete_tool.md
var deleteDoc string

//go:embed list_created_tools.md
var listDoc string

// AuthoringTools provides the tools that create, list and delete created tools. It is safe for concurrent use.
type AuthoringTools struct{ t *Tools }

// AuthoringTools returns the tools that create, list and delete the tools of t. If t is nil, only Definitions may be
// called.
func (t *Tools) AuthoringTools() *AuthoringTools { return &AuthoringTools{t} }

type createParams struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Body        string          `json:"body"`
}

type nameParams struct {
	Name string `json:"name"`
}

const (
	createName = "create_tool"
	deleteName = "delete_tool"
	listName   = "list_created_tools"
)

// Definitions returns the same definitions for each panel.
func (m *AuthoringTools) Definitions(string) []toolspec.Definition {
	return []toolspec.Definition{
		toolkit.Define(createName, "created", createDoc, `{"type":"object","properties":{`+
			`"name":{"type":"string","maxLength":60,"description":"snake_case."},`+
			`"description":{"type":"string","minLength":1,"maxLength":1000,"description":"What it does, for whoever calls it."},`+
			`"parameters":{"type":"object","description":"JSON Schema of its arguments, an object; default: no arguments."},`+
			`"body":{"type":"string","minLength":1,"maxLength":65536,"description":"Body of an async function (args, tools)."}`+
			`},"required":["name","description","body"],"additionalProperties":false}`, toolspec.Hints{Confirm: true},
			`{"name":"count_lines","description":"Counts the lines of a file","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"body":"const f = await tools.read_file({path: args.path});\nreturn f.content.split('\\n').length"}`,
			`{"name":"page_title","description":"The title of the page in front",`+
				`"body":"return await tools.evaluate_script({script: 'document.title'})"}`,
			`{"name":"show_lamp","description":"Shows a lamp",`+
				`"parameters":{"type":"object","properties":{"id":{"type":"string"}}},`+
				`"body":"return await tools.navigate_page({url: 'example.com/' + args.id})"}`),
		toolkit.Define(deleteName, "created", deleteDoc,
			`{"type":"object","properties":{"name":{"type":"string","maxLength":60}},"required":["name"],"additionalProperties":false}`,
			toolspec.Hints{Destructive: true}, `{"name":"count_lines"}`,
			`{"name":"page_title"}`, `{"name":"show_lamp"}`),
		toolkit.Define(listName, "created", listDoc, `{"type":"object","properties":{},"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true}, `{}`),
	}
}

// Describe returns the effect of call. The text of a new tool is its data, so that a person can read it before it is
// stored.
func (m *AuthoringTools) Describe(call toolspec.Call) toolspec.Description {
	var p createParams
	_ = json.Unmarshal(call.Args, &p)
	switch call.Tool {
	case createName:
		d := toolspec.Description{
			Sentence: "Making the tool " + p.Name, Target: "the tool " + p.Name,
			Data: p.Description + "\n\n" + p.Body, ForwardsSecrets: true,
		}
		d.Question = "Make the tool “" + excerpt.Line(p.Name, 60) + "”?"
		if len(p.Parameters) > 0 {
			d.Data += "\n\nIts arguments: " + string(p.Parameters)
		}
		if old, ok := m.t.find(p.Name); ok {
			d.Sentence = fmt.Sprintf("Replacing the tool %s (version %d)", p.Name, old.Version)
			d.Question = fmt.Sprintf("Replace the tool “%s” (version %d)?", excerpt.Line(p.Name, 60), old.Version)
		}
		if list := uses(p.Body); len(list) > 0 {
			d.Sentence += ", made of " + strings.Join(list, ", ")
		}
		return d
	case deleteName:
		return toolspec.Description{Sentence: "Deleting the tool " + p.Name, Target: "the tool " + p.Name}
	}
	return toolspec.Description{Sentence: "Listing the created tools"}
}

// Execute runs one call.
func (m *AuthoringTools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	switch call.Tool {
	case createName:
		return m.create(ctx, call)
	case deleteName:
		return m.delete(ctx, call)
	}
	list := m.t.All()
	if list == nil {
		list = []toolspec.CreatedTool{}
	}
	r := toolspec.OK(map[string]any{"tools": list})
	r.Sentence = fmt.Sprintf("Listed %d created %s", len(list), english.PluralWord(len(list), "tool", ""))
	for _, c := range list {
		if c.AwaitsReview {
			r.Sources = toolspec.SortedUnion(r.Sources, c.Outside)
		}
	}
	return r, nil
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]{1,59}$`)

func (m *AuthoringTools) create(ctx context.Context, call toolspec.Call) (toolspec.Result, error) {
	var p createParams
	if err := json.Unmarshal(call.Args, &p); err != nil {
		return toolspec.Fail(toolspec.ValidationError, "the arguments cannot be read: "+err.Error(), ""), nil
	}
	if len(bytes.TrimSpace(p.Parameters)) == 0 || string(p.Parameters) == "null" {
		p.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if bad := m.problem(call.Panel, p); bad != nil {
		return *bad, nil
	}
	tool := toolspec.CreatedTool{
		Name: p.Name, Description: p.Description, Parameters: p.Parameters, Body: p.Body, Created: time.Now().UTC(),
		Conversation: call.From.Conversation, Outside: call.From.Outside, Uses: uses(p.Body),
		AwaitsReview: tainted(call.From),
	}
	saved, err := m.t.cfg.Store.SaveCreatedTool(ctx, tool)
	if err != nil {
		return toolspec.Result{}, err
	}
	if err := m.t.reload(ctx); err != nil {
		return toolspec.Result{}, err
	}
	r := toolspec.OK(map[string]any{
		"name": saved.Name, "version": saved.Version, "asleep": saved.AwaitsReview,
		"uses": saved.Uses,
	})
	r.Sentence = fmt.Sprintf("Made the tool %s, version %d", saved.Name, saved.Version)
	r.Text = r.Sentence + ". It can be called from the next step on."
	if saved.AwaitsReview {
		r.Text = r.Sentence + ". It cannot be called until a person has reviewed it in the settings, because " +
			"outside text was in the context when it was made."
	}
	return r, nil
}

func tainted(from toolspec.Provenance) bool {
	byPerson := from.Caller == toolspec.CallerPerson || from.Caller == toolspec.CallerPilot
	return len(from.Outside) > 0 && !byPerson
}

func (m *AuthoringTools) problem(panel string, p createParams) *toolspec.Result {
	fail := func(text, next string) *toolspec.Result {
		r := toolspec.Fail(toolspec.ValidationError, text, next+" Nothing was saved.")
		return &r
	}
	others := m.t.cfg.OtherTools(panel)
	taken := func(name string) bool {
		return name == toolspec.CallTool || name == toolspec.FinalResponse ||
			slices.ContainsFunc(others, func(d toolspec.Definition) bool {
				return d.Name == name && d.Origin != toolspec.OriginCreated
			})
	}
	if text := p.invisibleCharacter(); text != "" {
		return fail(text, `Remove it; where a string of the body needs it, write its escape, as in "\u200d".`)
	}
	_, known := m.t.find(p.Name)
	switch {
	case !validName.MatchString(p.Name) || strings.Contains(p.Name, "__"):
		return fail(fmt.Sprintf("%q is not a valid name for a tool", p.Name),
			"Use 2 to 60 lower-case letters, digits and single underscores, a letter first.")
	case taken(p.Name):
		return fail("a tool "+p.Name+" exists already", "Choose another name.")
	case !known && len(m.t.All()) >= maxTools:
		return fail(fmt.Sprintf("there are %d created tools already", maxTools), "Delete one with delete_tool.")
	}
	if err := script.CheckSyntax(p.Body); err != nil {
		return fail("the body cannot be read: "+err.Error(),
			"It is the body of an async function (args, tools), as in create_tool's example.")
	}
	var top struct{ Type any }
	if err := json.Unmarshal(p.Parameters, &top); err == nil && top.Type != nil && top.Type != "object" {
		return fail("the parameters are not an object",
			`They look like {"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}.`)
	}
	if err := m.t.schemas.CheckSchema(p.Parameters); err != nil {
		return fail("the parameters are not a usable JSON Schema: "+err.Error(),
			`They look like {"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}.`)
	}
	names := make([]string, 0, len(others))
	for _, d := range others {
		names = append(names, d.Name)
	}
	for _, c := range m.t.All() {
		names = append(names, c.Name)
	}
	for _, name := range uses(p.Body) {
		if name == p.Name || slices.Contains(names, name) {
			continue
		}
		next := "Call a tool that exists."
		if near := nearest.Names(name, names, 3); len(near) > 0 {
			next = "Did you mean " + strings.Join(near, ", ") + "?"
		}
		return fail("the body calls "+name+", and there is no such tool", next)
	}
	return nil
}

func (m *AuthoringTools) delete(ctx context.Context, call toolspec.Call) (toolspec.Result, error) {
	var p nameParams
	_ = json.Unmarshal(call.Args, &p)
	if _, ok := m.t.find(p.Name); !ok {
		next := "There are no created tools."
		var names []string
		for _, c := range m.t.All() {
			names = append(names, c.Name)
		}
		if len(names) > 0 {
			next = "There are: " + strings.Join(names, ", ") + "."
		}
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("there is no created tool %q", p.Name), next), nil
	}
	if err := m.t.Delete(ctx, p.Name); err != nil {
		return toolspec.Result{}, err
	}
	r := toolspec.OK(map[string]any{"name": p.Name, "deleted": true})
	r.Sentence = "Deleted the tool " + p.Name
	r.Text = r.Sentence + ". Its versions are kept and can be made again."
	return r, nil
}
