package providers_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
)

type facts map[string]string

// serveFacts starts a service with facts, and a registry that reaches it as provider.
func serveFacts(t *testing.T, provider string, f facts) (*openaitest.Server, *providers.Registry) {
	t.Helper()
	s, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	s.CannedAnswers = f
	base := s.URL()
	if provider == "gemini" {
		base = strings.TrimSuffix(base, "/v1") + "/v1beta/openai"
	}
	r := providers.New(providers.Config{
		Services: map[string]providers.Service{
			provider: {BaseURL: base, Key: "key-1"},
		}, LocalPorts: map[string]int{provider: s.Port()},
	})
	t.Cleanup(func() {
		r.Close()
		s.Close()
	})
	return s, r
}

func contextWindow(t *testing.T, m llm.Model) (tokens int, loaded bool) {
	t.Helper()
	return m.(llm.ContextWindowReporter).ContextWindow(t.Context())
}

func TestContextWindowOfEachService(t *testing.T) {
	show := func(parameters string) string {
		return `{"parameters":"` + parameters +
			`","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960,"qwen3.vision.context_length":77}}`
	}
	idle := `{"models":[{"name":"other:8b","model":"other:8b","context_length":8192}]}`
	for _, c := range []struct {
		name, model string
		facts       facts
		tokens      int
		loaded      bool
	}{
		{
			"Ollama, loaded", "ollama/qwen3",
			facts{
				"GET /api/ps":    `{"models":[{"name":"qwen3:latest","context_length":4096}]}`,
				"POST /api/show": show("num_ctx 16384"),
			},
			4096, true,
		},
		{"Ollama, set", "ollama/qwen3:8b", facts{
			"GET /api/ps":    idle,
			"POST /api/show": show(`stop \"num_ctx 9\"\nnum_ctx                        16384\ntop_k 20`),
		}, 16384, true},
		{
			"Ollama, neither", "ollama/qwen3:8b",
			facts{"GET /api/ps": idle, "POST /api/show": show("top_k 20")},
			40960,
			false,
		},
		{"Ollama, an old one", "ollama/qwen3:8b", facts{"POST /api/show": show("num_ctx 16384")}, 16384, true},
		{
			"Ollama, in its cloud", "ollama/gpt-oss:120b-cloud",
			facts{
				"GET /api/ps":    `{"models":[]}`,
				"POST /api/show": `{"remote_host":"https://ollama.com:443","model_info":{"general.architecture":"gptoss","gptoss.context_length":131072}}`,
			},
			131072, true,
		},
		{
			"LM Studio, loaded", "lmstudio/openai/gpt-oss-20b",
			facts{"GET /api/v0/models": `{"data":[{"id":"a","loaded_context_length":9999},{"id":"openai/gpt-oss-20b","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`},
			4096, true,
		},
		{
			"LM Studio, not loaded", "lmstudio/g",
			facts{"GET /api/v0/models": `{"data":[{"id":"g","state":"not-loaded","max_context_length":32768}]}`},
			32768,
			false,
		},
		{
			"llama.cpp", "llamacpp/m",
			facts{"GET /props": `{"default_generation_settings":{"id":0,"n_ctx":8192,"params":{"n_ctx":3}},"total_slots":1}`},
			8192, true,
		},
		{
			"vLLM", "vllm/Qwen/Qwen3-8B",
			facts{"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":24000}]}`},
			24000,
			true,
		},
		{
			"OpenRouter", "openrouter/x/y",
			facts{"GET /v1/models": `{"data":[{"id":"x/z","context_length":1},{"id":"x/y","context_length":262144,"top_provider":{"context_length":131072}}]}`},
			262144, true,
		},
		{
			"Anthropic", "anthropic/claude-x",
			facts{"GET /v1/models/claude-x": `{"id":"claude-x","type":"model","max_input_tokens":1000000,"max_tokens":64000}`},
			1000000, true,
		},
		{
			"Gemini", "gemini/gemini-x",
			facts{"GET /v1beta/models/gemini-x": `{"name":"models/gemini-x","inputTokenLimit":1048576,"outputTokenLimit":8192}`},
			1048576, true,
		},
		{
			"a compatible one", "openai/m",
			facts{"GET /v1/models": `{"data":[{"id":"m","context_window":131072}]}`},
			131072, true,
		},
		{"one that says nothing", "openai/m", facts{"GET /v1/models": `{"data":[{"id":"m"}]}`}, 0, false},
		{
			"one without the model", "vllm/m",
			facts{"GET /v1/models": `{"data":[{"id":"n","max_model_len":24000}]}`},
			0,
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			provider, name, _ := strings.Cut(c.model, "/")
			s, r := serveFacts(t, provider, c.facts)
			for range 2 { // the second time it is another Model
				if tokens, loaded := contextWindow(t, open(t, r, c.model)); tokens != c.tokens ||
					c.tokens > 0 && loaded != c.loaded {
					t.Errorf("%d tokens, loaded is %v", tokens, loaded)
				}
			}
			requests := s.CannedRequests()
			if len(requests) == 0 || len(requests) > len(c.facts) {
				t.Errorf("asked for it twice, the service heard %+v", requests)
			}
			for _, f := range requests {
				if f.Route == "POST /api/show" && f.Body != `{"model":"`+name+`"}` {
					t.Errorf("asked about %s", f.Body)
				}
			}
			key := map[string]string{"anthropic": "X-Api-Key", "gemini": "X-Goog-Api-Key"}[provider]
			if h := requests[0].Header; key != "" && (h.Get(key) != "key-1" || h.Get("Authorization") != "") {
				t.Errorf("the key is sent as %v", h)
			}
		})
	}
}

func TestImplausibleWindowsAreIgnored(t *testing.T) {
	for message, want := range map[string]int{
		"-5": 0, "0": 0, "null": 0, `"32768"`: 0, "1e300": 0, "999999999999": 0, "[1]": 0, `{"a":1}`: 0, "true": 0,
		"1": 1000, "999.5": 1000, "20000000": 20_000_000, "20000001": 0, "3.2e4": 32_000,
	} {
		t.Run(message, func(t *testing.T) {
			_, r := serveFacts(
				t,
				"vllm",
				facts{
					"GET /v1/models": `{"data":[{"id":"n","max_model_len":` + message + `},{"id":"m","max_model_len":` + message +
						`}]}`,
				},
			)
			if tokens, _ := contextWindow(t, open(t, r, "vllm/m")); tokens != want {
				t.Errorf("%s is taken for %d tokens", message, tokens)
			}
		})
	}
	for _, message := range []string{
		"<html>", "[]", "{", `{"default_generation_settings":7}`,
		strings.Repeat("[", 100_000),
	} {
		t.Run(fmt.Sprintf("%.20s", message), func(t *testing.T) {
			_, r := serveFacts(t, "llamacpp", facts{"GET /props": message})
			if tokens, _ := contextWindow(t, open(t, r, "llamacpp/m")); tokens != 0 {
				t.Errorf("%.20s is taken for %d tokens", message, tokens)
			}
		})
	}
}

func TestMissingWindowIsRequestedOnce(t *testing.T) {
	s, r := serveFacts(t, "llamacpp", facts{"GET /props": ""})
	m := open(t, r, "llamacpp/m")
	start := time.Now()
	for range 3 {
		if tokens, _ := contextWindow(t, m); tokens != 0 {
			t.Fatalf("a silent service says %d", tokens)
		}
	}
	if requests := s.CannedRequests(); len(requests) != 1 {
		t.Errorf("it was asked %d times", len(requests))
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it was waited for %s", d)
	}
}

func TestCanceledWindowRequestIsNotCached(t *testing.T) {
	s, r := serveFacts(t, "llamacpp", facts{"GET /props": `{"default_generation_settings":{"n_ctx":8192}}`})
	m := open(t, r, "llamacpp/m")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if tokens, _ := m.(llm.ContextWindowReporter).ContextWindow(gone); tokens != 0 {
		t.Errorf("a turn that was stopped hears %d", tokens)
	}
	if tokens, _ := contextWindow(t, m); tokens != 8192 || len(s.CannedRequests()) != 1 {
		t.Errorf("the next one hears %d", tokens)
	}
}

func TestRedirectedWindowRequestIsNotFollowed(t *testing.T) {
	private, heard := canary(t)
	s, r := serveFacts(t, "openai", facts{"GET /v1/models": `{"data":[{"id":"m","context_length":9000}]}`})
	r.Block(strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/v1"))
	if tokens, _ := contextWindow(t, open(t, r, "openai/m")); tokens != 0 || len(s.CannedRequests()) != 0 {
		t.Errorf("our own port was asked and said %d", tokens)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, "http://"+private+q.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer elsewhere.Close()
	led := providers.New(
		providers.Config{
			OpenAIBaseURL: elsewhere.URL,
			OpenAIKey:     "key-that-stays",
			LocalPorts:    map[string]int{"ollama": elsewhere.Listener.Addr().(*net.TCPAddr).Port},
		},
	)
	defer led.Close()
	for _, name := range []string{"openai/m", "ollama/m"} {
		if tokens, _ := contextWindow(t, open(t, led, name)); tokens != 0 {
			t.Errorf("%s follows and hears %d", name, tokens)
		}
	}
	if message := heard(); message != "" {
		t.Errorf("the canary heard %s", message)
	}
}
