// Package custom provides tools that a model creates from other tools. A created tool has a name, a description,
// parameters and a body in JavaScript that calls other tools.
//
// A body runs in the script sandbox. Its calls go through the pipeline as calls of the created tool. Outside text that
// they read taints the following calls and the tool's own result. A tool that a model created in a tainted context
// cannot be called until a person has reviewed it.
package custom

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/pipeline/schema"
	"sextant/backend/sandbox/script"
	"sextant/shared/toolspec"
)

const (
	maxDepth = 8
	maxTools = 200
)

// Store stores the created tools.
type Store interface {
	CreatedTools(ctx context.Context) ([]toolspec.CreatedTool, error)
	SaveCreatedTool(ctx context.Context, t toolspec.CreatedTool) (toolspec.CreatedTool, error)
	DeleteCreatedTool(ctx context.Context, name string) error
	ActivateCreatedTool(ctx context.Context, name string, version int) error
}

// Config configures Tools. OnChange and Log may be nil.
type Config struct {
	Store Store
	// Do runs a call through the pipeline.
	Do func(ctx context.Context, call toolspec.Call) toolspec.Result
	// OtherTools returns the tools that a body may call while panel is active.
	OtherTools func(panel string) []toolspec.Definition
	// OnChange is called after a change of the created tools.
	OnChange func()
	Log      *slog.Logger
}

// Tools provides the created tools. It is safe for concurrent use.
type Tools struct {
	cfg     Config
	schemas *schema.Checker

	mu   sync.RWMutex
	list []toolspec.CreatedTool
}

// New returns Tools with the stored tools.
func New(ctx context.Context, cfg Config) (*Tools, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.OnChange == nil {
		cfg.OnChange = func() {}
	}
	t := &Tools{cfg: cfg, schemas: schema.New()}
	return t, t.read(ctx)
}

func (t *Tools) read(ctx context.Context) error {
	list, err := t.cfg.Store.CreatedTools(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.list = list
	t.mu.Unlock()
	return nil
}

func (t *Tools) reload(ctx context.Context) error {
	err := t.read(ctx)
	t.cfg.OnChange()
	return err
}

// MarkReviewed enables a tool that awaits review, after a person has read this version of it.
func (t *Tools) MarkReviewed(ctx context.Context, name string, version int) error {
	if err := t.cfg.Store.ActivateCreatedTool(ctx, name, version); err != nil {
		return err
	}
	return t.reload(ctx)
}

// Delete removes a tool. Its versions stay in the store.
func (t *Tools) Delete(ctx context.Context, name string) error {
	if err := t.cfg.Store.DeleteCreatedTool(ctx, name); err != nil {
		return err
	}
	return t.reload(ctx)
}

// All returns the current version of each tool, including tools that await review.
func (t *Tools) All() []toolspec.CreatedTool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.list)
}

func (t *Tools) find(name string) (toolspec.CreatedTool, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := slices.IndexFunc(t.list, func(c toolspec.CreatedTool) bool { return c.Name == name })
	if i < 0 {
		return toolspec.CreatedTool{}, false
	}
	return t.list[i], true
}

// Definitions returns the tools that do not await review. They do not depend on the active panel.
func (t *Tools) Definitions(string) []toolspec.Definition {
	var defs []toolspec.Definition
	for _, c := range t.All() {
		if !c.AwaitsReview {
			defs = append(defs, definition(c))
		}
	}
	return defs
}

func definition(c toolspec.CreatedTool) toolspec.Definition {
	return toolspec.Definition{
		Name: c.Name, Description: c.Description, Parameters: c.Parameters, Origin: toolspec.OriginCreated,
		Group: "created", TimeoutMS: toolspec.MaxTimeoutMS,
	}
}

// Describe names the tools that the body of the created tool mentions. Each of its calls is described and judged when
// it runs.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	c, _ := t.find(call.Tool)
	d := toolspec.Description{Sentence: "Running " + call.Tool}
	if len(c.Uses) > 0 {
		d.Sentence += ", made of " + strings.Join(c.Uses, ", ")
	}
	return d
}

type depthKey struct{}

// Execute runs the body of a created tool. A failure of the body is in the Result.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	c, ok := t.find(call.Tool)
	if !ok || c.AwaitsReview {
		return toolspec.Fail(toolspec.UserError,
			call.Tool+" cannot be called: it was deleted, or a person has to read it first",
			"Call list_created_tools."), nil
	}
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s was not run: created tools call each other more than %d deep", call.Tool, maxDepth),
			"Let it call the tools it needs directly."), nil
	}
	h := &scriptHost{t: t, call: call, out: out}
	value, err := script.Run(context.WithValue(ctx, depthKey{}, depth+1), c.Body, call.Args, h, script.Limits{})
	var scriptErr *script.Error
	switch {
	case errors.As(err, &scriptErr):
		r := toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s (version %d) failed, %v", c.Name, c.Version, scriptErr),
			h.afterFailure())
		r.Sources = h.sources
		return r, nil
	case err != nil:
		return toolspec.Result{Sources: h.sources}, err
	}
	r := toolspec.OK(value)
	r.Sentence = "Ran " + c.Name
	r.Sources = h.sources
	r.Preview = []string{fmt.Sprintf("%d %s", h.calls, english.PluralWord(h.calls, "call", ""))}
	return r, nil
}

type scriptHost struct {
	t       *Tools
	call    toolspec.Call
	out     func(stream, text string)
	sources []string
	calls   int
	last    string
}

func (h *scriptHost) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	h.calls++
	h.last = name
	inner := toolspec.Call{Tool: name, Args: args, Panel: h.call.Panel, From: h.call.From}
	inner.From.Caller, inner.From.Client = toolspec.CallerCreatedTool, h.call.Tool
	inner.From.Outside = toolspec.SortedUnion(h.call.From.Outside, h.sources)
	r := h.t.cfg.Do(ctx, inner)
	h.sources = toolspec.SortedUnion(h.sources, r.Sources)
	if !r.Success {
		return nil, errors.New(strings.TrimSpace(r.Error + ". " + r.Suggestion))
	}
	return valueOf(r)
}

func valueOf(r toolspec.Result) (json.RawMessage, error) {
	w, ok := r.Value.(toolspec.JSONAppender)
	switch {
	case ok:
		var object map[string]any
		if err := json.Unmarshal(w.AppendJSON(nil), &object); err != nil {
			return nil, fmt.Errorf("reading a result: %w", err)
		}
		if _, has := object["text"]; !has && r.Text != "" {
			object["text"] = r.Text
		}
		return json.Marshal(object)
	case r.Value == nil:
		return json.Marshal(r.ModelText())
	}
	return json.Marshal(r.Value)
}

func (h *scriptHost) Print(line string) { h.out("stdout", line+"\n") }

func (h *scriptHost) afterFailure() string {
	if h.calls == 0 {
		return "No tool was called. Correct the body with create_tool, or call its tools one by one."
	}
	return fmt.Sprintf("What its %d %s did is kept; the last was %s. Correct the body with create_tool, or continue "+
		"with its tools one by one.",
		h.calls, english.PluralWord(h.calls, "call", ""), h.last)
}

// toolAccess misses names that a body computes. The pipeline judges such calls too.
var toolAccess = regexp.MustCompile(`\btools\s*(?:\.\s*|\[\s*['"])([a-zA-Z_]\w*)`)

func uses(body string) []string {
	var all []string
	for _, m := range toolAccess.FindAllStringSubmatch(body, -1) {
		all = append(all, m[1])
	}
	return toolspec.SortedUnion(all, nil)
}
