// Package scripted runs the script that answers a panel's endpoints: JavaScript in the bounded
// engine of guard/script, made anew for each call. A script defines what answers a tool by the tool's
// name,
//
//	handlers.field_notes_add = async (args) => ({ count: 1 })
//
// and reaches what its panel was granted and nothing else: tools through the Pipeline as the panel,
// hosts through our own way out, one small state of its own.
//
// What a script says and answers is text from outside. Whether a call may run is the Pipeline's
// matter.
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

	"sextant/backend/guard/script"
	"sextant/backend/tools/panels/callers"
	"sextant/backend/tools/panels/manifest"
	"sextant/shared/toolspec"
)

// maxFile bounds a script; the engine takes a little more.
const maxFile = 60 << 10

// Config is what all scripts share.
type Config struct {
	// Data is the folder that holds a folder for each panel, for its state.
	Data string
	// Egress sends what scripts fetch; nil lets them fetch nothing.
	Egress http.RoundTripper
	// Call makes a call as the panel; nil lets scripts call nothing.
	Call func(ctx context.Context, a callers.Ask) toolspec.Result
}

// Panel is whose script it is. Dir is the panel's folder, File lies in it.
type Panel struct {
	ID, Dir, File string
	Permissions   manifest.Permissions
	// Settings is what the person set for the panel, as a JSON object; nil for none.
	Settings func() (string, error)
}

// Script answers the tools of one panel. It may be used concurrently.
type Script struct {
	cfg   Config
	panel Panel
	state state
}

// New makes the script of a panel; the file is read by each call.
func New(cfg Config, panel Panel) *Script {
	return &Script{cfg: cfg, panel: panel, state: state{dir: cfg.Data, id: panel.ID}}
}

// Fault is a failure of the script itself.
type Fault struct{ Text string }

func (f *Fault) Error() string { return f.Text }

// Answer runs the handler of call's tool with args and returns the JSON of what it came to, and the
// sources of what it read. The error is a *Fault where the script is to blame.
func (s *Script) Answer(ctx context.Context, call toolspec.Call, args json.RawMessage, out func(stream, text string)) (value json.RawMessage, sources []string, err error) {
	text, err := s.read()
	if err != nil {
		return nil, nil, &Fault{err.Error()}
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
	value, err = script.Run(ctx, before+text+after, given, h, script.Limits{})
	var slip *script.Error
	if errors.As(err, &slip) {
		where := s.panel.File
		if slip.Line > 0 && slip.Line <= strings.Count(text, "\n")+1 {
			where = fmt.Sprintf("%s, line %d", s.panel.File, slip.Line)
		}
		err = &Fault{where + ": " + slip.Text}
	}
	return value, h.sources, err
}

// before and after stand around a script, on its first line and behind its last, so that the lines of
// errors are its own. A script sees six names; that it can leave its function is no harm, the walls
// stand around all of it.
const (
	before = `const __handlers = Object.create(null); await (async (handlers, tools, fetch, store, config, args) => {`
	after  = `
})(__handlers, new Proxy(Object.freeze({}), { get: (_, name) => typeof name !== 'string' || name === 'then' ? undefined : tools['tool ' + name] }),
  async (url, { method, headers, body } = {}) => {
    const r = await tools['fetch']({ url: String(url), method, headers, body: body === undefined || body === null ? undefined : String(body) });
    return { status: r.status, ok: r.status >= 200 && r.status < 300, headers: r.headers, text: async () => r.text, json: async () => JSON.parse(r.text) };
  },
  Object.freeze({ get: (key) => tools['get']({ key }), set: (key, value) => tools['set']({ key, value }), keys: () => tools['keys']({}) }), args.config);
if (typeof __handlers[args.tool] !== 'function') throw new Error('it defines no handlers.' + args.tool);
return await __handlers[args.tool](args.args);`
)

// read is the script's text. A link that leads out of the panel's folder is not followed.
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
		return "", fmt.Errorf("%s is no file", s.panel.File)
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

// host is what one run can reach.
type host struct {
	s       *Script
	call    toolspec.Call
	out     func(stream, text string)
	sources []string
}

// Print streams a line of the console.
func (h *host) Print(line string) { h.out("stdout", line+"\n") }

// Call is one step of a script out of its engine.
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
	return nil, fmt.Errorf("there is no %s", name)
}

func (h *host) tool(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if h.s.cfg.Call == nil {
		return nil, errors.New("no tools can be called here")
	}
	within := h.call.From
	within.Outside = append(slices.Clone(within.Outside), h.sources...)
	r := h.s.cfg.Call(ctx, callers.Ask{Panel: h.s.panel.ID, Tool: name, Args: args, Within: &within})
	h.read(r.Sources...)
	if !r.Success {
		return nil, errors.New(strings.TrimSpace(r.Error + ". " + r.Suggestion))
	}
	if written, ok := r.Value.(toolspec.Written); ok {
		return written.AppendJSON(nil), nil
	}
	if r.Value == nil {
		return json.Marshal(r.ModelText())
	}
	return json.Marshal(r.Value)
}

// read notes where something came from.
func (h *host) read(sources ...string) {
	for _, s := range sources {
		if !slices.Contains(h.sources, s) {
			h.sources = append(h.sources, s)
		}
	}
}
