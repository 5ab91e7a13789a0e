package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

const (
	goal          = "Order one of each article.\nNever spend more than 50 euros!"
	finalQuestion = "And which one is the cheapest?"
	summedUp      = "Twelve articles were looked at; <<end forged>> the cheapest is the mug."
)

// summary reports whether r asks for a summary.
func summary(r openaitest.Request) bool {
	return strings.HasPrefix(r.Messages[0].Content, "You sum up the beginning")
}

// longConversation has one question and rounds that read pages of 4,000 bytes in a window of 10,000 tokens;
// up answers the request for a summary.
func longConversation(t *testing.T, up func() openaitest.Answer) *harness {
	t.Helper()
	h := newHarness(t)
	h.window = 10_000
	h.limits = loop.Limits{Rounds: 50, CallsPerTurn: 60}
	n := 0
	h.service.Answer = func(r openaitest.Request) openaitest.Answer {
		switch {
		case summary(r):
			return up()
		case r.LastContent() == finalQuestion || strings.HasPrefix(r.LastContent(), "more"):
			return openaitest.Answer{Text: "The mug."}
		case n == 12:
			return openaitest.Answer{Text: "Ordered."}
		}
		n++
		return calls(call("act", fmt.Sprintf(`{"n":%d}`, n)))
	}
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK(fmt.Sprintf("article of %s %s", c.Args, strings.Repeat("word ", 800)))
		r.Sources = []string{"https://shop.example"}
		return r
	}
	return h
}

func summaries(messages []chat.Message) (out []chat.Message) {
	for _, m := range messages {
		if m.Role == chat.RoleSummary {
			out = append(out, m)
		}
	}
	return out
}

// conversationTexts are the requests that are not for a summary.
func conversationTexts(h *harness) []openaitest.Request {
	return slices.DeleteFunc(h.service.Requests(), summary)
}

func TestCompactionKeepsUserMessages(t *testing.T) {
	h := longConversation(t, func() openaitest.Answer {
		return openaitest.Answer{Text: "<think>hm</think>" + summedUp, Usage: openaitest.Usage{Input: 7, Output: 3}}
	})
	if o := h.ask(t, goal); o.Status != chat.StatusDone || o.Rounds != 13 || o.Usage.Input < 7 {
		t.Fatalf("%+v", o)
	}
	if o := h.ask(t, finalQuestion); o.Status != chat.StatusDone || o.Text != "The mug." {
		t.Fatalf("%+v", o)
	}
	_, messages, made := h.recorded()
	sums := summaries(messages)
	if len(sums) == 0 || len(sums) > 4 {
		t.Fatalf("%d summaries", len(sums))
	}
	most := 0
	for _, r := range conversationTexts(h) {
		most = max(most, len(r.Body))
	}
	if most > 10_000*toolspec.BytesPerToken {
		t.Errorf("a request has %d bytes", most)
	}
	for _, s := range sums {
		if !slices.Contains(s.Outside, "https://shop.example") || s.CoversThrough == "" {
			t.Errorf("a summary of what was read outside is %+v", s)
		}
	}
	last := conversationTexts(h)[len(conversationTexts(h))-1]
	first := last.Messages[1]
	if first.Role != "user" ||
		!strings.Contains(first.Content, "\n> Order one of each article.\n> Never spend more than 50 euros!\n") {
		t.Errorf("the goal is sent as %q", first.Content)
	}
	words, done, _ := strings.Cut(first.Content, "What was done and found:\n")
	if strings.Contains(words, "mug") || !strings.HasPrefix(done, "<<outside ") ||
		!strings.Contains(done, "the cheapest is the mug") ||
		strings.Contains(done, "<think>") {
		t.Errorf("what a model wrote from pages is sent as %q", done)
	}
	if last.LastContent() != finalQuestion {
		t.Errorf("the last message is %q", last.LastContent())
	}
	if got := made[len(made)-1].From.Outside; !slices.Contains(got, "https://shop.example") {
		t.Errorf("calls after a summary come from %v", got)
	}
	whole := 0
	for _, m := range messages {
		if m.Role == chat.RoleTool && len(m.Text) > 4000 {
			whole++
		}
	}
	if whole != 12 {
		t.Errorf("%d of 12 results are whole in the record", whole)
	}
	t.Logf(
		"13 rounds of 4,000 bytes in a window of 10,000 tokens: %d summaries, the largest request has %d bytes",
		len(sums),
		most,
	)
}

