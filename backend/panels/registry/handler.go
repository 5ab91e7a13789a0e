package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/backends/stream"
	"sextant/shared/toolspec"
)

// Describer is implemented by those handlers of built-in panels that describe the calls of their tools, so that the
// policy knows the files that the calls use. The Registry finds it by a type assertion. Describe and Refuse receive the
// call with injected values.
type Describer interface {
	// DescribesEffects reports whether Describe describes the calls of a tool by the files that they use.
	DescribesEffects(tool string) bool
	// Describe describes what call would do. If it returns false, the Registry describes the call.
	Describe(call toolspec.Call) (toolspec.Description, bool)
	// Refuse returns a Result that refuses a call that no approval could allow, nil for other calls.
	Refuse(call toolspec.Call) *toolspec.Result
}

func withArgs(call toolspec.Call, args map[string]json.RawMessage) toolspec.Call {
	if raw, err := json.Marshal(args); err == nil {
		call.Args = raw
	}
	return call
}

// describerOf also returns the call with injected values. It returns nil if there is no Describer or a parameter is
// missing.
func (r *Registry) describerOf(call toolspec.Call) (Describer, toolspec.Call) {
	o := r.state.Load().tools[call.Tool]
	if o == nil {
		return nil, call
	}
	d, ok := o.handler.(Describer)
	if !ok {
		return nil, call
	}
	args, missing := r.fillContext(o, call.Args)
	if missing != "" {
		return nil, call
	}
	return d, withArgs(call, args)
}

// DescribesEffects reports whether Describe describes the calls of a tool by the files that they use.
func (r *Registry) DescribesEffects(tool string) bool {
	o := r.state.Load().tools[tool]
	if o == nil {
		return false
	}
	d, ok := o.handler.(Describer)
	return ok && d.DescribesEffects(tool)
}

// Refuse implements pipeline.Refuser: nobody is asked about a call of a built-in panel that cannot run. It returns nil
// for all other calls.
func (r *Registry) Refuse(call toolspec.Call) *toolspec.Result {
	if o := r.state.Load().tools[call.Tool]; o != nil && o.handler != nil {
		if _, missing := r.fillContext(o, call.Args); missing != "" {
			failed := toolspec.Fail(toolspec.ValidationError, missing,
				"Send it, or open in the panel what the call is about.")
			return &failed
		}
	}
	if d, call := r.describerOf(call); d != nil {
		return d.Refuse(call)
	}
	return nil
}

// callHandler sends the call to the Go handler of a built-in panel. If the handler panics, only the call fails.
func callHandler(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) (result toolspec.Result) {
	req, err := http.NewRequestWithContext(ctx, sent.method, address("http://panel.invalid", sent), body(sent))
	if err != nil {
		return toolspec.Fail(toolspec.ValidationError, "making the request: "+err.Error(), suggestion(nil, o))
	}
	process.SetHeaders(req, sent.body != nil, "")
	w := &responseRecorder{header: http.Header{}}
	w.readStream = func(form stream.Kind, body io.Reader) toolspec.Result {
		return streamedAnswer(form, &http.Response{Body: io.NopCloser(body)}, o, output)
	}
	defer func() {
		if p := recover(); p != nil {
			w.end(errors.New("the handler panicked"))
			result = toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel had an internal error: %v",
				o.title, p), "Other tools are not affected.")
		}
	}()
	o.handler.ServeHTTP(w, req)
	if v := toolspec.CallContextOf(ctx); v != nil && v.Answer != nil {
		return *v.Answer
	}
	if result, flowed := w.end(nil); flowed {
		return result
	}
	return answer(w.response(), o, sent, output) //nolint:bodyclose // the body is in memory
}

// responseRecorder is an http.ResponseWriter that stores an answer of limited size in memory. After the first Flush of
// a streamed answer, it passes the answer on.
type responseRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	// readStream reads a streamed answer. pipe and result are set while it runs.
	readStream func(form stream.Kind, body io.Reader) toolspec.Result
	pipe       *io.PipeWriter
	result     chan toolspec.Result
}

// Flush implements http.Flusher.
func (r *responseRecorder) Flush() {
	r.WriteHeader(http.StatusOK)
	form := stream.KindOf(r.header.Get("Content-Type"), true)
	if r.pipe != nil || form == stream.KindNone || r.status >= 300 {
		return
	}
	from, to := io.Pipe()
	r.pipe, r.result = to, make(chan toolspec.Result, 1)
	go func() {
		r.result <- r.readStream(form, from)
		_ = from.CloseWithError(errTooLarge) // nothing more is read
	}()
	_, _ = r.pipe.Write(r.body.Bytes()) // the reader reports its own errors
}

// end finishes a streamed answer and returns its result. why is the reason if it ends early, otherwise nil. flowed is
// false if the answer was not streamed.
func (r *responseRecorder) end(why error) (result toolspec.Result, flowed bool) {
	if r.pipe == nil {
		return result, false
	}
	_ = r.pipe.CloseWithError(why)
	return <-r.result, true
}

func (r *responseRecorder) Header() http.Header { return r.header }

func (r *responseRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

var errTooLarge = errors.New("the answer is larger than 5 MB")

func (r *responseRecorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.pipe != nil {
		return r.pipe.Write(p)
	}
	if room := maxAnswer + 1 - r.body.Len(); len(p) > room {
		r.body.Write(p[:room])
		return room, errTooLarge
	}
	return r.body.Write(p)
}

func (r *responseRecorder) response() *http.Response {
	r.WriteHeader(http.StatusOK)
	return &http.Response{StatusCode: r.status, Header: r.header, Body: io.NopCloser(&r.body)}
}
