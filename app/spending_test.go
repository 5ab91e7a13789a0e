package app

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"sextant/app/config"
	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/wire"
)

func TestBudgetAndPriceSettingsAreChecked(t *testing.T) {
	for name, bad := range map[string]string{
		"prices": "openai/m=cheap", "tokens_per_turn": "10k", "tokens_per_conversation": "-1",
		"cost_per_turn": "1 dollar", "cost_per_conversation": "1,50",
	} {
		if err := config.CheckValue(name, bad); err == nil {
			t.Errorf("%s = %q is taken", name, bad)
		}
		k, ok := config.FindKey(name)
		if !ok || !k.Window || config.CheckValue(name, k.Default) != nil {
			t.Errorf("%s cannot be set in the window, or its default is wrong", name)
		}
	}
	if err := config.CheckValue("prices", "openai/gpt-5*=1.25/0.125/10, anthropic/*=3/0.3/15/3.75 EUR"); err != nil {
		t.Error(err)
	}
}

// answers is a service whose every answer takes 90 tokens in, 30 of them from the cache, and 10 out.
func answers(t *testing.T) *openaitest.Server {
	t.Helper()
	s := serviceOf(t)
	t.Setenv("SEXTANT_DIALECTS", "openai/m=native") // the question for it costs as well
	s.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "Yes.", Usage: openaitest.Usage{Input: 90, Output: 10, Cached: 30}}
	}
	return s
}

func read[T any](t *testing.T, c *client, method, path string, body any) (v T, status int) {
	t.Helper()
	status, raw := c.do(method, path, body)
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %d %s: %v", path, status, raw, err)
	}
	return v, status
}

