package providers_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
)

func TestErrorKindsByStatus(t *testing.T) {
	again := func(turn openaitest.Answer) []openaitest.Answer { return []openaitest.Answer{turn, turn, turn} }
	for name, c := range map[string]struct {
		turn openaitest.Answer
		kind llm.ErrorKind
		says string
	}{
		"wrong key": {openaitest.Answer{
			Status: 401,
			Body:   `{"error":{"message":"Incorrect API key provided: ab***."}}`,
		}, llm.KindUnauthorized, "Incorrect API key"},
		"forbidden": {openaitest.Answer{Status: 403}, llm.KindUnauthorized, "Forbidden"},
		"no such model": {openaitest.Answer{
			Status: 404,
			Body:   `{"error":{"message":"The model 'm' does not exist"}}`,
		}, llm.KindNoModel, `"m"`},
		"no chat here": {
			openaitest.Answer{Status: 404, Body: `<html>not found</html>`},
			llm.KindFailed,
			"no chat endpoint",
		},
		"rate limited": {openaitest.Answer{Status: 429, RetryAfter: "60"}, llm.KindRateLimited, "limiting requests"},
		"too long": {
			openaitest.Answer{
				Status: 400,
				Body:   `{"error":{"message":"This model's maximum context length is 8192 tokens"}}`,
			},
			llm.KindTooLong,
			"too long",
		},
		"bad request": {
			openaitest.Answer{Status: 400, Body: `{"detail":"tools not supported"}`},
			llm.KindFailed,
			"tools not supported",
		},
		"down, error string": {
			openaitest.Answer{Status: 503, Body: `{"error":"loading model"}`},
			llm.KindFailed,
			"loading model",
		},
		"down, no JSON": {openaitest.Answer{Status: 502, Body: "Bad gateway"}, llm.KindFailed, "502"},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := serve(t, again(c.turn)...)
			res, _, err := ask(t, open(t, r, "openai/m"), hello())
			if e := asError(t, err, c.kind); !strings.Contains(e.Message, c.says) {
				t.Errorf("message %q, want %q in it", e.Message, c.says)
			}
			if res.Text != "" || len(res.Calls) > 0 {
				t.Errorf("response %+v", res)
			}
		})
	}
}

func TestErrorBodyIsBounded(t *testing.T) {
	_, r := serve(t, openaitest.Answer{Status: 400, Body: `{"error":{"message":"` + strings.Repeat("x", 8<<20) + `"}}`})
	_, _, err := ask(t, open(t, r, "openai/m"), hello())
	if e := asError(t, err, llm.KindFailed); len(e.Message) > 1_000 {
		t.Errorf("message of %d bytes", len(e.Message))
	}
}

func TestRetriesAreBounded(t *testing.T) {
	s, r := serve(t, openaitest.Answer{Status: 503, RetryAfter: "0"}, openaitest.Answer{Text: "back"})
	res, _, err := ask(t, open(t, r, "openai/m"), hello())
	if err != nil || res.Text != "back" {
		t.Fatalf("text %q, error %v", res.Text, err)
	}
	s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Status: 503, RetryAfter: "0"} }
	before := len(s.Requests())
	if _, _, err = ask(t, open(t, r, "openai/m"), hello()); err == nil {
		t.Fatal("no error from a service that is down")
	}
	if n := len(s.Requests()) - before; n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestUnreachableAddressError(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	r := providers.New(providers.Config{LocalPorts: map[string]int{"ollama": port, "lmstudio": port, "llamacpp": port}})
	defer r.Close()
	for name, hint := range map[string]string{
		"ollama/qwen3": "ollama serve", "lmstudio/x": "LM Studio",
		"llamacpp/x": "llama-server",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(t, open(t, r, name), hello())
			e := asError(t, err, llm.KindUnreachable)
			if !strings.Contains(e.Message, ln.Addr().String()) || !strings.Contains(e.Suggestion, hint) {
				t.Errorf("%s: %q, %q", name, e.Message, e.Suggestion)
			}
		})
	}
}

func TestStreamErrorKeepsText(t *testing.T) {
	_, r := serve(t, openaitest.Answer{Raw: `data: {"choices":[{"index":0,"delta":{"content":"so far"}}]}

data: {"error":{"message":"out of memory","code":500}}

`})
	res, _, err := ask(t, open(t, r, "openai/m"), hello())
	if e := asError(t, err, llm.KindFailed); !strings.Contains(e.Message, "out of memory") || res.Text != "so far" {
		t.Errorf("message %q, text %q", e.Message, res.Text)
	}
}

