// Package environment is the executor of the environment tools: seeing and acting on the
// page of the active surface (REQUIREMENTS B8, CONTRACT "Environment tools").
//
// A tool is one Go file with its parameters and its run function, and one .md file that the
// model reads. Which tools there are, and which belong to the core set, stands in the
// navigation map; New refuses to start when map and tools differ. The tools hold no state:
// what a page is, what its numbers mean and when it rests is the browser's business. An answer
// is shaped here: text for models, a sentence for people, a value for programs.
package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/browser"
	"sextant/backend/guard/secrets"
	"sextant/backend/surface"
	"sextant/backend/surface/panelpage"
	"sextant/shared/annotator"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// Options are what the tools need of the rest of the program.
type Options struct {
	// Aliases turns a short word a person may type for an address ("demo") into the address; nil knows none.
	Aliases func(word string) (url string, ok bool)
	// Do takes a step of run_steps the way of every call (ARCHITECTURE 10); nil refuses steps.
	Do func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Secrets are put into fields that are typed into; nil knows none.
	Secrets *secrets.Vault
	// Folder is the workspace folder that relative paths of files are read from, absolute.
	Folder func() string
	// Window is the surface of panels' pages, Active the panel in front in the window; nil knows no panels.
	Window *panelpage.Pages
	Active func() string
}

// Tools runs the environment tools. It is safe for concurrent use.
type Tools struct {
	sessions func(owner string) session
	opts     Options
	list     []tool
	byName   map[string]tool
	// stepTools are the tools that may be a step of run_steps.
	stepTools []string
	judged    judged
	clip      clipboard
	tokens    tokens
	turns     turns
	// browserPanels are the panels on which the browser is meant: the one that shows it, and the start.
	browserPanels []string
}

// New makes the executor over b. It fails when the map names an environment tool that is not
// built, or one is built that the map does not name.
func New(b *browser.Browser, nav *navigation.Map, opts Options) (*Tools, error) {
	return assemble(func(owner string) session { return inBrowser(b.Session(owner)) }, nav, opts)
}

func assemble(sessions func(string) session, nav *navigation.Map, opts Options) (*Tools, error) {
	if opts.Aliases == nil {
		opts.Aliases = func(string) (string, bool) { return "", false }
	}
	if opts.Do == nil {
		opts.Do = func(context.Context, toolspec.Call) toolspec.Result {
			return toolspec.Fail(toolspec.SystemError, "nothing runs steps here", "Call the tools one by one.")
		}
	}
	if opts.Folder == nil {
		opts.Folder = func() string { return "" }
	}
	if opts.Active == nil {
		opts.Window = nil
	}
	t := &Tools{sessions: sessions, opts: opts, byName: map[string]tool{}, browserPanels: []string{nav.SurfacePanel, nav.Panels[0]}}
	built := map[string]tool{}
	for _, x := range t.all() {
		built[x.name] = x
	}
	for _, c := range nav.Environment {
		x, ok := built[c.Tool]
		if !ok {
			return nil, fmt.Errorf("environment: the map names %s, which is not built", c.Tool)
		}
		t.list = append(t.list, x)
		t.byName[x.name] = x
		delete(built, c.Tool)
	}
	for name := range built {
		return nil, fmt.Errorf("environment: %s is built but not in the map", name)
	}
	t.stepTools = stepsOf(nav, t.byName)
	return t, nil
}

// all is every tool there is, one a file.
func (t *Tools) all() []tool {
	return []tool{
		t.navigatePage(), t.annotatePage(), t.clickElement(), t.typeText(), t.selectOption(), t.pressKey(), t.scrollPage(),
		t.getPageContent(), t.takeScreenshot(), t.waitFor(), t.browserTabs(),
		t.runSteps(), t.getAnnotations(), t.hoverElement(), t.selectText(), t.getSelection(),
		t.dragElement(), t.clickAt(), t.movePath(), t.uploadFile(),
		t.handleDialog(), t.downloads(), t.evaluateScript(), t.consoleMessages(), t.networkRequests(),
		t.savePDF(), t.emulateDevice(), t.pageTools(),
	}
}

// Definitions are the tools in the map's order; they are the same whatever panel is active.
func (t *Tools) Definitions(string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(t.list))
	for i, x := range t.list {
		defs[i] = x.definition()
	}
	return defs
}

