package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/tools/workspace"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps settings and events, and can be full.
type memory struct {
	mu     sync.Mutex
	values map[string]string
	log    []event.Event
	full   error
}

func (m *memory) Setting(_ context.Context, key string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.values[key]
	return v, ok, nil
}

func (m *memory) SetSetting(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full == nil {
		m.values[key] = value
	}
	return m.full
}

func (m *memory) Publish(_ context.Context, events ...event.Event) ([]event.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, events...)
	return events, nil
}

// takeEvents returns the events so far and forgets them.
func (m *memory) takeEvents() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, e := range m.log {
		out = append(out, string(e.Kind)+string(e.Data))
	}
	m.log = nil
	return strings.Join(out, " ")
}

type bench struct {
	*workspace.Tools
	*memory
	t      *testing.T
	nav    *navigation.Map
	dir    string
	panels []event.Panel
}

func newBench(t *testing.T) *bench {
	t.Helper()
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, nav: nav, dir: t.TempDir() + "/notes", memory: &memory{values: map[string]string{}}}
	for _, id := range append(slices.Clone(nav.Panels), "my-sums") {
		b.panels = append(b.panels, event.Panel{ID: id, Title: "The " + id, Usable: true})
	}
	b.panels[len(b.panels)-1].Tools = []string{"add_up"}
	b.panels = append(b.panels, event.Panel{ID: "torn", Title: "Torn", Problems: []event.PanelProblem{{
		File: "manifest.json", Line: 3, Column: 1, Text: "title is missing.", Fix: `"title": "Torn"`,
		Severity: event.SeverityError,
	}}})
	b.reopen()
	return b
}

// reopen creates the tools again over the same storage, as a restart does.
func (b *bench) reopen() {
	b.Tools = workspace.New(workspace.Config{
		Nav: b.nav, Panels: func() []event.Panel { return b.panels }, Journal: b.memory, Settings: b.memory,
		NotesDir: b.dir,
	})
}

func (b *bench) def(tool string) (toolspec.Definition, bool) {
	for _, d := range b.Definitions("") {
		if d.Name == tool {
			return d, true
		}
	}
	return toolspec.Definition{}, false
}

// do runs a tool and gives its result.
func (b *bench) do(tool, args string) toolspec.Result {
	b.t.Helper()
	d, _ := b.def(tool)
	r, err := b.Execute(context.Background(), toolspec.Call{Tool: tool, Args: json.RawMessage(args)}, d, nil)
	if err != nil {
		b.t.Fatalf("%s(%s): %v", tool, args, err)
	}
	return r
}

// ok runs a tool that must succeed.
func (b *bench) ok(tool, args string) toolspec.Result {
	b.t.Helper()
	r := b.do(tool, args)
	if !r.Success || r.Sentence == "" || r.ModelText() == "" {
		b.t.Fatalf("%s(%s): %+v", tool, args, r)
	}
	return r
}

// fails runs a tool that must fail with a suggestion.
func (b *bench) fails(tool, args string, kind toolspec.ErrorType, says string) {
	b.t.Helper()
	r := b.do(tool, args)
	if r.Success || r.ErrorType != kind || r.Suggestion == "" || !strings.Contains(r.Error+" "+r.Suggestion, says) {
		b.t.Errorf("%s(%s): %+v, want %s with %q", tool, args, r, kind, says)
	}
	if log := b.takeEvents(); log != "" {
		b.t.Errorf("%s(%s) failed and yet published %s", tool, args, log)
	}
}

func (b *bench) published(want string) {
	b.t.Helper()
	if got := b.takeEvents(); got != want {
		b.t.Errorf("published\n got %s\nwant %s", got, want)
	}
}

