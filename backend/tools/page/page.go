// Package page provides the tools that observe and act on a page: a tab of the browser, or the page of a panel.
//
// The navigation map lists the tools and marks the core set. The state of the pages belongs to packages browser and
// panelpage. Package observation makes the Results of actions on a page.
package page

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser"
	"sextant/backend/panelpage"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/surface"
	"sextant/backend/toolkit"
	"sextant/backend/tools/page/addressbar"
	"sextant/backend/tools/page/observation"
	"sextant/backend/tools/page/pageline"
	"sextant/backend/tools/tokens"
	"sextant/shared/annotation"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

//go:embed *.md
var docs embed.FS

// Config configures Tools.
type Config struct {
	// Alias returns the address for a short word such as "demo". It may be nil.
	Alias func(word string) (url string, ok bool)
	// Do runs a step of run_steps through the pipeline. If it is nil, steps fail.
	Do func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Secrets contains the person's secrets that can be typed into fields. It may be nil.
	Secrets *secrets.Vault
	// Folder returns the absolute path of the workspace folder, which relative file paths start from.
	Folder func() string
	// PanelPages provides the pages of panels; ActivePanel returns the active panel. Both are nil without panels.
	PanelPages  *panelpage.Pages
	ActivePanel func() string
}

// Tools provides the page tools. It is safe for concurrent use.
type Tools struct {
	sessions  func(owner string) session
	opts      Config
	list      []tool
	byName    map[string]tool
	stepTools []string
	// resolved contains what the policy judged, by call: the real paths of files, or the origin that offers a tool.
	resolved  toolkit.CallMemory[[]string]
	clipboard clipboard
	tokens    tokens.Counter
	turns     turns
	pageLines pageline.Memory
	// browserPanels are the panels on which a call without an element number acts on the browser.
	browserPanels []string
}

// Sessions has a session of tabs for each caller; *browser.Browser implements it.
type Sessions interface {
	Session(owner string) *browser.Session
}

// New returns the tools for sessions. It fails if the tools differ from those in the navigation map.
func New(sessions Sessions, nav *navigation.Map, opts Config) (*Tools, error) {
	return assemble(func(owner string) session { return inBrowser(sessions.Session(owner)) }, nav, opts)
}

func assemble(sessions func(string) session, nav *navigation.Map, opts Config) (*Tools, error) {
	if opts.Alias == nil {
		opts.Alias = func(string) (string, bool) { return "", false }
	}
	if opts.Do == nil {
		opts.Do = func(context.Context, toolspec.Call) toolspec.Result {
			return toolspec.Fail(toolspec.SystemError, "steps cannot be run here", "Call the tools one by one.")
		}
	}
	if opts.Folder == nil {
		opts.Folder = func() string { return "" }
	}
	if opts.ActivePanel == nil {
		opts.PanelPages = nil
	}
	t := &Tools{
		sessions: sessions, opts: opts, byName: map[string]tool{},
		browserPanels: []string{nav.SurfacePanel, nav.Panels[0]},
	}
	built := map[string]tool{}
	for _, x := range t.all() {
		built[x.name] = x
	}
	for _, c := range nav.Environment {
		x, ok := built[c.Tool]
		if !ok {
			return nil, fmt.Errorf("environment: the map names %s, which does not exist", c.Tool)
		}
		t.list = append(t.list, x)
		t.byName[x.name] = x
		delete(built, c.Tool)
	}
	for name := range built {
		return nil, fmt.Errorf("environment: %s is not in the map", name)
	}
	t.stepTools = stepTools(nav, t.byName)
	return t, nil
}

func (t *Tools) all() []tool {
	return []tool{
		t.navigatePage(), t.annotatePage(), t.clickElement(), t.typeText(), t.selectOption(), t.pressKey(),
		t.scrollPage(),
		t.getPageContent(), t.takeScreenshot(), t.waitFor(), t.browserTabs(),
		t.runSteps(), t.getAnnotations(), t.hoverElement(), t.selectText(), t.getSelection(),
		t.dragElement(), t.clickAt(), t.movePath(), t.uploadFile(),
		t.handleDialog(), t.downloads(), t.evaluateScript(), t.consoleMessages(), t.networkRequests(),
		t.savePDF(), t.emulateDevice(), t.pageTools(),
	}
}

// Definitions returns the definitions in the order of the navigation map. They do not depend on the active panel.
func (t *Tools) Definitions(string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(t.list))
	for i, x := range t.list {
		defs[i] = x.definition()
	}
	return defs
}

