package manifest

import (
	"strings"
	"testing"
)

func TestWebviewOrigins(t *testing.T) {
	read := func(ui, permissions string) ParseResult {
		return Parse([]byte(minimal("notes",
			`,"tools":[],"permissions":`+permissions+`,"ui":{"kind":"webview",`+ui+`}`)), "notes", false)
	}
	good := read(
		`"entry":"ui/index.html","csp":{"connectDomains":["https://api.example.com","wss://api.example.com:8443"],"resourceDomains":["https://*.example.com"]}`,
		`{"net":["api.example.com","example.com"]}`,
	)
	if good.Plan == nil || len(good.Problems) > 0 {
		t.Fatalf("%v", good.Problems)
	}
	for _, tc := range []struct{ ui, permissions, want string }{
		{`"entry":""`, `{}`, "ui.entry is missing"},
		{`"entry":"../index.html"`, `{}`, "not a file of the panel's folder"},
		{`"entry":"/etc/x.html"`, `{}`, "not a file of the panel's folder"},
		{`"entry":".git/x.html"`, `{}`, "not a file of the panel's folder"},
		{`"entry":"page.js"`, `{}`, "not an HTML file"},
		{
			`"entry":"i.html","csp":{"connectDomains":["https://api.example.com"]}`, `{}`,
			"add that host to permissions.net",
		},
		{`"entry":"i.html","csp":{"connectDomains":["*"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"connectDomains":["https://*"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"resourceDomains":["https://*.com"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"resourceDomains":["http://api.example.com"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"resourceDomains":["wss://api.example.com"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"frameDomains":["https://127.0.0.1"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"frameDomains":["https://localhost"]}`, `{"net":true}`, "not an origin"},
		{
			`"entry":"i.html","csp":{"baseUriDomains":["https://a.example; script-src *"]}`, `{"net":true}`,
			"not an origin",
		},
		{`"entry":"i.html","csp":{"baseUriDomains":["https://a.example/path"]}`, `{"net":true}`, "not an origin"},
		{`"entry":"i.html","csp":{"connect":["https://a.example"]}`, `{"net":true}`, `"connect" is not known`},
	} {
		t.Run(tc.ui, func(t *testing.T) {
			found := read(tc.ui, tc.permissions)
			if len(found.Problems) == 0 || !strings.Contains(found.Problems[0].String(), tc.want) ||
				found.Problems[0].Line == 0 {
				t.Errorf("%s: %v", tc.ui, found.Problems)
			}
		})
	}
}
