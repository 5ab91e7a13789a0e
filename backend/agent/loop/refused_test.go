package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
)

func TestTooLongRequestIsCompactedOnce(t *testing.T) {
	for _, words := range []string{
		`{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
		`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`,
		`{"error":"input length exceeds maximum context length"}`,
	} {
		for _, most := range []int{20_000, 10} {
			h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
			h.window = 100_000
			answer := h.service.Answer
			refused := 0
			h.service.Answer = func(r openaitest.Request) openaitest.Answer {
				length := 0
				for _, m := range r.Messages {
					length += len(m.Content)
				}
				if !summary(r) && strings.Contains(fmt.Sprint(r.Messages), "article of") && length > most {
					refused++
					return openaitest.Answer{Status: 400, Body: words}
				}
				return answer(r)
			}
			o := h.ask(t, goal)
			_, messages, _ := h.recorded()
			switch {
			case most == 10 && (o.Status != chat.StatusFailed || refused < 1 || refused > 2 ||
				!strings.Contains(o.Error, "too long for")):
				t.Errorf("%s: %+v after %d refusals", words, o, refused)
			case most > 10 && (o.Status != chat.StatusDone || o.Text != "Ordered." || refused != 1 ||
				len(summaries(messages)) == 0):
				t.Errorf("%s: %+v after %d refusals, %d summaries", words, o, refused, len(summaries(messages)))
			}
		}
	}
}