func TestDefinitionsAreComplete(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	seen := map[string]bool{}
	for _, d := range b.Definitions("") {
		var schema struct {
			Type                 string                     `json:"type"`
			Properties           map[string]json.RawMessage `json:"properties"`
			AdditionalProperties *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil || schema.Type != "object" ||
			schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s: schema %s, %v", d.Name, d.Parameters, err)
		}
		for _, e := range d.Examples {
			var args map[string]json.RawMessage
			if err := json.Unmarshal(e, &args); err != nil {
				t.Errorf("%s: example %s: %v", d.Name, e, err)
			}
			for k := range args {
				if schema.Properties[k] == nil {
					t.Errorf("%s: example %s has %q, which is no parameter", d.Name, e, k)
				}
			}
		}
		if len(d.Examples) == 0 || len(d.Description) < 20 || strings.Contains(d.Description, "{{") ||
			d.Origin != toolspec.OriginBaseline || d.Group == "" || seen[d.Name] {
			t.Errorf("%+v", d)
		}
		seen[d.Name] = true
		if got := b.Describe(toolspec.Call{Tool: d.Name, Args: d.Examples[0]}); got.Sentence == "" {
			t.Errorf("%s has no sentence", d.Name)
		}
	}
	for _, name := range []string{"close_panel", "expand_activity_bar", "developer_note", b.nav.OpenTool("my-sums")} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
	if seen[b.nav.OpenTool("torn")] {
		t.Error("a panel with a problem can be opened")
	}
}

func TestInvalidArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, d := range b.Definitions("") {
		b.fails(d.Name, `[1]`, toolspec.ValidationError, d.Name)
	}
	b.fails("no_such_tool", `{}`, toolspec.UserError, "does not exist")
	if got := b.Describe(toolspec.Call{Tool: "no_such_tool"}); got.Sentence == "" {
		t.Error("an unknown tool has no sentence")
	}
}

func TestChangeIsRolledBackWhenStoringFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.ActivityBar()
	b.full = errors.New("the disk is full")
	for tool, args := range map[string]string{
		"expand_activity_bar": `{}`, "enhance_baseline_prompt": `{"note":"x"}`, b.nav.OpenTool("my-sums"): `{}`,
		"focus_surface": `{"surface":"page"}`,
	} {
		d, _ := b.def(tool)
		if _, err := b.Execute(context.Background(), toolspec.Call{Tool: tool, Args: json.RawMessage(args)}, d,
			nil); err == nil || !strings.Contains(err.Error(), "disk is full") {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if got := b.ActivityBar(); !reflect.DeepEqual(got, before) || len(b.PromptNotes()) > 0 ||
		b.ActivePanel() != b.nav.Panels[0] || b.takeEvents() != "" {
		t.Errorf("something changed: %+v", got)
	}
}

func TestWorkspaceSurvivesRestart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok(b.nav.OpenTool("my-sums"), `{}`)
	b.ok("expand_activity_bar", `{}`)
	b.ok("set_activity_bar_devices", `{"device":"phone"}`)
	b.ok("enhance_baseline_prompt", `{"note":"Answer in Spanish."}`)
	b.reopen()
	if b.ActivePanel() != "my-sums" || !b.ActivityBar().Expanded || b.ActivityBar().Device != "phone" ||
		!slices.Equal(b.PromptNotes(), []string{"Answer in Spanish."}) {
		t.Errorf("%s, %+v, %v", b.ActivePanel(), b.ActivityBar(), b.PromptNotes())
	}
	// The panel's folder was removed meanwhile.
	b.panels = slices.DeleteFunc(b.panels, func(p event.Panel) bool { return p.ID == "my-sums" })
	if b.ActivePanel() != b.nav.Panels[0] || slices.Contains(b.OpenPanels(), "my-sums") {
		t.Errorf("a panel that is gone stays active: %s, %v", b.ActivePanel(), b.OpenPanels())
	}
	b.values["workspace.state"] = `{"active": 3`
	b.reopen()
	if b.ActivePanel() != b.nav.Panels[0] || len(b.ActivityBar().Devices) == 0 {
		t.Errorf("damaged state gives %s, %+v", b.ActivePanel(), b.ActivityBar())
	}
}

func TestToolsCanBeCalledConcurrently(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				b.do([]string{
					"expand_activity_bar", "collapse_activity_bar", b.nav.OpenTool("my-sums"),
					"close_panel",
				}[i%4], `{}`)
				b.do("get_workspace_state", `{}`)
			}
		})
	}
	wait.Wait()
	if b.ActivePanel() == "" || len(b.OpenPanels()) == 0 {
		t.Error("the workspace lost its panels")
	}
}