func TestGarbageIsTruncatedAnswer(t *testing.T) {
	for _, raw := range []string{
		"data: {\n\n", "data: null\n\n", "data: [1]\n\n", "<html>hello</html>", ": comment\n\n",
		"data: {\"choices\":3}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-5}]}}]}\n\n", "\x00\xff\n\n", "data:\n\n",
	} {
		t.Run(raw, func(t *testing.T) {
			turn := openaitest.Answer{Raw: raw}
			_, r := serve(t, turn, turn, turn)
			res, _, err := ask(t, open(t, r, "openai/m"), hello())
			asError(t, err, llm.KindInterrupted)
			if len(res.Calls) > 0 {
				t.Errorf("%q gave calls", raw)
			}
		})
	}
}

func TestEndlessAnswerIsBounded(t *testing.T) {
	piece := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}` + "\n\n"
	_, r := serve(t, openaitest.Answer{Raw: strings.Repeat(piece, 6)})
	_, _, err := ask(t, open(t, r, "openai/m"), hello())
	asError(t, err, llm.KindFailed)
}

func TestSilentServiceTimesOut(t *testing.T) {
	whole := openaitest.Answer{Text: "so far and no further"}
	at := strings.Index(string(openaitest.Render(whole)), "further")
	for name, stall := range map[string]int{"before the first word": -1, "in the middle": at} {
		t.Run(name, func(t *testing.T) {
			stalled := whole
			stalled.StallAfter = stall
			s, err := openaitest.Start(stalled)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			idle, pause := 100*time.Millisecond, time.Hour
			if stall > 0 {
				// The words before the silence come in time on a busy machine too.
				idle, pause = time.Hour, 2*time.Second
			}
			r := providers.New(providers.Config{
				OpenAIBaseURL: s.URL(), IdleTimeout: idle, LocalPorts: map[string]int{},
				PauseLimit: func() time.Duration { return pause },
			})
			defer r.Close()
			res, _, err := ask(t, open(t, r, "openai/m"), hello())
			want := min(idle, pause).String()
			if e := asError(t, err, llm.KindStalled); !strings.Contains(e.Message, "sent nothing for "+want) {
				t.Errorf("message %q", e.Message)
			}
			if stall > 0 && res.Text != "so far and no " {
				t.Errorf("text %q", res.Text)
			}
		})
	}
}

func TestCancelEndsStream(t *testing.T) {
	whole := openaitest.Answer{Text: "first second", ChunkSize: 6}
	whole.StallAfter = strings.Index(string(openaitest.Render(whole)), "second")
	_, r := serve(t, whole)
	ctx, cancel := context.WithCancel(context.Background())
	res, err := open(t, r, "openai/m").Stream(ctx, hello(), func(llm.Delta) { cancel() })
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix("first second", res.Text) || res.Text == "" {
		t.Errorf("text %q, error %v", res.Text, err)
	}
}

func TestRedirectIsNotFollowedWithKey(t *testing.T) {
	seen := make(chan string, 4)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	trap := &http.Server{
		ReadHeaderTimeout: time.Second,
		Handler:           http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.URL.Path }),
	}
	away, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	door := &http.Server{
		ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+other.Addr().String()+"/stolen", http.StatusTemporaryRedirect)
		}),
	}
	ended := make(chan struct{}, 2)
	go func() { _ = trap.Serve(other); ended <- struct{}{} }()
	go func() { _ = door.Serve(away); ended <- struct{}{} }()
	r := providers.New(
		providers.Config{
			OpenAIBaseURL: "http://" + away.Addr().String() + "/v1",
			OpenAIKey:     "k",
			LocalPorts:    map[string]int{},
		},
	)
	_, _, err = ask(t, open(t, r, "openai/m"), hello())
	if err == nil {
		t.Error("a redirect is no answer")
	}
	r.List(context.Background())
	r.Close()
	_, _ = trap.Close(), door.Close()
	<-ended
	<-ended
	select {
	case path := <-seen:
		t.Errorf("%s was asked at another address", path)
	default:
	}
}