// Execute runs one call whose arguments were validated against the definition. What the caller
// can mend is in the Result; an error is our own fault or the end of ctx.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.byName[call.Tool]
	if !ok {
		return toolspec.Result{}, fmt.Errorf("environment: no tool %q", call.Tool)
	}
	s, err := t.surfaceOf(call)
	// An action may leave the page whose words its failure quotes.
	before := pagesOf(s)
	var r toolspec.Result
	if err == nil {
		r, err = x.run(ctx, s, call)
	}
	if err == nil {
		if !onPanels(call.Tool) && inWindow(call.From) {
			t.Opened(call.From.Turn, "") // who works in the browser means it from then on
		}
		return r, nil
	}
	var bad *argumentError
	var fault *surface.Fault
	var closed *secrets.Refusal
	switch {
	case errors.As(err, &closed):
		return closed.Result(), nil
	case errors.As(err, &bad):
		return toolspec.Fail(toolspec.ValidationError, annotator.Clean(bad.message, maxError), annotator.Clean(bad.suggestion, maxError)), nil
	case errors.As(err, &fault):
		r = toolspec.Fail(kindOf(call.Tool, fault.Kind), annotator.Clean(fault.Message, maxError), annotator.Clean(fault.Suggestion, maxError))
		if fault.Kind != surface.FaultNoBrowser {
			r.Sources = sorted(append(before, pagesOf(s)...))
		}
		return r, nil
	}
	// What a page threw at our own script may stand in the error.
	return toolspec.Result{Sources: sorted(append(before, pagesOf(s)...))}, fmt.Errorf("%s: %w", call.Tool, err)
}

// maxError bounds what a failure says, in runes.
const maxError = 2000

// pagesOf are the sources of the words a failure may quote: the page in front and who opened a
// dialog. A frame's few words count as its page's: naming the frame would count it as read, and what
// is typed into it would ask nothing any more.
func pagesOf(s session) []string {
	_, asks := s.OpenDialog()
	return append(sources(s.Address()), sources(asks)...)
}

// Describe says what call will do, from its arguments and the numbers of the newest look.
// It is empty when the arguments cannot be read.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.byName[call.Tool]
	if !ok {
		return toolspec.Description{}
	}
	if x.judged != nil {
		x.judged(call)
	}
	s, _ := t.surfaceOf(call) // a number that the tool cannot use is told when it runs
	d := x.describe(s, call.Args)
	t.pasted(call, &d)
	return d
}

// kindOf is how a browser's fault is classified for callers. "blocked" is a closed address
// where a tool opens one, elsewhere the page itself that does not allow it.
func kindOf(tool, kind string) toolspec.ErrorType {
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

// argumentError is an argument that the schema allows and the tool cannot use.
type argumentError struct{ message, suggestion string }

// Error implements error.
func (e *argumentError) Error() string { return e.message }

// tool is one environment tool; build makes it from its parameters' type.
type tool struct {
	name     string
	about    string
	params   json.RawMessage
	hints    toolspec.Hints
	timeout  int
	examples []string
	// secret names the arguments that are hidden when the call cannot be read.
	secret   []string
	run      func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error)
	describe func(s session, args json.RawMessage) toolspec.Description
	// judged, when not nil, learns of a call before it is judged by its description.
	judged func(call toolspec.Call)
}

func (x tool) definition() toolspec.Definition {
	examples := make([]json.RawMessage, len(x.examples))
	for i, e := range x.examples {
		examples[i] = json.RawMessage(e)
	}
	return toolspec.Definition{
		Name: x.name, Description: x.about, Parameters: slices.Clone(x.params), Origin: toolspec.OriginBaseline,
		Group: "environment", Hints: x.hints, TimeoutMS: x.timeout, Examples: examples,
	}
}

// build completes x with the parts that need its parameters' type P.
func build[P any](x tool, describe func(session, P) toolspec.Description, run func(context.Context, session, P) (toolspec.Result, error)) tool {
	x.params = schemaOf[P]()
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		p, err := read[P](call.Args)
		if err != nil {
			return toolspec.Result{}, &argumentError{message: "the arguments cannot be read: " + err.Error(), suggestion: "send an object such as " + x.examples[0]}
		}
		return run(ctx, s, p)
	}
	x.describe = func(s session, args json.RawMessage) toolspec.Description {
		p, err := read[P](args)
		if err != nil {
			return toolspec.Description{Secret: x.secret}
		}
		return describe(s, p)
	}
	return x
}

// read decodes args over the defaults of P.
func read[P any](args json.RawMessage) (P, error) {
	p := defaultsOf[P]()
	if len(args) == 0 {
		return p, nil
	}
	err := json.Unmarshal(args, &p)
	return p, err
}

// elementOf is what the newest looks say about id, and false when it is not in them.
func elementOf(s session, id int) (annotator.Element, bool) { return s.Element(id) }
