// Package scripted runs the script that answers the endpoints of a panel. Each call uses a new instance of the
// JavaScript engine in sandbox/script. A script defines a handler under the name of the tool:
//
//	handlers.field_notes_add = async (args) => ({ count: 1 })
//
// It can use only the panel's settings, a small store, and what the panel was granted: tools through the pipeline with
// the panel as the caller, and hosts through egress.
//
// The result of a script is untrusted. The pipeline decides whether a call may run.
package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"sextant/backend/panels/calls"
	"sextant/backend/panels/manifest"
	"sextant/backend/sandbox/script"
	"sextant/shared/toolspec"
)

const maxFile = 60 << 10

// Config is the configuration that all scripts share.
type Config struct {
	// Data is the folder that contains one folder for the store of each panel. If it is "", scripts have no store.
	Data string
	// Egress sends the HTTP requests of scripts. If it is nil, they are refused.
	Egress http.RoundTripper
	// Call makes a call with the panel as the caller. If it is nil, calls are refused.
	Call func(ctx context.Context, a calls.Request) toolspec.Result
}

// Panel describes the panel that owns a script. File is the path of the script relative to Dir, the panel's folder.
type Panel struct {
	ID, Dir, File string
	Permissions   manifest.Permissions
	// Settings returns the panel's settings as a JSON object. It is nil if the panel has none.
	Settings func() (string, error)
}

// Script runs the tools of one panel. It is safe for concurrent use.
type Script struct {
	cfg   Config
	panel Panel
	state state
}

// New returns the Script of a panel. Each Run reads the file again.
func New(cfg Config, panel Panel) *Script {
	return &Script{cfg: cfg, panel: panel, state: state{dir: cfg.Data, id: panel.ID}}
}

// ScriptError is an error in the script, or in reading its file. Text is for the caller of the tool.
type ScriptError struct{ Text string }

// Error implements error.
func (f *ScriptError) Error() string { return f.Text }

// Run runs the handler of call's tool with args. It returns the result as JSON and the sources of what the handler
// read, also after an error. out receives what the script prints. The error is a *ScriptError if the script failed or
// cannot be read.
func (s *Script) Run(ctx context.Context, call toolspec.Call, args json.RawMessage,
	out func(stream, text string),
) (value json.RawMessage, sources []string, err error) {
	text, err := s.read()
	if err != nil {
		return nil, nil, &ScriptError{err.Error()}
	}
	settings := "{}"
	if s.panel.Settings != nil {
		if settings, err = s.panel.Settings(); err != nil {
			return nil, nil, fmt.Errorf("reading the settings of the panel: %w", err)
		}
	}
	given, err := json.Marshal(map[string]any{"tool": call.Tool, "args": args, "config": json.RawMessage(settings)})
	if err != nil {
		return nil, nil, fmt.Errorf("handing over the arguments: %w", err)
	}
	h := &host{s: s, call: call, out: out}
	value, err = script.Run(ctx, prologue+text+epilogue, given, h, script.Limits{})
	var slip *script.Error
	if errors.As(err, &slip) {
		where := s.panel.File
		if slip.Line > 0 && slip.Line <= strings.Count(text, "\n")+1 {
			where = fmt.Sprintf("%s, line %d", s.panel.File, slip.Line)
		}
		err = &ScriptError{where + ": " + slip.Message}
	}
	return value, h.sources, err
}

// prologue and epilogue enclose a script without changing its line numbers. A script can break out of the enclosing
// function, but not out of the sandbox around it.
const (
	prologue = `const __handlers = Object.create(null); await (async (handlers, tools, fetch, store, config, args) => {`
	epilogue = `
})(__handlers, new Proxy(Object.freeze({}), { get: (_, name) => typeof name !== 'string' || name === 'then' ? undefined : tools['tool ' + name] }),
  async (url, { method, headers, body } = {}) => {
    const r = await tools['fetch']({ url: String(url), method, headers, body: body === undefined || body === null ? undefined : String(body) });
    return { status: r.status, ok: r.status >= 200 && r.status < 300, headers: r.headers, text: async () => r.text, json: async () => JSON.parse(r.text) };
  },
  Object.freeze({ get: (key) => tools['get']({ key }), set: (key, value) => tools['set']({ key, value }), keys: () => tools['keys']({}) }), args.config);
if (typeof __handlers[args.tool] !== 'function') throw new Error('it defines no handlers.' + args.tool);
return await __handlers[args.tool](args.args);`
)

// read does not follow a link out of the panel's folder.
func (s *Script) read() (string, error) {
	root, err := os.OpenRoot(s.panel.Dir)
	if err != nil {
		return "", fmt.Errorf("opening the panel's folder: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(s.panel.File)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", s.panel.File, err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", s.panel.File)
	}
	f, err := root.Open(s.panel.File)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", s.panel.File, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", s.panel.File, err)
	}
	if len(text) > maxFile {
		return "", fmt.Errorf("%s has more than %d KB", s.panel.File, maxFile>>10)
	}
	return string(text), nil
}

type host struct {
	s       *Script
	call    toolspec.Call
	out     func(stream, text string)
	sources []string
}

func (h *host) Print(line string) { h.out("stdout", line+"\n") }

// Call executes a function for the script: a tool, fetch, or a function of the store.
func (h *host) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if tool, is := strings.CutPrefix(name, "tool "); is {
		return h.tool(ctx, tool, args)
	}
	switch name {
	case "fetch":
		return h.fetch(ctx, args)
	case "get", "set", "keys":
		return h.s.state.do(name, args)
	}
	return nil, fmt.Errorf("there is no function %s", name)
}

func (h *host) tool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if h.s.cfg.Call == nil {
		return nil, errors.New("scripts cannot call tools here")
	}
	within := h.call.From
	within.Outside = append(slices.Clone(within.Outside), h.sources...)
	r := h.s.cfg.Call(ctx, calls.Request{Panel: h.s.panel.ID, Tool: name, Args: args, Parent: &within})
	h.addSources(r.Sources...)
	if !r.Success {
		return nil, errors.New(strings.TrimSpace(r.Error + ". " + r.Suggestion))
	}
	if written, ok := r.Value.(toolspec.JSONAppender); ok {
		return written.AppendJSON(nil), nil
	}
	if r.Value == nil {
		return json.Marshal(r.ModelText())
	}
	return json.Marshal(r.Value)
}

func (h *host) addSources(sources ...string) {
	for _, s := range sources {
		if !slices.Contains(h.sources, s) {
			h.sources = append(h.sources, s)
		}
	}
}
