package toolcalls_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/agent/toolcalls"
	"sextant/backend/tools/page"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// The list of tools as text must stay short.
func TestTextSectionTokenCost(t *testing.T) {
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := page.New(nil, nav, page.Config{})
	if err != nil {
		t.Fatal(err)
	}
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(s string) int {
		n, err := codec.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var core []toolspec.Definition
	var native []toolspec.Function
	for _, d := range tools.Definitions("") {
		if slices.Contains(nav.CoreTools(), d.Name) {
			core = append(core, d)
			native = append(native, d.Function())
		}
	}
	raw, err := json.Marshal(native)
	if err != nil {
		t.Fatal(err)
	}
	most := count(string(raw))
	t.Logf("%d core tools, native JSON: %d tokens (cl100k)", len(core), most)
	if len(core) != 12 {
		t.Errorf("%d core tools", len(core))
	}
	for _, kind := range []toolcalls.Format{toolcalls.FormatToolCall, toolcalls.FormatHermes, toolcalls.FormatFenced} {
		t.Run(string(kind), func(t *testing.T) {
			section := toolcalls.PromptSection(kind, core)
			n := count(section)
			call := count(
				toolcalls.Render(
					kind,
					toolcalls.Call{Name: "type_text", Args: []byte(`{"annotationId":12,"text":"hello","submit":true}`)},
					toolcalls.NewToolset(core),
				),
			)
			t.Logf("%s: %d tokens, a call of three arguments %d", kind, n, call)
			if n > most {
				t.Errorf("%s costs %d tokens, native %d", kind, n, most)
			}
		})
	}
	if testing.Verbose() {
		t.Log(toolcalls.PromptSection(toolcalls.FormatHermes, core))
	}
}