// Execute runs one call with validated arguments. Failures that the caller can correct are in the Result. The error is
// an unexpected failure or the error of ctx.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.byName[call.Tool]
	if !ok {
		return toolspec.Result{}, fmt.Errorf("environment: no tool %q", call.Tool)
	}
	s, err := t.surfaceOf(call)
	// Read before the action, because a failure may quote a page that the action leaves.
	before := quotedSources(s)
	var r toolspec.Result
	if err == nil {
		r, err = x.run(ctx, s, call)
	}
	if err == nil {
		if !onPanels(call.Tool) && inWindow(call.From) {
			t.RecordPanelOpened(call.From.Turn, "") // the turn now acts on the browser
		}
		return t.pageLines.Shorten(call, r), nil
	}
	var wrong *argumentError
	var invalid *toolkit.CallError
	var fault *surface.Fault
	var refused *secrets.Refusal
	switch {
	case errors.As(err, &refused):
		return refused.Result(), nil
	case errors.As(err, &wrong):
		return failed(toolspec.ValidationError, wrong.message, wrong.suggestion), nil
	case errors.As(err, &invalid):
		return failed(invalid.Type, invalid.Message, invalid.Suggestion), nil
	case errors.As(err, &fault):
		r = failed(errorType(call.Tool, fault.Kind), fault.Message, fault.Suggestion)
		if fault.Kind != surface.FaultNoBrowser {
			r.Sources = observation.SortedUnique(append(before, quotedSources(s)...))
		}
		return r, nil
	}
	// The error may contain text that the page made our own script throw.
	r = toolspec.Result{Sources: observation.SortedUnique(append(before, quotedSources(s)...))}
	return r, fmt.Errorf("%s: %w", call.Tool, err)
}

func failed(kind toolspec.ErrorType, message, suggestion string) toolspec.Result {
	const most = 2000
	return toolspec.Fail(kind, annotation.Clean(message, most), annotation.Clean(suggestion, most))
}

// quotedSources returns the sources of text that a failure may quote. Frames are left out: if one became a source,
// typing into it would no longer need a question.
func quotedSources(s session) []string {
	_, opener := s.DescribeDialog()
	return append(observation.Sources(s.Address()), observation.Sources(opener)...)
}

// Describe returns the effect of call, from its arguments and the newest annotations.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.byName[call.Tool]
	if !ok {
		return toolspec.Description{}
	}
	if x.onDescribe != nil {
		x.onDescribe(call)
	}
	s, _ := t.surfaceOf(call) // a number that the tool cannot use fails in Execute
	d := x.describe(s, call.Args)
	d.Elements = elementsOf(s, call)
	t.describePaste(call, &d)
	return d
}

// FaultBlocked means a forbidden address only for the tools that open addresses.
func errorType(tool, kind string) toolspec.ErrorType {
	switch kind {
	case surface.FaultInvalid:
		return toolspec.ValidationError
	case surface.FaultBlocked:
		if tool == "navigate_page" || tool == "browser_tabs" {
			return toolspec.PermissionError
		}
	case surface.FaultTimeout, surface.FaultCrashed, surface.FaultNoBrowser:
		return toolspec.SystemError
	}
	return toolspec.UserError
}

type argumentError struct{ message, suggestion string }

func (e *argumentError) Error() string { return e.message }

func (t *Tools) address(typed string) (string, error) {
	return addressbar.Resolve(typed, t.opts.Alias)
}

type tool struct {
	name     string
	params   json.RawMessage
	hints    toolspec.Hints
	timeout  int
	examples []string
	// secret names the arguments that are hidden if the arguments cannot be decoded.
	secret   []string
	run      func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error)
	describe func(s session, args json.RawMessage) toolspec.Description
	// onDescribe is called before describe; it may be nil.
	onDescribe func(call toolspec.Call)
}

func (t tool) definition() toolspec.Definition {
	doc, err := docs.ReadFile(t.name + ".md")
	if err != nil {
		doc = nil // a test checks that each tool has a description
	}
	examples := make([]json.RawMessage, len(t.examples))
	for i, e := range t.examples {
		examples[i] = json.RawMessage(e)
	}
	return toolspec.Definition{
		Name: t.name, Description: strings.TrimSpace(string(doc)), Parameters: slices.Clone(t.params),
		Origin: toolspec.OriginBaseline, Group: "environment", Hints: t.hints, TimeoutMS: t.timeout, Examples: examples,
	}
}

func build[P any](
	x tool, describe func(session, P) toolspec.Description,
	run func(context.Context, session, P) (toolspec.Result, error),
) tool {
	x.params = toolkit.Schema[P]()
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		p, err := read[P](call.Args)
		if err != nil {
			return toolspec.Result{}, x.unreadable(err)
		}
		return run(ctx, s, p)
	}
	x.describe = func(s session, args json.RawMessage) toolspec.Description {
		p, err := read[P](args)
		if err != nil {
			return toolspec.Description{SecretArgs: x.secret}
		}
		return describe(s, p)
	}
	return x
}

func (t tool) unreadable(err error) error {
	return &argumentError{"the arguments cannot be read: " + err.Error(), "send an object such as " + t.examples[0]}
}

func read[P any](args json.RawMessage) (P, error) {
	p := toolkit.Defaults[P]()
	if len(args) == 0 {
		return p, nil
	}
	err := json.Unmarshal(args, &p)
	return p, err
}
