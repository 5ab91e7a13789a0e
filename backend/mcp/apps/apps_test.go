package apps

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func meta(t *testing.T, text string) sdk.Meta {
	t.Helper()
	var m sdk.Meta
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestToolUIMetadata(t *testing.T) {
	for text, want := range map[string]Tool{
		`{}`:                                {ModelCanCall: true, AppCanCall: true},
		`{"ui":{"resourceUri":"ui://a/b"}}`: {URI: "ui://a/b", ModelCanCall: true, AppCanCall: true},
		`{"ui/resourceUri":"ui://old"}`:     {URI: "ui://old", ModelCanCall: true, AppCanCall: true},
		`{"ui":{"resourceUri":"ui://new"},"ui/resourceUri":"ui://old"}`: {URI: "ui://new", ModelCanCall: true, AppCanCall: true},
		`{"ui":{"resourceUri":"https://a.example/"}}`:                   {ModelCanCall: true, AppCanCall: true},
		`{"ui":{"resourceUri":"ui://a b"}}`:                             {ModelCanCall: true, AppCanCall: true},
		`{"ui":{"resourceUri":7,"visibility":["app"]}}`:                 {AppCanCall: true},
		`{"ui":{"visibility":["model"]}}`:                               {ModelCanCall: true},
		`{"ui":{"visibility":[]}}`:                                      {},
		`{"ui":{"visibility":["everybody"]}}`:                           {},
		`{"ui":"yes"}`:                                                  {ModelCanCall: true, AppCanCall: true},
	} {
		t.Run(text, func(t *testing.T) {
			if diff := cmp.Diff(want, ToolOf(meta(t, text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageResource(t *testing.T) {
	const uri = "ui://a"
	good := &sdk.ResourceContents{URI: uri, MIMEType: "text/html; profile=mcp-app", Text: "<p>", Meta: meta(t, `{"ui":{
		"prefersBorder":false,"permissions":{"camera":{},"flight":{}},
		"csp":{"connectDomains":["https://api.example.com/","HTTPS://B.example","http://c.example","https://*","https://10.0.0.1","https://d.example; script-src *","https://localhost",7,"wss://e.example:8443"],
		       "resourceDomains":["https://*.cdn.example"]}}}`)}
	p, err := ParsePage(uri, []*sdk.ResourceContents{nil, {URI: "ui://other"}, good}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Domains.Connect, []string{
		"https://api.example.com", "https://b.example",
		"wss://e.example:8443",
	}) ||
		!slices.Equal(p.Domains.Resource, []string{"https://*.cdn.example"}) || p.PrefersBorder == nil ||
		*p.PrefersBorder ||
		!slices.Equal(p.Permissions, []string{"camera"}) {
		t.Errorf("%+v", p)
	}
	granted := []string{"connect https://b.example", "frame https://*.cdn.example", "https://api.example.com"}
	if d := p.Domains.among(granted); !slices.Equal(d.Uses(), granted[:1]) {
		t.Errorf("granted one, got %v", d.Uses())
	}
	for _, use := range p.Domains.Uses() {
		if !IsUse(use) {
			t.Errorf("%q is no use", use)
		}
	}
	for _, bad := range []string{
		"https://b.example", "connect", "send https://b.example",
		"connect https://b.example; script-src *", "connect http://b.example", "connect https://B.example",
	} {
		if IsUse(bad) {
			t.Errorf("%q is a use", bad)
		}
	}
	listed := meta(t, `{"ui":{"csp":{"connectDomains":["https://listed.example"]}}}`)
	bare := &sdk.ResourceContents{URI: uri, MIMEType: MIME, Blob: []byte("<p>")}
	if p, err := ParsePage(uri, []*sdk.ResourceContents{bare}, listed); err != nil || len(p.Domains.Connect) != 1 {
		t.Errorf("%+v %v", p, err)
	}
	for name, c := range map[string]*sdk.ResourceContents{
		"another address": {URI: "ui://b", MIMEType: MIME, Text: "<p>"},
		"plain html":      {URI: uri, MIMEType: "text/html", Text: "<p>"},
		"empty":           {URI: uri, MIMEType: MIME},
		"too large":       {URI: uri, MIMEType: MIME, Text: strings.Repeat("x", MaxPage+1)},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParsePage(uri, []*sdk.ResourceContents{c}, nil); !errors.Is(err, ErrNoPage) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestLatestModelContextIsKept(t *testing.T) {
	var c ModelContext
	put := func(source, content, structured string) error {
		return c.Put("talk", source, json.RawMessage(content), json.RawMessage(structured))
	}
	if err := put("mcp:a", `[{"type":"text","text":"one"}]`, ""); err != nil {
		t.Fatal(err)
	}
	if err := put("mcp:a", `[{"type":"text","text":"two"}]`, `{"n": 1}`); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][2]string{
		{`{"type":"text"}`, ""},
		{`[{"type":"image"}]`, ""},
		{"", `[1]`},
		{`[{"type":"text","text":"` + strings.Repeat("x", maxContextBytes+1) + `"}]`, ""},
	} {
		if err := put("mcp:a", bad[0], bad[1]); !errors.Is(err, errInvalidContext) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
	if diff := cmp.Diff([]ContextEntry{{"mcp:a", "two\n{\"n\":1}"}}, c.Latest("talk")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, source := range []string{"b", "c", "d", "e", "f"} {
		if err := put(source, "", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Latest("talk"); len(got) != maxSources || got[len(got)-1].Source != "f" {
		t.Errorf("%+v", got)
	}
}

func TestAppRateLimit(t *testing.T) {
	now := time.Unix(1000, 0)
	gate := RequestLimiter{Now: func() time.Time { return now }}
	in := 0
	for range 500 {
		if leave, err := gate.Begin("a"); err == nil {
			in++
			leave()
		}
	}
	if in != burst {
		t.Errorf("%d passed", in)
	}
	now = now.Add(time.Minute)
	for range maxConcurrent {
		if _, err := gate.Begin("a"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := gate.Begin("a"); err == nil {
		t.Error("more at once than there may be")
	}
	if _, err := gate.Begin("b"); err != nil {
		t.Error("another server pays for it")
	}
}
