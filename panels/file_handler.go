package panels

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
)

// Files is the part of the file tools that panels use: what a panel does to files is described,
// refused, executed and undone by them. *files.Tools is one.
type Files interface {
	Describe(call toolspec.Call) toolspec.Description
	Refuse(call toolspec.Call) *toolspec.Result
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition,
		out func(stream, text string)) (toolspec.Result, error)
}

// FileAction is a panel's tool that works on files. Endpoint is the one in the manifest. As translates a call to a file
// tool and its arguments, or returns a refusal. Do, if set, runs the call instead of a file tool; As may then be nil.
type FileAction struct {
	Tool, Endpoint string
	As             func(call toolspec.Call) (tool string, args any, bad *toolspec.Result)
	Do             func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Then, if set, adds to the file tool's answer.
	Then func(ctx context.Context, call toolspec.Call, r toolspec.Result) toolspec.Result
}

// FileHandler is an http.Handler that answers a panel's endpoints with the file tools, and describes
// the calls as these do. It is safe for concurrent use.
type FileHandler struct {
	files   Files
	actions map[string]FileAction
	mux     *http.ServeMux
	own     string
}

// SetOwnFolder declares that dir, an absolute path without links, contains only the panel's own files. Call it
// before the handler is used.
func (h *FileHandler) SetOwnFolder(dir string) { h.own = dir + string(filepath.Separator) }

// NewFileHandler makes the handler of a panel with these tools.
func NewFileHandler(files Files, actions ...FileAction) *FileHandler {
	h := &FileHandler{files: files, actions: map[string]FileAction{}, mux: http.NewServeMux()}
	for _, action := range actions {
		h.actions[action.Tool] = action
		h.mux.HandleFunc(action.Endpoint, func(w http.ResponseWriter, r *http.Request) {
			callContext := toolspec.CallContextOf(r.Context())
			if callContext == nil {
				// A panel's endpoint is reached through the pipeline only.
				http.Error(w, "this endpoint is for tool calls only", http.StatusForbidden)
				return
			}
			result := h.do(r.Context(), action, callContext)
			callContext.Answer = &result
		})
	}
	return h
}

// Endpoints returns the endpoints by tool, to compare them with the manifest.
func (h *FileHandler) Endpoints() map[string]string {
	all := map[string]string{}
	for tool, action := range h.actions {
		all[tool] = action.Endpoint
	}
	return all
}

// ServeHTTP implements http.Handler.
func (h *FileHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

func (h *FileHandler) do(ctx context.Context, action FileAction, callContext *toolspec.CallContext) toolspec.Result {
	if action.Do != nil {
		return action.Do(ctx, callContext.Call)
	}
	call, bad := fileCall(action, callContext.Call)
	if bad != nil {
		return *bad
	}
	r, err := h.files.Execute(ctx, call, toolspec.Definition{}, callContext.Output)
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Nothing else is affected. Try again.")
	}
	if action.Then != nil {
		r = action.Then(ctx, callContext.Call, r)
	}
	return r
}

// fileCall is call as a call of the file tool that executes it.
func fileCall(action FileAction, call toolspec.Call) (toolspec.Call, *toolspec.Result) {
	tool, args, bad := action.As(call)
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

// DescribesEffects reports whether calls of a tool are described by the files they would use.
func (h *FileHandler) DescribesEffects(tool string) bool { return h.actions[tool].As != nil }

// Describe says what call would do with which files; false when it uses none.
func (h *FileHandler) Describe(call toolspec.Call) (toolspec.Description, bool) {
	action, ok := h.actions[call.Tool]
	if !ok || action.As == nil {
		return toolspec.Description{}, false
	}
	call, bad := fileCall(action, call)
	if bad != nil {
		return toolspec.Description{}, false
	}
	desc := h.files.Describe(call)
	for i, use := range desc.Files {
		desc.Files[i].Own = h.own != "" && strings.HasPrefix(use.Path, h.own)
	}
	// Without known files the call is decided by its tool's hints.
	return desc, len(desc.Files) > 0
}

// Refuse refuses what no approval could allow: a protected path, or what the panel cannot do now.
func (h *FileHandler) Refuse(call toolspec.Call) *toolspec.Result {
	action, ok := h.actions[call.Tool]
	if !ok || action.As == nil {
		return nil
	}
	call, bad := fileCall(action, call)
	if bad != nil {
		return bad
	}
	return h.files.Refuse(call)
}

// Args decodes a call's arguments into params; a Result refuses them.
func Args(call toolspec.Call, params any) *toolspec.Result {
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
