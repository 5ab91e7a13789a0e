package panels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sextant/backend/tools/panels/process"
	"sextant/shared/toolspec"
)

// serve lets the Go handler of a built-in panel answer in this process. A panic in it is
// that panel's failure, not the program's.
func serve(ctx context.Context, o *offer, sent outgoing) (result toolspec.Result) {
	req, err := http.NewRequestWithContext(ctx, sent.method, address("http://panel.invalid", sent), body(sent))
	if err != nil {
		return toolspec.Fail(toolspec.ValidationError, "making the request: "+err.Error(), advice(nil, o))
	}
	process.Headers(req, sent.body != nil, "")
	w := &recording{header: http.Header{}}
	defer func() {
		if p := recover(); p != nil {
			result = toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel failed inside: %v", o.title, p), "Other tools are not affected.")
		}
	}()
	o.handler.ServeHTTP(w, req)
	if v := toolspec.VisitOf(ctx); v != nil && v.Answer != nil {
		return *v.Answer
	}
	return answer(w.response(), o, sent) //nolint:bodyclose // the body is our own bytes in memory
}

// recording is a ResponseWriter that keeps a bounded answer in memory.
type recording struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recording) Header() http.Header { return w.header }

func (w *recording) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

var errTooLarge = errors.New("the answer is larger than 5 MB")

func (w *recording) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if room := maxAnswer + 1 - w.body.Len(); len(p) > room {
		w.body.Write(p[:room])
		return room, errTooLarge
	}
	return w.body.Write(p)
}

func (w *recording) response() *http.Response {
	w.WriteHeader(http.StatusOK)
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body)}
}
