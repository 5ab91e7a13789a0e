package app

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/recipes"
	"sextant/backend/store/eventlog"
	"sextant/backend/toolprovider/argschema"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// shopper makes calls as a person in one turn of a conversation.
type shopper struct {
	t            *testing.T
	sys          *System
	conversation string
}

func newShopper(t *testing.T, sys *System) shopper {
	t.Helper()
	c, err := sys.Loop.NewConversation(t.Context(), "Shopping")
	if err != nil {
		t.Fatal(err)
	}
	return shopper{t, sys, c.ID}
}

func (s shopper) do(tool string, args map[string]any) toolspec.Result {
	s.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.sys.Pipeline.Do(s.t.Context(), toolspec.Call{Tool: tool, Args: b, From: toolspec.Provenance{
		Caller: toolspec.CallerPerson, Conversation: s.conversation, Turn: "turn-1",
	}})
	if !r.Success {
		s.t.Fatalf("%s %s: %s %s", tool, b, r.Error, r.Suggestion)
	}
	return r
}

// id returns the number of the only element whose line on the page contains text.
func (s shopper) id(text string) int {
	s.t.Helper()
	seen := s.do("annotate_page", map[string]any{"scope": "page"}).Text
	found := regexp.MustCompile(`(?m)^\s*\[(\d+)\] `+regexp.QuoteMeta(text)).FindAllStringSubmatch(seen, -1)
	if len(found) != 1 {
		s.t.Fatalf("%d elements are %q:\n%s", len(found), text, seen)
	}
	id, err := strconv.Atoi(found[0][1])
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s shopper) draft(name string) recipe.Recipe {
	s.t.Helper()
	rec, err := s.sys.Recipes.Draft(s.t.Context(), recipes.Source{Conversation: s.conversation, Turn: "turn-1"})
	if err != nil {
		s.t.Fatal(err)
	}
	rec.Name = name
	return rec
}

// order buys a lamp in the demo shop.
func (s shopper) order(lamp string) {
	s.t.Helper()
	s.do("navigate_page", map[string]any{"url": "demo"})
	s.do("type_text", map[string]any{"annotationId": s.id(`searchbox "Search"`), "text": lamp, "submit": true})
	s.do("click_element", map[string]any{"annotationId": s.id(`button "Add to basket · ` + lamp + `"`)})
	s.do("click_element", map[string]any{"annotationId": s.id(`link "Basket (1)"`)})
	s.do("click_element", map[string]any{"annotationId": s.id(`link "Check out"`)})
	for _, field := range [][2]string{
		{"Name", "Ada Lovelace"},
		{"E-mail", "ada@example.com"},
		{"Street and number", "Dorset Street 1"},
		{"Postcode", "10437"},
		{"City", "Berlin"},
	} {
		s.do("type_text", map[string]any{"annotationId": s.id(`textbox "` + field[0] + `"`), "text": field[1]})
	}
	s.do("select_option", map[string]any{"annotationId": s.id(`combobox "Country"`), "values": []string{"Austria"}})
	s.do("click_element", map[string]any{"annotationId": s.id(`button "Place order"`)})
}

// call runs a recipe as a person in a conversation of its own.
func (s shopper) call(name string, values map[string]any) toolspec.Result {
	s.t.Helper()
	b, err := json.Marshal(values)
	if err != nil {
		s.t.Fatal(err)
	}
	from := toolspec.Provenance{
		Caller: toolspec.CallerPerson, Conversation: newShopper(s.t, s.sys).conversation, Turn: "turn-2",
	}
	return s.sys.Pipeline.Do(s.t.Context(), toolspec.Call{Tool: recipes.ToolName(name), Args: b, From: from})
}

// run runs a recipe like call and returns its outcome.
func (s shopper) run(name string, values map[string]any) (recipe.Run, toolspec.Result) {
	s.t.Helper()
	r := s.call(name, values)
	run, ok := r.Value.(recipe.Run)
	if !ok {
		s.t.Fatalf("%s: %+v", name, r)
	}
	return run, r
}

