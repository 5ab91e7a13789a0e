package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// look is a page's answer as annotate_page returns it: a viewport of about 2,000 tokens.
func look(url string, version, tab int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Page: Orders | tab 9 ¦ shop | %s | v%d | tab %d\n", url, version, tab)
	for i := range 120 {
		fmt.Fprintf(&b, "[%d] textbox \"Quantity of article %d\" = \"%d\" (required)\n", version*200+i, i, version)
	}
	return b.String()
}

// longTask is a task of 20 rounds that looks at a page and clicks on it. It returns the requests and the cost
// of their messages.
func longTask(t *testing.T, tools ...toolspec.Definition) (h *harness, tokens []int) {
	t.Helper()
	var turns []openaitest.Answer
	for i := range 20 {
		if i%2 == 0 {
			turns = append(turns, calls(call("annotate_page", fmt.Sprintf(`{"n":%d}`, i))))
		} else {
			turns = append(turns, calls(call("click_element", fmt.Sprintf(`{"annotationId":%d}`, i))))
		}
	}
	h = newHarness(t, append(turns, openaitest.Answer{Text: "Ordered."})...)
	h.limits = loop.Limits{Rounds: 30, CallsPerTurn: 60}
	h.defs = append(h.defs, tools...)
	n := 0
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		n++
		r := toolspec.OK(nil)
		r.Text = look("https://shop.example/orders", n, 1)
		if c.Tool == "click_element" {
			r.Text, _, _ = strings.Cut(r.Text, "\n")
			r.Text += fmt.Sprintf("\nclicked [%d] button \"Add\" · settled 38 ms\n[%d] link \"Basket (%d)\"", n, n, n)
		}
		r.Sources = []string{"https://shop.example"}
		return r
	}
	if o := h.ask(t, "order one of each"); o.Status != chat.StatusDone || o.Rounds != 21 {
		t.Fatalf("%+v", o)
	}
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range h.service.Requests() {
		sum := 0
		for _, m := range r.Messages {
			c, err := codec.Count(m.Content)
			if err != nil {
				t.Fatal(err)
			}
			sum += c
		}
		tokens = append(tokens, sum)
	}
	return h, tokens
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func TestOldSnapshotsAreLeftOutInBlocks(t *testing.T) {
	_, before := longTask(t)
	h, after := longTask(t, def(toolspec.ReadResult, toolspec.Hints{ReadOnly: true}))
	r := requests(t, h)
	changed, repeated := 0, 0
	for i := 1; i < len(r); i++ {
		for j, m := range r[i-1].Messages {
			if !bytes.Equal(m, r[i].Messages[j]) {
				changed++
				break
			}
			repeated += len(m)
		}
	}
	t.Logf(
		"a task of 20 rounds: %d tokens in all requests before, %d after (%.0f %%); the last request %d and %d; %d "+
			"of %d requests change what was sent (cl100k)",
		sum(before),
		sum(after),
		100*float64(sum(after))/float64(sum(before)),
		before[len(before)-1],
		after[len(after)-1],
		changed,
		len(r)-1,
	)
	if sum(after)*2 > sum(before) || changed > len(r)/3 {
		t.Errorf("%d of %d tokens, %d changes", sum(after), sum(before), changed)
	}

	_, messages, _ := h.recorded()
	handle := regexp.MustCompile(
		`\n<<end [0-9a-f]{12}>>\n\[The rest of this result of annotate_page, 122 lines, is left out here: there is a newer snapshot of this page below\. Read it again with read_result \{"handle":"(m_\w{9})"\}\.\]$`,
	)
	last := h.service.Requests()[len(r)-1].Messages
	left, whole := 0, 0
	for _, m := range last {
		switch found := handle.FindStringSubmatch(m.Content); {
		case m.Role != "tool":
		case found != nil:
			left++
			i := slices.IndexFunc(messages, func(o chat.Message) bool { return o.ID == found[1] })
			if i < 0 || messages[i].CallID != m.ToolCallID || strings.Count(messages[i].Text, "\n") < 120 {
				t.Errorf("%s is not the whole result in the record", found[1])
			}
			if !strings.HasPrefix(m.Content, "<<outside ") || !strings.Contains(m.Content, "Page: Orders | tab 9") {
				t.Errorf("what is left is %q", m.Content)
			}
		case strings.Contains(m.Content, "Quantity of article 119"):
			whole++
		}
	}
	if left < 6 || whole < 1 ||
		!strings.Contains(last[len(last)-3].Content+last[len(last)-1].Content, "Quantity of article 119") {
		t.Errorf("%d looks are left out, %d whole", left, whole)
	}
}

func TestLeftOutResultsSurviveRestart(t *testing.T) {
	h, _ := longTask(t, def(toolspec.ReadResult, toolspec.Hints{ReadOnly: true}))
	before := requests(t, h)
	h.Close()
	h.service.Add(openaitest.Answer{Text: "Yes."})
	again := loop.New(h.config())
	defer again.Close()
	request := loop.TurnRequest{Conversation: "c1", Text: "done?", Model: "openai/m"}
	if _, err := again.Run(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	all := requests(t, h)
	checkPrefix(t, "the next turn", before[len(before)-1], all[len(all)-1])
	_, messages, _ := h.recorded()
	for _, m := range messages {
		if m.Role == chat.RoleTool && strings.Contains(m.Text, "left out") {
			t.Errorf("the record was changed: %q", m.Text)
		}
	}
	var body struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(h.service.Requests()[0].Body, &body); err != nil || len(body.Messages) != 2 {
		t.Errorf("%v, %v", body, err)
	}
}
