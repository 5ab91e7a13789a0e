package panels

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
)

// Files is the room of the tools for files, as app hands it over: what a panel does to files is
// done, told, refused and undone as theirs is. *files.Tools is one.
type Files interface {
	Describe(call toolspec.Call) toolspec.Description
	Refuse(call toolspec.Call) *toolspec.Result
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string)) (toolspec.Result, error)
}

// Deed is one tool of a panel that works on files. Endpoint is the manifest's. As turns the
// tool's arguments into the tool for files that does it, and that one's arguments; a Result
// refuses. Do answers a tool that only the panel itself knows; then As may be nil.
type Deed struct {
	Tool, Endpoint string
	As             func(call toolspec.Call) (tool string, args any, bad *toolspec.Result)
	Do             func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Then, if any, adds to what the tool for files answered.
	Then func(ctx context.Context, call toolspec.Call, r toolspec.Result) toolspec.Result
}

// Desk is a http.Handler that answers a panel's endpoints by the tools for files, and tells what
// they would do as those tell it. It may be used concurrently.
type Desk struct {
	files Files
	deeds map[string]Deed
	mux   *http.ServeMux
	own   string
}

// Own says that dir, an absolute path with its links followed, holds the panel's own files and
// nothing else. Call it before the Desk is used.
func (d *Desk) Own(dir string) { d.own = dir + string(filepath.Separator) }

// NewDesk makes the handler of a panel with these tools.
func NewDesk(files Files, deeds ...Deed) *Desk {
	d := &Desk{files: files, deeds: map[string]Deed{}, mux: http.NewServeMux()}
	for _, deed := range deeds {
		d.deeds[deed.Tool] = deed
		d.mux.HandleFunc(deed.Endpoint, func(w http.ResponseWriter, r *http.Request) {
			visit := toolspec.VisitOf(r.Context())
			if visit == nil {
				// A panel's endpoint is reached through the Pipeline only.
				http.Error(w, "this endpoint answers calls of tools", http.StatusForbidden)
				return
			}
			result := d.do(r.Context(), deed, visit)
			visit.Answer = &result
		})
	}
	return d
}

// Endpoints lists tool by endpoint, for holding them against the manifest.
func (d *Desk) Endpoints() map[string]string {
	all := map[string]string{}
	for tool, deed := range d.deeds {
		all[tool] = deed.Endpoint
	}
	return all
}

// ServeHTTP implements http.Handler.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

func (d *Desk) do(ctx context.Context, deed Deed, visit *toolspec.Visit) toolspec.Result {
	if deed.Do != nil {
		return deed.Do(ctx, visit.Call)
	}
	call, bad := as(deed, visit.Call)
	if bad != nil {
		return *bad
	}
	r, err := d.files.Execute(ctx, call, toolspec.Definition{}, visit.Output)
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Nothing else is affected; try it again.")
	}
	if deed.Then != nil {
		r = deed.Then(ctx, visit.Call, r)
	}
	return r
}

// as is call as the call of a tool for files that does it.
func as(deed Deed, call toolspec.Call) (toolspec.Call, *toolspec.Result) {
	tool, args, bad := deed.As(call)
	if bad != nil {
		return call, bad
	}
	raw, err := json.Marshal(args)
	if err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "the arguments cannot be written as JSON: "+err.Error(), "")
		return call, &r
	}
	call.Tool, call.Args = tool, raw
	return call, nil
}

// Tells reports whether calls of a tool are judged by the files they would use.
func (d *Desk) Tells(tool string) bool { return d.deeds[tool].As != nil }

// Describe says what call would do, by the files it uses; false when it uses none.
func (d *Desk) Describe(call toolspec.Call) (toolspec.Description, bool) {
	deed, ok := d.deeds[call.Tool]
	if !ok || deed.As == nil {
		return toolspec.Description{}, false
	}
	call, bad := as(deed, call)
	if bad != nil {
		return toolspec.Description{}, false
	}
	told := d.files.Describe(call)
	for i, use := range told.Files {
		told.Files[i].Own = d.own != "" && strings.HasPrefix(use.Path, d.own)
	}
	// Without files it is not known what it would touch: then its marks are judged.
	return told, len(told.Files) > 0
}

// Refuse is a refusal that no answer of a person can change: it names a place that is closed, or
// what the panel itself does not do now.
func (d *Desk) Refuse(call toolspec.Call) *toolspec.Result {
	deed, ok := d.deeds[call.Tool]
	if !ok || deed.As == nil {
		return nil
	}
	call, bad := as(deed, call)
	if bad != nil {
		return bad
	}
	return d.files.Refuse(call)
}

// Args reads a call's arguments into params; a Result refuses them.
func Args(call toolspec.Call, params any) *toolspec.Result {
	if len(call.Args) == 0 {
		return nil
	}
	if err := json.Unmarshal(call.Args, params); err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "the arguments are not as defined: "+err.Error(), "Send a JSON object as the tool's definition says.")
		return &r
	}
	return nil
}
