package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// positions returns where each of texts is in a request: the index of its own message, or -1 where a summary quotes
// it. A text that appears twice or not at all is an error.
func positions(t *testing.T, r openaitest.Request, texts []string) (at []int) {
	t.Helper()
	for _, text := range texts {
		var found []int
		for i, m := range r.Messages {
			if m.Role == "user" && m.Content == text {
				found = append(found, i)
			}
			if strings.HasPrefix(m.Content, "[From Sextant: the beginning") &&
				strings.Contains(m.Content, "\n> "+text+"\n") {
				found = append(found, -1)
			}
		}
		if len(found) != 1 {
			t.Errorf("%.20q is at %v of %d messages", text, found, len(r.Messages))
			continue
		}
		at = append(at, found[0])
	}
	return at
}

func TestSteeringMessageInCompactionRound(t *testing.T) {
	h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
	do := h.do
	var words []string
	h.do = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		words = append(words, fmt.Sprintf("rather the %d. one", len(words)+1))
		h.send(t, words[len(words)-1], event.MomentNow)
		return do(ctx, c)
	}
	if o := h.ask(t, goal); o.Status != chat.StatusDone || o.Text != "Ordered." {
		t.Fatalf("%+v", o)
	}
	_, messages, made := h.recorded()
	if len(made) != 12 || len(words) != 12 || len(summaries(messages)) == 0 {
		t.Fatalf("%d calls, %d messages, %d summaries", len(made), len(words), len(summaries(messages)))
	}
	var own []string
	for i, m := range messages {
		switch {
		case m.Role == chat.RoleUser && i > 0:
			own = append(own, m.Text)
		case m.Role == chat.RoleSummary:
			steered := messages[i-1]
			if steered.Role != chat.RoleUser || m.CoversThrough == steered.ID ||
				strings.Contains(m.Text, steered.Text) {
				t.Errorf("summary %d follows %q and swallows it", i, steered.Text)
			}
		}
	}
	if !slices.Equal(own, words) {
		t.Errorf("the record holds %q", own)
	}
	for i, r := range conversationTexts(h) {
		at := positions(t, r, words[:i])
		if !slices.IsSorted(at) || i > 0 && at[i-1] != len(r.Messages)-1 {
			t.Errorf("question %d has them at %v of %d", i, at, len(r.Messages))
		}
	}
}

func TestMessageDuringCompaction(t *testing.T) {
	const wish = "rather a blue one"
	var h *harness
	sent := 0
	h = longConversation(t, func() openaitest.Answer {
		if sent++; sent == 1 {
			h.send(t, wish, event.MomentNow)
		}
		return openaitest.Answer{Text: summedUp}
	})
	if o := h.ask(t, goal); o.Status != chat.StatusDone {
		t.Fatalf("%+v", o)
	}
	_, messages, made := h.recorded()
	first := slices.IndexFunc(messages, func(m chat.Message) bool { return m.Role == chat.RoleSummary })
	at := slices.IndexFunc(messages, func(m chat.Message) bool { return m.Text == wish })
	if at < first || messages[at-1].Role != chat.RoleTool ||
		!strings.Contains(messages[at-1].Text, "not run: the user sent") ||
		len(made) != 11 {
		t.Errorf("summary %d, message %d after %q, %d calls", first, at, messages[at-1].Text, len(made))
	}
	read := 0
	for _, r := range conversationTexts(h) {
		if r.LastContent() == wish {
			read++
		}
	}
	if read != 1 {
		t.Errorf("it was what the model had to answer %d times", read)
	}
	positions(t, conversationTexts(h)[len(conversationTexts(h))-1], []string{wish})
}

func TestSummaryExcludesUnreadMessages(t *testing.T) {
	h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
	do := h.do
	var words []string
	n := 0
	h.do = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		if n++; n == 7 {
			for _, word := range []string{"red ", "blue "} {
				words = append(words, strings.TrimSpace(strings.Repeat(word, 9_000/len(word))))
				h.send(t, words[len(words)-1], event.MomentNow)
			}
		}
		return do(ctx, c)
	}
	h.ask(t, goal)
	_, messages, _ := h.recorded()
	at := slices.IndexFunc(messages, func(m chat.Message) bool { return m.Text == words[1] })
	if messages[at+1].Role != chat.RoleSummary {
		t.Fatalf("after the messages comes %+v", messages[at+1])
	}
	r := conversationTexts(h)[7]
	if got := positions(t, r, words); len(got) != 2 || got[0] != len(r.Messages)-2 || got[1] != len(r.Messages)-1 {
		t.Errorf("the next question has them at %v of %d", got, len(r.Messages))
	}
	if last := r.Messages[len(r.Messages)-3]; last.Role != "tool" || !strings.Contains(last.Content, `{"n":7}`) {
		t.Errorf("before them comes %.60q, not the unread result", last.Content)
	}
}