func TestTurnKeptAsRecipeRunsWithOtherValues(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 3 * time.Second
	s := newShopper(t, sys)
	s.order("Fen")
	rec := s.draft("order-lamp")
	var names []string
	for _, p := range rec.Parameters {
		names = append(names, p.Name)
	}
	want := []string{"search", "name", "e_mail", "street_and_number", "postcode", "city", "country"}
	if !slices.Equal(names, want) {
		t.Errorf("the parameters are %v, want %v", names, want)
	}
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}

	again, r := s.run("order-lamp", map[string]any{"search": "Moor", "city": "Wien"})
	if again.Status != recipe.StatusDone || len(again.Steps) != len(rec.Steps) {
		t.Fatalf("%s: %s\n%s", again.Status, again.Reason, r.Text)
	}
	if text := s.do("get_page_content", nil).Text; !strings.Contains(text, "Thank you, Ada Lovelace") {
		t.Errorf("the shop answers:\n%s", text)
	}
	if added := again.Steps[2]; added.Outcome != "Clicked “Add to basket · Moor”" || !added.Proved {
		t.Errorf("the third step: %+v", added)
	}

	// Loam is sold out: its button has another name.
	sold, r := s.run("order-lamp", map[string]any{"search": "Loam"})
	if sold.Status != recipe.StatusUnmet || sold.Step != 3 || r.Success ||
		!strings.Contains(sold.Reason, "Add to basket · Loam") {
		t.Errorf("a lamp that is sold out: %+v", sold)
	}

	dry, r := s.run("order-lamp", map[string]any{"dry_run": true})
	if dry.Status != recipe.StatusDry || !r.Success || s.id(`link "Basket (0)"`) == 0 {
		t.Errorf("a dry run: %+v", dry)
	}
}

