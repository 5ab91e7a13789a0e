package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"sextant/backend/panels/backends/stream"
	"sextant/backend/panels/errortext"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	maxAnswer = 5 << 20
	maxValue  = 200_000
	maxReason = 2000
)

// answer converts an endpoint's response to a Result. It passes a streamed response to output while reading it.
func answer(res *http.Response, o *callable, sent endpointCall, output func(stream, text string)) toolspec.Result {
	if form := stream.KindOf(res.Header.Get("Content-Type"), res.ContentLength < 0); form != stream.KindNone &&
		res.StatusCode < 300 {
		return streamedAnswer(form, res, o, output)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel's answer ended early: %s", o.title, err),
			"Call again.")
	}
	if len(body) > maxAnswer {
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel's answer is larger than 5 MB", o.title),
			"Ask for less, for example with a limit, if the tool has one.")
	}
	if res.StatusCode >= 300 {
		return errorAnswer(res, body, o, sent)
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	if strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" {
		r := toolspec.OK(map[string]any{"content_type": kind, "bytes": len(body)})
		r.Text = fmt.Sprintf("an image (%s, %d bytes)", kind, len(body))
		r.Images = []toolspec.Image{{MIME: kind, Data: body}}
		return r
	}
	if isJSON(kind, body) {
		return jsonAnswer(body, o)
	}
	if !utf8.Valid(body) {
		return toolspec.OK(map[string]any{"content_type": kind, "bytes": len(body), "note": "not text, not shown"})
	}
	text, left := cutText(string(body), maxValue)
	r := toolspec.OK(text)
	if left > 0 {
		r.Text = text + fmt.Sprintf("\n… %d more bytes are left out", left)
	}
	return r
}

func streamedAnswer(form stream.Kind, res *http.Response, o *callable,
	output func(stream, text string),
) toolspec.Result {
	end, err := stream.Read(form, res.Body, maxAnswer, output)
	came := end.Text
	if end.Omitted > 0 {
		came += fmt.Sprintf("\n… %d more bytes are left out", end.Omitted)
	}
	switch {
	case errors.Is(err, stream.ErrTooLarge):
		r := toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel's answer is too large: %s", o.title, err),
			"Ask for less, for example with a limit, if the tool has one.")
		r.Text = came
		return r
	case err != nil:
		r := toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the %s panel's answer ended early: %s; whether it took effect is unknown", o.title, err),
			"Check the panel's state before you call again.")
		r.Text = came
		return r
	case len(end.Failure) > 0:
		var value any
		if json.Unmarshal(end.Failure, &value) != nil {
			value = string(end.Failure)
		}
		members, _ := value.(map[string]any)
		r := toolspec.Fail(toolspec.UserError,
			cmp.Or(errortext.Find(value, maxReason), "it failed without giving a reason"),
			suggestion(members, o))
		r.Text = came
		return r
	case len(end.Result) > 0:
		return jsonAnswer(end.Result, o)
	}
	r := toolspec.OK(end.Text)
	r.Text = came
	return r
}

func isJSON(kind string, body []byte) bool {
	return kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "" && json.Valid(body)
}

func jsonAnswer(body []byte, o *callable) toolspec.Result {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var value any
	if len(bytes.TrimSpace(body)) == 0 {
		return toolspec.OK(map[string]any{})
	}
	if err := dec.Decode(&value); err != nil || dec.More() {
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel returned invalid JSON: %s", o.title,
			excerpt.TruncateRunes(string(body), 200)),
			"Fix the panel's program, or call another tool.")
	}
	// Some programs report a failure only in the body.
	if m, ok := value.(map[string]any); ok && (m["success"] == false || m["ok"] == false) {
		if reason := errortext.Find(value, maxReason); reason != "" {
			return toolspec.Fail(toolspec.UserError, reason, suggestion(m, o))
		}
	}
	if len(body) <= maxValue {
		r := toolspec.OK(value)
		// Keep the panel's own text and order, without the escapes of encoding/json.
		r.Text = compact(body)
		return r
	}
	text, left := cutText(string(body), maxValue)
	r := toolspec.OK(map[string]any{"truncated": true, "bytes": len(body), "text": text})
	r.Text = text + fmt.Sprintf("\n… %d more bytes are left out", left)
	return r
}

func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

func cutText(text string, limit int) (kept string, left int) {
	if len(text) <= limit {
		return text, 0
	}
	kept = text[:limit]
	for len(kept) > 0 && !utf8.ValidString(kept[max(0, len(kept)-utf8.UTFMax):]) {
		kept = kept[:len(kept)-1]
		if utf8.ValidString(kept[max(0, len(kept)-1):]) {
			break
		}
	}
	return kept, len(text) - len(kept)
}

func errorAnswer(res *http.Response, body []byte, o *callable, sent endpointCall) toolspec.Result {
	var value any
	reason := ""
	if json.Unmarshal(body, &value) == nil {
		reason = errortext.Find(value, maxReason)
	} else if text := strings.TrimSpace(string(body)); utf8.ValidString(text) && !strings.HasPrefix(text, "<") {
		reason = excerpt.TruncateRunes(text, maxReason)
	}
	status := strings.TrimSpace(fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)))
	if reason == "" {
		reason = fmt.Sprintf("%s answered %s", sent.target(), status)
	} else {
		reason += " (" + status + ")"
	}
	members, _ := value.(map[string]any)
	switch code := res.StatusCode; {
	case code < 400:
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("%s returned a redirect (%s), which is not followed",
			sent.target(), status),
			"The panel's program must answer its endpoints itself.")
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity:
		return toolspec.Fail(toolspec.ValidationError, reason, suggestion(members, o))
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return toolspec.Fail(toolspec.PermissionError, reason, suggestion(members, o))
	case code < 500:
		return toolspec.Fail(toolspec.UserError, reason, suggestion(members, o))
	}
	return toolspec.Fail(toolspec.SystemError, reason, suggestion(members, o))
}

// suggestion returns the suggestion in the answer, or else an example of a correct call, or else a general sentence.
func suggestion(members map[string]any, o *callable) string {
	for _, key := range []string{"suggestion", "hint"} {
		if s, ok := members[key].(string); ok && s != "" {
			return excerpt.TruncateRunes(s, 500)
		}
	}
	if len(o.Examples) > 0 {
		return fmt.Sprintf("A correct call: %s %s", o.Name, excerpt.TruncateRunes(compact(o.Examples[0]), 400))
	}
	return "Check the arguments of " + o.Name + "."
}
