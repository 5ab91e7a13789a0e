package panels

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
)

// Files contains the methods of the file tools that panels use to describe, refuse and execute calls. *files.Tools
// implements it.
type Files interface {
	Describe(call toolspec.Call) toolspec.Description
	Refuse(call toolspec.Call) *toolspec.Result
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition,
		out func(stream, text string)) (toolspec.Result, error)
}

// FileAction is a tool of a panel that works on files. Endpoint is its endpoint in the manifest. Translate returns the
// file tool that executes a call, and the arguments for it, or a Result that refuses the call. If Run is set, it
// executes the call instead.
type FileAction struct {
	Tool, Endpoint string
	Translate      func(call toolspec.Call) (tool string, args any, bad *toolspec.Result)
	Run            func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Finish, if set, returns the result of the call instead of the result r of the file tool.
	Finish func(ctx context.Context, call toolspec.Call, r toolspec.Result) toolspec.Result
}

// FileHandler is an http.Handler that answers the calls of a panel's endpoints with the file tools. It describes and
// refuses calls as the file tools do. It is safe for concurrent use.
type FileHandler struct {
	files   Files
	actions map[string]FileAction
	mux     *http.ServeMux
	own     string
}

// SetOwnFolder declares that dir contains only files of the panel. dir is an absolute path without links. Call
// SetOwnFolder before the handler is used.
func (h *FileHandler) SetOwnFolder(dir string) { h.own = dir + string(filepath.Separator) }

// NewFileHandler returns a FileHandler for the given actions.
func NewFileHandler(files Files, actions ...FileAction) *FileHandler {
	h := &FileHandler{files: files, actions: map[string]FileAction{}, mux: http.NewServeMux()}
	for _, action := range actions {
		h.actions[action.Tool] = action
		h.mux.HandleFunc(action.Endpoint, func(w http.ResponseWriter, r *http.Request) {
			callContext := toolspec.CallContextOf(r.Context())
			if callContext == nil {
				// A request without a call did not come through the pipeline.
				http.Error(w, "this endpoint is for tool calls only", http.StatusForbidden)
				return
			}
			result := h.do(r.Context(), action, callContext)
			callContext.Answer = &result
		})
	}
	return h
}

// Endpoints returns the endpoint of each tool, for comparison with the manifest.
func (h *FileHandler) Endpoints() map[string]string {
	all := map[string]string{}
	for tool, action := range h.actions {
		all[tool] = action.Endpoint
	}
	return all
}

// ServeHTTP implements http.Handler. It refuses requests that are not part of a tool call.
func (h *FileHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

func (h *FileHandler) do(ctx context.Context, action FileAction, callContext *toolspec.CallContext) toolspec.Result {
	if action.Run != nil {
		return action.Run(ctx, callContext.Call)
	}
	call, bad := fileCall(action, callContext.Call)
	if bad != nil {
		return *bad
	}
	r, err := h.files.Execute(ctx, call, toolspec.Definition{}, callContext.Output)
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Nothing else is affected. Try again.")
	}
	if action.Finish != nil {
		r = action.Finish(ctx, callContext.Call, r)
	}
	return r
}

func fileCall(action FileAction, call toolspec.Call) (toolspec.Call, *toolspec.Result) {
	tool, args, bad := action.Translate(call)
	if bad != nil {
		return call, bad
	}
	raw, err := json.Marshal(args)
	if err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "encoding the arguments: "+err.Error(), "")
		return call, &r
	}
	call.Tool, call.Args = tool, raw
	return call, nil
}

// DescribesEffects reports whether Describe describes the calls of a tool by the files that they would use.
func (h *FileHandler) DescribesEffects(tool string) bool { return h.actions[tool].Translate != nil }

// Describe describes what call would do with files. It returns false if the call uses no files or would be refused.
func (h *FileHandler) Describe(call toolspec.Call) (toolspec.Description, bool) {
	action, ok := h.actions[call.Tool]
	if !ok || action.Translate == nil {
		return toolspec.Description{}, false
	}
	call, bad := fileCall(action, call)
	if bad != nil {
		return toolspec.Description{}, false
	}
	desc := h.files.Describe(call)
	desc.EditArg = "" // it names an argument of the file tool, not of the panel's
	for i, use := range desc.Files {
		desc.Files[i].PanelOwned = h.own != "" && strings.HasPrefix(use.Path, h.own)
	}
	// Without files, the hints of the tool decide about the call.
	return desc, len(desc.Files) > 0
}

// Refuse returns a Result that refuses a call that no approval could allow, for example because of a protected path. It
// returns nil if the call may go on.
func (h *FileHandler) Refuse(call toolspec.Call) *toolspec.Result {
	action, ok := h.actions[call.Tool]
	if !ok || action.Translate == nil {
		return nil
	}
	call, bad := fileCall(action, call)
	if bad != nil {
		return bad
	}
	return h.files.Refuse(call)
}

// DecodeArgs decodes the arguments of a call into params. It returns a Result with the error, nil if there is none.
func DecodeArgs(call toolspec.Call, params any) *toolspec.Result {
	if len(call.Args) == 0 {
		return nil
	}
	if err := json.Unmarshal(call.Args, params); err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "the arguments do not fit the tool's definition: "+err.Error(),
			"Send a JSON object that fits the tool's definition.")
		return &r
	}
	return nil
}
