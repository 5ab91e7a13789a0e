package providers_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/shared/chat"
)

func TestAnswerCutAtAnyByteIsResumed(t *testing.T) {
	const text = "Opening the shop."
	step := 7 // the short form: another seventh of the places in each format
	if os.Getenv("SEXTANT_WHOLE") != "" {
		step = 1
	}
	whole := openaitest.Answer{
		Text:      text,
		ChunkSize: 9,
		Calls:     []openaitest.Call{{ID: "b", Name: "click_element", Args: `{"annotationId":3}`}},
	}
	for i, format := range []modelapi.Format{modelapi.FormatChat, modelapi.FormatResponses, modelapi.FormatAnthropic} {
		t.Run(string(format), func(t *testing.T) {
			for j, clean := range []bool{true, false} {
				s, err := openaitest.Start()
				if err != nil {
					t.Fatal(err)
				}
				at, first := 0, true
				s.Answer = func(r openaitest.Request) openaitest.Answer {
					turn := whole
					if n := len(r.Messages); r.Messages[n-2].Role == "assistant" {
						turn.Text = strings.TrimPrefix(text, r.Messages[n-2].Content)
					} else if first {
						turn.CutAfter, turn.CleanCut = at, clean
					}
					first = false
					return turn
				}
				m := opened(
					t,
					"openai",
					providers.Config{
						Services: map[string]providers.Service{"openai": {BaseURL: s.URL(), Format: format}},
					},
				)
				end := len(openaitest.RenderAs(openaitest.Format(format), whole))
				for at = 1 + (2*i+j)%step; at <= end; at += step {
					first = true
					res, streamed, err := ask(t, m, hello())
					if err != nil || res.Text != text || streamed != text || len(res.Calls) != 1 ||
						string(res.Calls[0].Args) != `{"annotationId":3}` {
						t.Fatalf(
							"%s cut at %d (clean %v): %+v, streamed %q, error %v",
							format,
							at,
							clean,
							res,
							streamed,
							err,
						)
					}
				}
				s.Close()
			}
		})
	}
}

func TestRepeatedlyCutAnswerKeepsItsText(t *testing.T) {
	cut := openaitest.Answer{Text: "abcdef", ChunkSize: 3}
	cut.CutAfter = strings.Index(string(openaitest.Render(cut)), "def")
	s, r := serve(t, cut, cut, cut, cut)
	res, streamed, err := ask(t, open(t, r, "openai/m"), hello())
	asError(t, err, llm.KindInterrupted)
	if res.Text != "abcabcabc" || streamed != res.Text || len(s.Requests()) != 3 {
		t.Errorf("text %q, streamed %q, %d requests", res.Text, streamed, len(s.Requests()))
	}
}

func TestFallbackModelAnswersWithNote(t *testing.T) {
	first, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	status := 0
	first.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Status: status, Body: `{"error":{"message":"no such model, or what"}}`}
	}
	second.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "instead"} }
	fallback := "anthropic/second"
	r := providers.New(providers.Config{
		Services: map[string]providers.Service{
			"openai":    {BaseURL: first.URL()},
			"anthropic": {BaseURL: second.URL(), Key: "key-2"},
		},
		LocalPorts: map[string]int{}, RetryDelay: time.Nanosecond, Fallback: func() string { return fallback },
	})
	defer r.Close()
	m := open(t, r, "openai/m")
	if b, ok := m.(llm.FallbackReporter); !ok || !b.HasFallback() {
		t.Error("a model with a fallback does not say so")
	}
	for _, status = range []int{401, 404, 429, 503} {
		var notes []string
		res, err := m.Stream(t.Context(), hello(), func(d llm.Delta) { notes = append(notes, d.Note) })
		if err != nil || res.Text != "instead" || res.AnsweredBy != fallback ||
			!strings.Contains(strings.Join(notes, "\n"), fallback+" answers instead") {
			t.Errorf("%d: %+v, notes %q, error %v", status, res, notes, err)
		}
	}
	// The fallback's answer breaks off, and the model itself completes it.
	half := openaitest.Answer{Text: "instead", ChunkSize: 3}
	format := openaitest.Format(modelapi.FormatAnthropic)
	half.CutAfter = strings.Index(string(openaitest.RenderAs(format, half)), "tea")
	second.Answer = func(openaitest.Request) openaitest.Answer {
		r.Configure("openai", providers.Service{BaseURL: first.URL(), Key: "a-new-key"}) // closes its breaker
		return half
	}
	first.Answer = func(r openaitest.Request) openaitest.Answer {
		if n := len(r.Messages); r.Messages[n-2].Role == "assistant" {
			return openaitest.Answer{Text: "tead"}
		}
		return openaitest.Answer{Status: 503}
	}
	if res, _, err := ask(t, m, hello()); err != nil || res.Text != "instead" || res.AnsweredBy != fallback {
		t.Errorf("completed after a break: %+v, error %v", res, err)
	}
	first.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Status: status} }
	// The fallback would refuse it too, or the request is for this model only.
	status = 400
	if _, _, err := ask(t, m, hello()); err == nil {
		t.Error("a request that is wrong was sent to another")
	}
	status = 503
	alone := hello()
	alone.NoFallback = true
	before := len(second.Requests())
	if _, _, err := ask(t, m, alone); err == nil || len(second.Requests()) != before {
		t.Errorf("error %v, %d requests to the other", err, len(second.Requests())-before)
	}
	fallback = "openai/m"
	if _, _, err := ask(t, m, hello()); err == nil {
		t.Error("a model stood in for itself")
	}
}

func TestBreakerOpensAndCloses(t *testing.T) {
	s, r := serve(t)
	s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Status: 503} }
	m := open(t, r, "openai/m")
	for range 2 {
		if _, _, err := ask(t, m, hello()); err == nil {
			t.Fatal("no error from a service that is down")
		}
	}
	if n := len(s.Requests()); n != 5 {
		t.Errorf("%d requests, want 5 and then none", n)
	}
	_, _, err := ask(t, m, hello())
	if e := asError(t, err, llm.KindUnreachable); !strings.Contains(e.Message, "nothing is sent to it") ||
		len(s.Requests()) != 5 {
		t.Errorf("%q after %d requests", e.Message, len(s.Requests()))
	}
	s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "well"} }
	r.Configure("openai", providers.Service{BaseURL: s.URL(), Key: "a-new-key"})
	if res, _, err := ask(t, open(t, r, "openai/m"), hello()); err != nil || res.Text != "well" {
		t.Errorf("%+v, error %v", res, err)
	}
}

func TestImagesAreLeftOutWithoutVision(t *testing.T) {
	s, r := serve(t)
	s.NoImages = true
	s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "read"} }
	req := hello()
	req.Messages[0].Images = []chat.Image{{MIME: "image/png", Data: []byte("x")}}
	m := open(t, r, "openai/m")
	for range 2 { // the second time it is known
		res, _, err := ask(t, m, req)
		if err != nil || res.Text != "read" {
			t.Fatalf("%+v, error %v", res, err)
		}
	}
	if last := s.Requests()[1].LastContent(); !strings.Contains(last, "cannot see") {
		t.Errorf("the model gets %q", last)
	}
	if len(req.Messages[0].Images) != 1 {
		t.Error("the picture is gone from the conversation")
	}
}
