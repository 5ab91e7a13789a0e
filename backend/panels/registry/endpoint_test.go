package registry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// TestPathParameterIsEscaped sends hostile values over a real connection and
// looks at what the server understood: one part of the path, with the value in it and nothing else.
func TestPathParameterIsEscaped(t *testing.T) {
	t.Parallel()
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { got = req }))
	defer server.Close()
	r, _, root := started(t, nil)
	write(t, root, "notes", minimal("notes", `,"backend":{"kind":"http","url":"`+server.URL+`"},
	  "tools":[{"name":"note_get","description":"x","endpoint":"GET /api/notes/item/{id}/text","parameters":{"id":{}}}]`))
	waitFor(t, r, "notes")
	for _, refused := range []string{
		"", ".", "..", "/", "a/b", "../../ai/tools", `\`, `..\..`, `a\b`, "%2f", "%2F", "%2e%2e", "a%2Fb", "%252f",
		"%5c", "%00", "\x00", "a\x00b", "\n", "a\r\nHost: evil.example", "\t", "\x7f",
		"\u2028", "a\u202eb", "\u200b", "\ufeff", "．．", "。。", "／", "a／b", "＼", "∕", "⁄", "․․", "…/",
		strings.Repeat("x", 1001), "%u002f", "%c0%af", "\u0085",
	} {
		t.Run(strconv.Quote(refused), func(t *testing.T) {
			got = nil
			text, _ := json.Marshal(refused) // a string always can be written
			result := call(t, r, "note_get", `{"id":`+string(text)+`}`)
			mustFail(t, result, toolspec.ValidationError, "id is part of the endpoint's path")
			if got != nil {
				t.Errorf("%q was sent as %s", refused, got.RequestURI)
			}
		})
	}
	for _, taken := range []string{
		"a", "a b", "a?b=c", "?", "#", "a#b", ";", "a;b=c", "a:b", "http:", "@", "a@b", "&", "=", "+", "%", "100%",
		"%zz", "~", "...", "..a", "a..", "ü", "日本", "🙂", "e\u0301", "'\"<>", "{id}", "$(id)", "*", "[::1]", "-1",
		"null",
	} {
		t.Run(strconv.Quote(taken), func(t *testing.T) {
			got = nil
			text, _ := json.Marshal(taken)
			mustSucceed(t, call(t, r, "note_get", `{"id":`+string(text)+`}`))
			if want := "/api/notes/item/" + taken + "/text"; got == nil || got.URL.Path != want ||
				got.URL.RawQuery != "" || strings.Count(got.RequestURI, "/") != 5 {
				t.Errorf("%q arrived as %+v", taken, got)
			}
		})
	}
	for _, raw := range []string{`null`, `{}`, `[]`, `["a"]`, `{"a":1}`} {
		t.Run(raw, func(t *testing.T) {
			mustFail(t, call(t, r, "note_get", `{"id":`+raw+`}`), toolspec.ValidationError, "id")
		})
	}
	for _, raw := range []string{`7`, `-1.5`, `true`, `1e3`} {
		t.Run(raw, func(t *testing.T) {
			mustSucceed(t, call(t, r, "note_get", `{"id":`+raw+`}`))
			if got.URL.Path != "/api/notes/item/"+raw+"/text" {
				t.Errorf("%s arrived as %s", raw, got.RequestURI)
			}
		})
	}
}

func TestEndpointErrorForms(t *testing.T) {
	t.Parallel()
	var status int
	var contentType, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	r, _, root := started(t, nil)
	write(t, root, "notes", minimal("notes", `,"backend":{"kind":"http","url":"`+server.URL+`"},
	  "tools":[{"name":"note_get","description":"x","endpoint":"GET /api/notes/all"}]`))
	waitFor(t, r, "notes")
	const j, p = "application/json", "application/problem+json"
	for _, c := range []struct {
		status     int
		kind, body string
		is         toolspec.ErrorType
		want       string
	}{
		{
			404, j, `{"error":"there is no entry 7","suggestion":"Call note_list."}`, toolspec.UserError,
			"there is no entry 7 (404 Not Found)",
		},
		{400, j, `{"error":{"code":3,"message":"text is empty"}}`, toolspec.ValidationError, "text is empty"},
		{
			422, j, `{"detail":[{"loc":["text"],"msg":"field required"},{"msg":"too long"}]}`, toolspec.ValidationError,
			"field required; too long",
		},
		{
			409, p, `{"type":"urn:x","title":"Conflict","detail":"It was changed by Ana.","status":409}`,
			toolspec.UserError, "It was changed by Ana.",
		},
		{403, p, `{"title":"Not yours","status":403}`, toolspec.PermissionError, "Not yours"},
		{400, p, `{"title":"Invalid","detail":"2 fields are wrong","errors":[{"detail":"name is empty","pointer":"#/name"},{"message":"age is negative"}]}`, toolspec.ValidationError, "2 fields are wrong: name is empty; age is negative"},
		{
			400, j, `{"title":"One or more errors","errors":{"name":["is empty"],"age":["is negative","is old"]}}`,
			toolspec.ValidationError, "One or more errors: age: is negative; is old; name: is empty",
		},
		{500, j, `{"errors":["first","second"]}`, toolspec.SystemError, "first; second (500"},
		{503, "text/plain", "  the database is locked\n", toolspec.SystemError, "the database is locked (503"},
		{
			500, "text/html", "<html><h1>Internal error</h1>", toolspec.SystemError,
			"GET /api/notes/all answered 500 Internal Server Error",
		},
		{400, j, `"just words"`, toolspec.ValidationError, "just words"},
		{400, j, `{broken`, toolspec.ValidationError, "{broken"},
		{400, j, `{"error":null,"message":""}`, toolspec.ValidationError, "answered 400 Bad Request"},
		{500, "", "\xff\xfe", toolspec.SystemError, "answered 500"},
		{
			401, j, `{"error":"invalid_token","error_description":"The token has ended"}`, toolspec.PermissionError,
			"The token has ended",
		},
		{302, j, `{}`, toolspec.SystemError, "redirect (302 Found), which is not followed"},
		{200, j, `{"success":false,"error":"no room"}`, toolspec.UserError, "no room"},
		{200, j, `{"ok":false,"message":"no room"}`, toolspec.UserError, "no room"},
		{200, j, `{"ok":`, toolspec.SystemError, "returned invalid JSON"},
		{400, j, `{"error":"` + strings.Repeat("x", 5000) + `"}`, toolspec.ValidationError, "xxx"},
		{
			400, j, strings.Repeat(`{"error":`, 50) + `"deep"` + strings.Repeat(`}`, 50), toolspec.ValidationError,
			"answered 400",
		},
	} {
		t.Run(c.want, func(t *testing.T) {
			status, contentType, body = c.status, c.kind, c.body
			result := call(t, r, "note_get", `{}`)
			mustFail(t, result, c.is, c.want)
			if len(result.Error) > 2200 {
				t.Errorf("%d bytes of error", len(result.Error))
			}
		})
	}
}
