package pilot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

var shopPilot = sync.OnceValue(func() *pilot.Pilot { return pilot.New(pilot.Config{Window: shopLive}) })

// completions returns the completions of a text, in order, and the ghost text.
func completions(text string) ([]string, wire.Completion) {
	c := shopPilot().Complete(text, "")
	inserts := make([]string, len(c.Items))
	for i, item := range c.Items {
		inserts[i] = item.Insert
	}
	return inserts, c
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ typed, offers string }{
		{"", ""},
		{"   ", ""},
		{"annot", "annotate|annotate page|annotate "},
		{"cl", "close tab |close tab|click |clear |click at |close panel|close "},
		{"Scr", "scroll |scroll to |screenshot|screenshot of |screenshot of full page|screenshot with numbers"},
		{"click ", "click 3|click 15|click 16|click 17|click 18|click at "},
		{"click 1", "click 15|click 16|click 17|click 18"},
		{"click add", "click 15|click 16"},
		{"click add to", "click 15"},
		{"type hello into ", "type hello into 3|type hello into 17|type hello into 15|type hello into 16|type hello " +
			"into 18"},
		{"type hello i", "type hello into "},
		{"type hello ", "type hello into |type hello slowly into "},
		{"select Blue in ", "select Blue in 17|select Blue in 3|select Blue in 15|select Blue in 16|select Blue in 18"},
		{"press Esc", "press Escape"},
		{"press k", "press key "},
		{"tab ", "tab 2"},
		{"open ho", "open home panel"},
		{"open d", "open demo"},
		{"open demo and cli", "open demo and click |open demo and click at "},
		{
			"open demo, click 3 then sc",
			"open demo, click 3 then scroll |open demo, click 3 then scroll to |open demo, click 3 then " +
				"screenshot|open demo, click 3 then screenshot of |open demo, click 3 then screenshot of full " +
				"page|open demo, click 3 then screenshot with numbers",
		},
		{"open demo\nclick ad", "open demo\nclick 15|open demo\nclick 16"},
		{"type salt and pe", ""},
		{"read no", "read notes.txt"},
		{"read my", `read "my notes.txt"`},
		{"files in d", "files in docs/"},
		{"run ", "run tool "},
		{"run ls -l and cli", ""},
		{"run tool my", "run tool my_tool"},
		{"emulate p", "emulate phone"},
		{"git di", "git diff|git diff staged|git diff "},
		{"wait until x is", "wait until x is gone"},
		{"zzz", ""},
		{"/my", "/my_tool {}"},
		{"/click_e", "/click_element {}"},
		{"/click_element {", ""},
		{"bring me a cup of te", ""},
		{strings.Repeat("x", 3_000), ""},
	} {
		t.Run(fmt.Sprintf("%.40s", c.typed), func(t *testing.T) {
			if got, _ := completions(c.typed); strings.Join(got, "|") != c.offers {
				t.Errorf("%q goes on with\n%q, want\n%q", c.typed, strings.Join(got, "|"), c.offers)
			}
		})
	}
}

func TestCompleteHint(t *testing.T) {
	for typed, want := range map[string]string{
		"type ":              "TEXT into NUMBER",
		"type hello into ":   "NUMBER",
		"click ":             "NUMBER",
		"run ":               "COMMAND",
		"scroll down in ":    "NUMBER",
		"open demo and tab ": "TAB",
		"click":              "",
		"click 3":            "",
		"back":               "",
	} {
		t.Run(typed, func(t *testing.T) {
			if _, c := completions(typed); c.Ghost != want {
				t.Errorf("%q is followed by %q, want %q", typed, c.Ghost, want)
			}
		})
	}
}

func TestCompleteAnnotations(t *testing.T) {
	_, c := completions("click add")
	if c.Items[0].Label != "15" || c.Items[0].Detail != "button “Add to basket”" {
		t.Errorf("%+v", c.Items[0])
	}
}

func TestCompleteToolArguments(t *testing.T) {
	schema := `{"type":"object","properties":{"annotationId":{"type":"integer"},"text":{"type":"string"},"clear":{"type":"boolean"}},"required":["annotationId","text"]}`
	p := pilot.New(pilot.Config{Window: func(string) grammar.WindowState {
		return grammar.WindowState{
			Tools: []toolspec.Definition{{Name: "type_text", Parameters: json.RawMessage(schema)}},
		}
	}})
	c := p.Complete("/ty", "")
	if len(c.Items) != 1 || c.Items[0].Insert != `/type_text {"annotationId": , "text": ""}` {
		t.Fatalf("%+v", c.Items)
	}
	if text, back := c.Items[0].Insert, c.Items[0].Back; text[len(text)-back:] != `, "text": ""}` {
		t.Errorf("the cursor is before %q", text[len(text)-back:])
	}
}

// Every completion is a command or can be continued to one, and begins with the typed text unless a number
// replaced a name.
func TestCompleteEveryPrefixOfExamples(t *testing.T) {
	examples, _ := commandtable.Examples()
	for _, e := range examples {
		for i := range e.Text {
			typed := e.Text[:i+1]
			inserts, _ := completions(typed)
			for _, insert := range inserts {
				if insert == typed || strings.TrimSpace(insert) == "" {
					t.Errorf("%q goes on with %q", typed, insert)
				}
			}
			if len(inserts) > 8 {
				t.Errorf("%q has %d ways on", typed, len(inserts))
			}
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, text := range []string{"click ", "type a into ", "/cl", "open demo and ", "read \"my", "a\nb, c"} {
		f.Add(text)
	}
	p := pilot.New(pilot.Config{Window: shopLive})
	f.Fuzz(func(t *testing.T, text string) {
		for _, item := range p.Complete(text, "").Items {
			if item.Back < 0 || item.Back > len(item.Insert) || item.Label == "" {
				t.Fatalf("%q goes on with %+v", text, item)
			}
		}
	})
}

// A page of 3,000 annotations and a list of 500 tools.
func BenchmarkComplete(b *testing.B) {
	marks := &event.Marks{}
	for i := range 3_000 {
		marks.Elements = append(
			marks.Elements,
			annotation.Element{
				ID:     i + 1,
				Role:   "button",
				Name:   fmt.Sprintf("Add article %d to the basket", i),
				Usable: true,
			},
		)
	}
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("server_tool_%d", i))
	}
	defs := definitions(every + " " + strings.Join(names, " "))
	p := pilot.New(pilot.Config{Window: func(string) grammar.WindowState {
		return grammar.WindowState{Marks: func() *event.Marks { return marks }, Tools: defs}
	}})
	for _, text := range []string{
		"c", "click add article 29",
		"open demo, click 3, type a into 4 and press Enter then scr", "/tool_4",
	} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				p.Complete(text, "")
			}
		})
	}
}