func TestRecipeShowsNoSecret(t *testing.T) {
	var typed atomic.Value
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/typed" {
			b, _ := io.ReadAll(r.Body)
			typed.Store(string(b))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Sign in</title><input type=password aria-label=Password
			oninput="fetch('/typed', {method: 'POST', body: value})">`)
	}))
	defer site.Close()
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	s := newShopper(t, sys)
	s.do("navigate_page", map[string]any{"url": site.URL})
	s.do("type_text", map[string]any{"annotationId": s.id(`textbox "Password"`), "text": "lantern-7"})
	rec := s.draft("sign-in")
	if p := rec.Parameters[0]; !p.Secret || p.Default != nil {
		t.Fatalf("the parameter is %+v", p)
	}
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}
	for _, values := range []map[string]any{
		{"password": "compass-9"}, {"password": "compass-9", "dry_run": true},
	} {
		run, r := s.run("sign-in", values)
		said, err := json.Marshal(run)
		if err != nil || !r.Success || strings.Contains(string(said)+r.ModelText(), "compass-9") {
			t.Errorf("the run says %s (%v)\n%s", said, err, r.ModelText())
		}
	}
	if typed.Load() != "compass-9" {
		t.Errorf("the page got %v", typed.Load())
	}
	events, err := sys.Events.EventsAfter(t.Context(), 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if strings.Contains(string(e.Data), "compass-9") || strings.Contains(string(e.Data), "lantern-7") {
			t.Errorf("an event of %s shows a secret: %s", e.Kind, e.Data)
		}
	}
	rows, err := sys.Audit.List(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(rows)
	if err != nil || len(rows) < 5 || strings.Contains(string(text), "compass-9") ||
		strings.Contains(string(text), "lantern-7") {
		t.Errorf("the audit log shows a secret: %s (%v)", text, err)
	}
}

func TestRecipeGoesOnAfterItEndedEarly(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 3 * time.Second
	s := newShopper(t, sys)
	s.order("Fen")
	if err := sys.Recipes.Save(s.draft("order-lamp")); err != nil {
		t.Fatal(err)
	}
	last := func() recipe.LastRun {
		t.Helper()
		last := sys.Recipes.LastRun("order-lamp")
		if last == nil {
			t.Fatal("there was no run")
		}
		return *last
	}

	run, r := s.run("order-lamp", map[string]any{"search": "Loam"}) // sold out
	if run.Status != recipe.StatusUnmet || last().Next != 3 || last().Uncertain || last().Values["search"] != "Loam" ||
		!strings.Contains(r.Suggestion, "go on with step 3 (from_step)") {
		t.Fatalf("%+v\n%+v\n%s", run, last(), r.Suggestion)
	}
	// A person puts another lamp into the basket, and gives back.
	s.do("navigate_page", map[string]any{"url": "demo"})
	s.do("type_text", map[string]any{"annotationId": s.id(`searchbox "Search"`), "text": "Moor", "submit": true})
	s.do("click_element", map[string]any{"annotationId": s.id(`button "Add to basket · Moor"`)})
	run, r = s.run("order-lamp", map[string]any{"from_step": 4, "to_step": 4})
	if run.Status != recipe.StatusPaused || run.First != 4 || len(run.Steps) != 1 || last().Next != 5 {
		t.Fatalf("%+v\n%+v\n%s", run, last(), r.Text)
	}
	run, r = s.run("order-lamp", map[string]any{"from_step": 5, "city": "Wien"})
	if run.Status != recipe.StatusDone || last().Status != recipe.StatusDone || last().Next != 0 ||
		!strings.HasPrefix(r.Text, "5. ") {
		t.Fatalf("%+v\n%+v\n%s", run, last(), r.Text)
	}
	if text := s.do("get_page_content", nil).Text; !strings.Contains(text, "Thank you, Ada Lovelace") {
		t.Errorf("the shop answers:\n%s", text)
	}
	if r = s.call("order-lamp", map[string]any{"from_step": 5, "to_step": 4}); r.Success {
		t.Errorf("a run from step 5 to step 4: %+v", r)
	}
}

func TestRecipeReturnsValues(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 3 * time.Second
	s := newShopper(t, sys)
	s.do("navigate_page", map[string]any{"url": "demo"})
	s.do("type_text", map[string]any{"annotationId": s.id(`searchbox "Search"`), "text": "Fen", "submit": true})
	rec := s.draft("find-lamp")
	for _, want := range []recipe.Wanted{
		{Name: "price", Example: "72 €"}, {Name: "lamps", Example: "Fen", All: true},
	} {
		person := toolspec.Provenance{Caller: toolspec.CallerPerson}
		step, _, err := sys.Recipes.FindValue(t.Context(), person, rec.Parameters, want)
		if err != nil {
			t.Fatal(err)
		}
		rec.Steps = append(rec.Steps, step)
	}
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}
	run, r := s.run("find-lamp", map[string]any{"search": "Moor"})
	lamps, _ := run.Values["lamps"].([]map[string]string)
	if run.Status != recipe.StatusDone || run.Values["price"] != "64 €" || len(lamps) != 3 ||
		lamps[0]["title"] != "Moor" ||
		!strings.Contains(r.Text, "price: 64 €\nlamps: 3 rows\n  Moor | 64 €") {
		t.Fatalf("%+v\n%s", run, r.Text)
	}
	if len(r.Sources) == 0 {
		t.Error("what was read is not outside text")
	}
	run, _ = s.run("find-lamp", map[string]any{"search": "Zebra"})
	if run.Status != recipe.StatusUnmet || run.Step != 3 || !strings.Contains(run.Reason, "Zebra") {
		t.Errorf("a lamp that does not exist: %+v", run)
	}
}

// A recipe with values declares them to MCP clients, and returns what it declares.
func TestRecipeDeclaresItsValuesToPrograms(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if err := sys.Recipes.Save(recipe.Recipe{Name: "lamps", Steps: []recipe.Step{
		{Tool: "navigate_page", Args: json.RawMessage(`{"url":"demo"}`)},
		{
			Tool: "get_page_content", Args: json.RawMessage(`{}`),
			Keep: []recipe.Output{
				{Name: "price", Label: "Fen"}, {Name: "lamps", Heading: 2, Columns: []string{"title"}},
			},
		},
	}}); err != nil {
		t.Fatal(err)
	}
	client := visit(t, sys, "program", "?tools=all", "2025-11-25", nil)
	list, err := client.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "recipe_lamps" })
	if at < 0 {
		t.Fatal("there is no recipe_lamps")
	}
	declared, err := json.Marshal(list.Tools[at].OutputSchema)
	if err != nil || !strings.Contains(string(declared), `"lamps"`) {
		t.Fatalf("%s %v", declared, err)
	}
	schema, err := argschema.Compile(declared)
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.session.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "recipe_lamps", Arguments: map[string]any{},
	})
	if err != nil || r.IsError {
		t.Fatalf("%+v %v", r, err)
	}
	if err := schema.Validate(r.StructuredContent); err != nil {
		t.Errorf("%+v: %v", r.StructuredContent, err)
	}
	values, _ := r.StructuredContent.(map[string]any)["values"].(map[string]any)
	if lamps, _ := values["lamps"].([]any); values["price"] != "72 €" || len(lamps) < 2 {
		t.Errorf("%+v", values)
	}
}

func TestWhatAProgramDidBecomesARecipe(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	client := visit(t, sys, "program", "", "2025-11-25", nil)
	client.does("navigate_page", map[string]any{"url": "demo"})
	field := number(t, client.does("annotate_page", map[string]any{"scope": "page"}), `searchbox "Search"`)
	client.does("type_text", map[string]any{"annotationId": field, "text": "Fen", "submit": true})
	newShopper(t, sys).do("navigate_page", map[string]any{"url": "demo"}) // this is not the program's

	events, err := sys.Events.EventsAfter(t.Context(), 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, e := range events {
		var start event.CallStart
		if e.Kind == event.CallStarted && json.Unmarshal(e.Data, &start) == nil && start.Client == "program" {
			calls = append(calls, e.Call)
		}
	}
	rec, err := sys.Recipes.Draft(t.Context(), recipes.Source{Calls: calls})
	if err != nil || len(rec.Steps) != 2 {
		t.Fatalf("%+v %v", rec, err)
	}
	rec.Name = "find-lamp"
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}
	run, r := newShopper(t, sys).run("find-lamp", map[string]any{"search": "Moor"})
	if run.Status != recipe.StatusDone {
		t.Errorf("%+v\n%s", run, r.Text)
	}
}

func TestAssistantSavesRecipeOnlyAfterQuestion(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 3 * time.Second
	s := newShopper(t, sys)
	s.do("navigate_page", map[string]any{"url": "demo"})
	s.do("type_text", map[string]any{"annotationId": s.id(`searchbox "Search"`), "text": "Fen", "submit": true})
	call := toolspec.Call{
		Tool: "recipes_save", Panel: "recipes",
		Args: json.RawMessage(`{
			"name": "find-lamp", "description": "Finds a lamp.", "keep": [{"name": "price", "example": "72 €"}]
		}`),
		From: toolspec.Provenance{
			Caller: toolspec.CallerModel, Conversation: s.conversation, Turn: "turn-1", Interactive: true,
			Outside: []string{"http://demo.sextant.test"},
		},
	}
	asked := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ApprovalAsked}}, eventlog.FromNow)
	defer asked.Close()
	saved := make(chan toolspec.Result, 1)
	go func() { saved <- sys.Pipeline.Do(t.Context(), call) }()
	var question event.Approval
	if err := json.Unmarshal((<-asked.C()).Data, &question); err != nil || question.Tool != "recipes_save" {
		t.Fatal(question, err)
	}
	if err := sys.Approvals.Answer(t.Context(), question.ID, event.AnswerOnce, "", question.Hash); err != nil {
		t.Fatal(err)
	}
	if r := <-saved; !r.Success {
		t.Fatal(r.Error)
	}
	run, r := s.run("find-lamp", map[string]any{"search": "Moor"})
	if run.Status != recipe.StatusDone || run.Values["price"] != "64 €" {
		t.Errorf("%+v\n%s", run, r.Text)
	}
}

func TestRecipeIsStoppedInTheMiddle(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if err := sys.Recipes.Save(recipe.Recipe{Name: "wait", Steps: []recipe.Step{
		{Tool: "navigate_page", Args: json.RawMessage(`{"url":"demo"}`)},
		{Tool: "wait_for", Args: json.RawMessage(`{"text":"never there","seconds":100}`)},
		{Tool: "navigate_page", Args: json.RawMessage(`{"url":"http://demo.sextant.test/basket"}`)},
	}}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan toolspec.Result, 1)
	go func() {
		ended <- sys.Pipeline.Do(ctx, toolspec.Call{
			Tool: "recipe_wait", From: toolspec.Provenance{Caller: toolspec.CallerPerson},
		})
	}()
	for waits := false; !waits; time.Sleep(10 * time.Millisecond) {
		last := sys.Recipes.LastRun("wait")
		waits = last != nil && last.Next == 2 && last.Uncertain
	}
	stop()
	if r := <-ended; r.Success {
		t.Fatalf("%+v", r)
	}
	last := sys.Recipes.LastRun("wait")
	if last == nil || last.Status != recipe.StatusStopped || last.Next != 2 || !last.Uncertain {
		t.Errorf("%+v", last)
	}
	if address := sys.Browser.Session("").Address(); strings.Contains(address, "basket") {
		t.Errorf("it went on to %s", address)
	}
}