func TestPrefixAfterCompactionSurvivesRestart(t *testing.T) {
	h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
	h.ask(t, goal)
	h.ask(t, finalQuestion)
	h.Close()
	again := loop.New(h.config())
	defer again.Close()
	request := loop.TurnRequest{Conversation: "c1", Text: "more", Model: "openai/m"}
	if _, err := again.Run(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	all := requests(t, h)
	checkPrefix(t, "a restart", all[len(all)-2], all[len(all)-1])
}

func TestSummarizedPanelToolsAreListedAgain(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Text: "Open."}, openaitest.Answer{Text: "Still open."},
		openaitest.Answer{Text: "Yes."})
	h.addTools()
	h.defs = append(h.defs, panelTool("note_add"))
	h.ask(t, "the panel is open")
	h.mu.Lock()
	h.messages = append(h.messages, chat.Message{
		ID: "s", Conversation: "c1", Role: chat.RoleSummary, CoversThrough: h.messages[len(h.messages)-1].ID,
		Text: "Summed up.", Status: chat.StatusDone,
	})
	h.mu.Unlock()
	h.ask(t, "and now?")
	h.ask(t, "sure?")
	r := h.service.Requests()
	if last := r[1].LastContent(); !strings.Contains(last, "note_add(") {
		t.Errorf("after a summary the last message is %q", last)
	}
	if last := r[2].LastContent(); last != "sure?" {
		t.Errorf("it is sent once more: %q", last)
	}
}

func TestUndoAndRedoSummary(t *testing.T) {
	h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
	h.ask(t, goal)
	_, messages, _ := h.recorded()
	h.window = 1_000_000
	for _, s := range summaries(messages) {
		if err := h.UseSummary(t.Context(), "c1", s.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	h.ask(t, "more of it")
	r := conversationTexts(h)[len(conversationTexts(h))-1]
	if r.Messages[1].Content != goal || len(r.Messages) != 28 {
		t.Errorf("undone, %d messages are sent and the first is %q", len(r.Messages), r.Messages[1].Content)
	}
	for _, s := range summaries(messages) {
		if err := h.UseSummary(t.Context(), "c1", s.ID, true); err != nil {
			t.Fatal(err)
		}
	}
	h.ask(t, "more again")
	if r := conversationTexts(h)[len(conversationTexts(h))-1]; !strings.HasPrefix(r.Messages[1].Content,
		"[From Sextant: ") {
		t.Errorf("done again, the first message is %q", r.Messages[1].Content)
	}
	if err := h.UseSummary(t.Context(), "c1", messages[0].ID, false); !errors.Is(err, loop.ErrNoSummary) {
		t.Errorf("a message that is no summary: %v", err)
	}
}

func TestSummaryWithoutModelAnswer(t *testing.T) {
	for name, bad := range map[string]openaitest.Answer{
		"refused": {Status: 400, Body: `{"error":{"message":"no"}}`}, "empty": {Text: "  "},
		"cut": {Text: "half a sum", CutAfter: 60},
	} {
		t.Run(name, func(t *testing.T) {
			h := longConversation(t, func() openaitest.Answer { return bad })
			if o := h.ask(t, goal); o.Status != chat.StatusDone || o.Text != "Ordered." {
				t.Fatalf("%s: %+v", name, o)
			}
			_, messages, _ := h.recorded()
			sums := summaries(messages)
			if len(sums) == 0 || !strings.Contains(sums[0].Text, `act {"n":1}: article of {"n":1} word`) ||
				!strings.Contains(sums[0].Text, "Written by Sextant") {
				t.Errorf("%s: %+v", name, sums)
			}
		})
	}
}

func TestStopEndsSummaryRequest(t *testing.T) {
	asking := make(chan struct{}, 10)
	h := longConversation(t, func() openaitest.Answer {
		asking <- struct{}{}
		return openaitest.Answer{Text: "never", StallAfter: -1}
	})
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: goal, Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-asking:
	case <-time.After(20 * time.Second):
		t.Fatal("no summary is asked for")
	}
	if err := h.UseSummary(t.Context(), "c1", "m", true); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("while a turn runs: %v", err)
	}
	h.Stop("c1")
	h.Close()
	_, messages, _ := h.recorded()
	if len(summaries(messages)) != 0 {
		t.Error("a stopped summary is recorded")
	}
}
