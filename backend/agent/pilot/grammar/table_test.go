package grammar

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// parserForAllTools is a Parser that offers every tool of the table and a created one.
func parserForAllTools(t testing.TB) *Parser {
	t.Helper()
	rules, err := Compile(commandtable.Table())
	if err != nil {
		t.Fatal(err)
	}
	tools := []string{"open_home_panel", "open_code_editor_panel", "my_tool"}
	for _, f := range rules.Forms {
		if tool := f.command.Tool; tool != "" && tool != commandtable.NamedTool && tool != commandtable.PanelTool &&
			!slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	marks := &event.Marks{Elements: []annotation.Element{
		{ID: 3, Role: "button", Name: `Add "it" to (basket)`, Usable: true},
		{ID: 4, Role: "searchbox", Name: "Search", Usable: true},
		{ID: 5, Role: "combobox", Name: "Sort", Usable: true},
		{ID: 9, Role: "link", Name: "Home", Usable: true},
		{ID: 10, Role: "button", Name: "Add to basket · Fen", Usable: true},
	}}
	return &Parser{
		Rules: rules, Tools: append(tools, "open_settings_panel"), DemoURL: func() string { return "demo" },
		Window: WindowState{
			PageInFront: func() bool { return true },
			Marks:       func() *event.Marks { return marks },
			Tabs: func() []event.Tab {
				return []event.Tab{{ID: 1, Title: "Shop"}, {ID: 2, Title: "Example Domain"}}
			},
			ActiveTab: func() int { return 1 },
		},
	}
}

func TestTableIsValid(t *testing.T) {
	r, err := Compile(commandtable.Table())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Forms {
		if f.Description == "" || f.Example == "" || f.command.Group == "" || strings.HasSuffix(f.Description, ".") {
			t.Errorf("%q: means %q, example %q, group %q", f.Pattern, f.Description, f.Example, f.command.Group)
		}
	}
}

func TestInvalidForms(t *testing.T) {
	for _, say := range []string{"", "click {id:nothing}", "(open|visit {url:address}", "click {id"} {
		if _, err := Compile([]commandtable.Command{{
			Tool:  "x",
			Forms: []commandtable.Form{{Pattern: say, Example: "x"}},
		}}); err == nil {
			t.Errorf("%q is read", say)
		}
	}
}

// The example of every form is read as one call of its tool, and a listed form is the one that reads it.
func TestExamplesCallTheirTool(t *testing.T) {
	g := parserForAllTools(t)
	for _, f := range g.Forms {
		plan, problem := g.Plan(f.Example)
		if problem != nil || len(plan) != 1 {
			t.Errorf("%q: %d steps, %+v", f.Example, len(plan), problem)
			continue
		}
		want := f.command.Tool
		switch want {
		case commandtable.NamedTool:
			want = "my_tool"
		case commandtable.PanelTool:
			want = "open_home_panel"
			if f.Example == "settings" {
				want = "open_settings_panel"
			}
		}
		if s := plan[0]; s.Tool != want || s.Builtin != f.command.Builtin {
			t.Errorf("%q calls %q, not %q", f.Example, s.Tool+s.Builtin, want+f.command.Builtin)
		}
		if m, ok := g.reads(f.Example); !f.Hidden && (!ok || m.form != f) {
			t.Errorf("%q is not read as %q", f.Example, f.Pattern)
		}
	}
}

// roundTrip checks that what was read reads the same when printed.
func roundTrip(t *testing.T, g *Parser, text string) {
	t.Helper()
	plan, problem := g.Plan(text)
	if problem != nil {
		for _, o := range problem.Offers {
			if _, again := g.Plan(o.Command); again != nil {
				t.Fatalf("%q offers %q, which is no command: %+v", text, o.Command, again)
			}
		}
		return
	}
	var lines []string
	for _, s := range plan {
		lines = append(lines, s.canonical)
	}
	printed := strings.Join(lines, "\n")
	again, problem := g.Plan(printed)
	if problem != nil || len(again) != len(plan) {
		t.Fatalf("%q is printed as %q, which is %d steps: %+v", text, printed, len(again), problem)
	}
	for i, s := range plan {
		a := again[i]
		if s.Tool != a.Tool || string(s.Args) != string(a.Args) || s.Builtin != a.Builtin || s.About != a.About {
			t.Fatalf("%q is printed as %q\n was %s %s\n now %s %s", text, printed, s.Tool, s.Args, a.Tool, a.Args)
		}
		if a.canonical != s.canonical {
			t.Fatalf("%q is printed as %q and then as %q", text, s.canonical, a.canonical)
		}
		if len(s.Args) > 0 && !json.Valid(s.Args) {
			t.Fatalf("%q has the arguments %s", text, s.Args)
		}
	}
}

func TestExamplesRoundTrip(t *testing.T) {
	g := parserForAllTools(t)
	for _, f := range g.Forms {
		roundTrip(t, g, f.Example)
	}
	for _, text := range tricky {
		if _, problem := g.Plan(text); problem != nil {
			t.Errorf("%q is not read: %+v", text, problem)
		}
		roundTrip(t, g, text)
	}
}

// tricky are messages with quotes, escapes, separators and letters that are easily misread.
var tricky = []string{
	`type "say \"hi\" and click 3" into 4`, `type it's "here" into 4`, `type C:\new into 4`, `type "C:\\new\tb" into 4`,
	`type "" into 4`,
	`type “Grüße, 世界” into 4 and press enter`, `type ’tis into 4`, `run echo "a and b" && ls; cat x, then y`,
	`$ printf 'a\nb' > /tmp/x`,
	`open demo and run echo "done" then press enter`, `press +`, `press "`, `select "A", "B" and "C" in 5`,
	`find files "a b".txt`, `/type_text {"annotationId":4,"text":"a\nb"} and click 3`,
	`run tool my_tool {"a": "b and c"}`, `annotate "a" "b"`,
	`write "a\\nb\n" to "my notes"`, `sql "my shop.db" SELECT 'a and b'`, `wait for "x" is gone`, `fill in 4 with 5`,
	`go to HTTPS://a.example/#x,y`,
	`js document.title; alert("and then")`, `help`, `help click`, `tools`, "open demo\nclick 3", `get a.example`,
	`home`, `open demo, click 3; back`,
}

// FuzzRoundTrip: no input panics, and what was read reads back as the same when printed.
func FuzzRoundTrip(f *testing.F) {
	g := parserForAllTools(f)
	for _, form := range g.Forms {
		f.Add(form.Example)
	}
	for _, text := range append(tricky, "open notes.txt", "run my_tool", "search tea", "annotate a and tabs") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		roundTrip(t, g, text)
		for _, o := range g.Suggest(text) {
			if strings.TrimSpace(o.Command) == "" {
				t.Fatalf("%q offers nothing", text)
			}
		}
	})
}