// talked asks in a conversation and gives how the turn ended.
func talked(t *testing.T, sys *System, c *client, id string, more map[string]any) (status int, limit string) {
	t.Helper()
	body := map[string]any{"text": "continue", "model": "openai/m"}
	for k, v := range more {
		body[k] = v
	}
	ref, status := read[struct{ Turn string }](t, c, http.MethodPost, "/api/conversations/"+id+"/messages", body)
	if status != http.StatusAccepted {
		return status, ""
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		turns, err := sys.Store.Turns(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if last := turns[len(turns)-1]; last.ID == ref.Turn && last.Status != chat.StatusRunning {
			return status, last.Budget
		}
	}
	t.Fatal("the turn does not end")
	return 0, ""
}

func TestOnlyAPersonRaisesAConversationsBudget(t *testing.T) {
	answers(t)
	t.Setenv("SEXTANT_TOKENS_PER_CONVERSATION", "150")
	t.Setenv("SEXTANT_PRICES", "openai/*=10/1/100")
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	program, window := clientOf(t, sys), windowOf(t, sys)
	made, _ := read[chat.Conversation](t, window, http.MethodPost, "/api/conversations", map[string]string{})
	for i, want := range []string{"", "", "tokens_per_conversation"} {
		if _, limit := talked(t, sys, window, made.ID, nil); limit != want {
			t.Fatalf("turn %d ends with %q, want %q", i+1, limit, want)
		}
	}
	bill, _ := read[wire.Spending](t, program, http.MethodGet, "/api/conversations/"+made.ID+"/bill", nil)
	// 60 new ones, 30 from the cache, 10 written: 600 + 30 + 1000 millionths.
	if bill.Conversation.Tokens() != 200 || bill.Conversation.Cached != 60 ||
		bill.Conversation.CostIn("USD") != 2*1_630_000 || bill.Turn.Requests != 0 {
		t.Errorf("%+v", bill)
	}
	if len(bill.Budgets) != 1 || bill.Budgets[0] != (wire.Budget{
		Name: "tokens_per_conversation", Limit: 150,
		Spent: 200,
	}) {
		t.Errorf("%+v", bill.Budgets)
	}
	if status, _ := talked(t, sys, program, made.ID, map[string]any{"raise": true}); status != http.StatusForbidden {
		t.Errorf("a program raises the budget: %d", status)
	}
	if _, limit := talked(t, sys, window, made.ID, map[string]any{"raise": true}); limit != "" {
		t.Errorf("raised, it ends with %q", limit)
	}
	sys.Close()
	sys = openWith(t, flags, OpenOptions{Serve: true})
	if _, limit := talked(t, sys, windowOf(t, sys), made.ID, nil); limit != "" {
		t.Errorf("the second after it was raised ends with %q", limit)
	}
	if _, limit := talked(t, sys, windowOf(t, sys), made.ID, nil); limit != "tokens_per_conversation" {
		t.Errorf("the third ends with %q", limit)
	}
}

func TestProgramsBudgetCanOnlyLowerTheLimit(t *testing.T) {
	model := answers(t)
	t.Setenv("SEXTANT_TOKENS_PER_TURN", "300")
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	method, path := sys.Nav.Route("automations_run")
	run := func(budget map[string]any) wire.Automation {
		a, status := read[wire.Automation](t, c, method, path,
			map[string]any{
				"prompt": "which?", "format": map[string]any{"type": "object"}, "model": "openai/m",
				"repairs": 10, "budget": budget,
			})
		if status != http.StatusOK {
			t.Fatalf("%+v: %d", budget, status)
		}
		return a
	}
	for _, tc := range []struct {
		budget map[string]any
		name   string
		asked  int
	}{
		{map[string]any{"tokens": 100}, "tokens_of_request", 1},
		{map[string]any{"tokens": 1_000_000}, "tokens_per_turn", 3},
		{map[string]any{}, "tokens_per_turn", 3},
	} {
		before := len(model.Requests())
		a := run(tc.budget)
		if n := len(model.Requests()) - before; a.Success || a.Budget != tc.name || n != tc.asked ||
			a.Bill.Requests != n || a.Bill.Unpriced != 100*n {
			t.Errorf("%+v: %d questions, %+v", tc.budget, n, a)
		}
	}
	if status, body := c.do(method, path, map[string]any{
		"prompt": "which?", "format": "words",
		"budget": map[string]any{"cost": "cheap"},
	}); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
}

func TestPrometheusReadsTheCountersWithTheTokenOnly(t *testing.T) {
	answers(t)
	t.Setenv("SEXTANT_PRICES", "openai/m=10/1/100 EUR")
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	made, _ := read[chat.Conversation](t, c, http.MethodPost, "/api/conversations", map[string]string{})
	hostile := "openai/" + strings.Repeat("x", 150) + "\n\"}"
	talked(t, sys, c, made.ID, nil)
	talked(t, sys, c, made.ID, map[string]any{"model": hostile})
	status, page := c.do(http.MethodGet, "/metrics", nil)
	if status != http.StatusOK {
		t.Fatalf("%d\n%s", status, page)
	}
	series := seriesOf(t, page)
	for name, want := range map[string]float64{
		`sextant_llm_requests_total{model="m",outcome="ok",provider="openai"}`: 1,
		`sextant_llm_tokens_total{kind="input",model="m",provider="openai"}`:   60,
		`sextant_llm_tokens_total{kind="cached",model="m",provider="openai"}`:  30,
		`sextant_llm_tokens_total{kind="output",model="m",provider="openai"}`:  10,
		`sextant_llm_cost_total{currency="EUR",model="m",provider="openai"}`:   0.00163,
		`sextant_llm_first_token_seconds_count{model="m",provider="openai"}`:   1,
		`sextant_turn_rounds_count{by="model"}`:                                2,
		`sextant_build_info{version="` + Version + `"}`:                        1,
	} {
		if got, ok := series[name]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	definitions := series[`sextant_llm_prompt_tokens_total{model="m",part="tool_definitions",provider="openai"}`]
	if definitions <= 0 || definitions >= 90 {
		t.Errorf("tools take %v tokens of 90", definitions)
	}
	for name := range series {
		if len(name) > 300 {
			t.Errorf("%d bytes: %s", len(name), name)
		}
	}
	c.head.Del("Authorization")
	if status, page := c.do(http.MethodGet, "/metrics", nil); status != http.StatusUnauthorized ||
		strings.Contains(string(page), "sextant_") {
		t.Errorf("without the token: %d %s", status, page)
	}
}

// seriesOf reads a page of metrics: the value of each series by its text.
func seriesOf(t *testing.T, page []byte) map[string]float64 {
	t.Helper()
	series := map[string]float64{}
	for line := range strings.Lines(string(page)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		series[name+"}"] = v
	}
	return series
}
