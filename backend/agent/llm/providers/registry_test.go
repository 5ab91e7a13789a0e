package providers_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/shared/wire"
)

func listed(models []wire.Model, name string) (wire.Model, bool) {
	for _, m := range models {
		if m.Name == name {
			return m, true
		}
	}
	return wire.Model{}, false
}

func local(t *testing.T, models ...string) int {
	t.Helper()
	s, err := openaitest.Start()
	if err != nil {
		t.Fatal(err)
	}
	s.Models = models
	t.Cleanup(s.Close)
	return s.Port()
}

func unused(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().(*net.TCPAddr).Port
}

func TestLocalServersAreDiscovered(t *testing.T) {
	r := providers.New(providers.Config{LocalPorts: map[string]int{
		"ollama": local(t, "qwen3:8b", "nomic-embed-text"), "lmstudio": local(t, "gemma"), "llamacpp": unused(t),
	}})
	defer r.Close()
	models := r.List(context.Background())
	if models[0].Name != llm.PilotName || models[0].State != "ready" {
		t.Errorf("first is %+v", models[0])
	}
	for _, name := range []string{"ollama/qwen3:8b", "lmstudio/gemma"} {
		if m, ok := listed(models, name); !ok || m.State != "ready" {
			t.Errorf("%s: %+v in %+v", name, m, models)
		}
	}
	if _, ok := listed(models, "ollama/nomic-embed-text"); ok {
		t.Error("an embedding model is offered for talk")
	}
	if m, ok := listed(models, "llamacpp/"); !ok || m.State != "not_running" ||
		!strings.Contains(m.Detail, "not running on port") {
		t.Errorf("llama.cpp is %+v", m)
	}
	if m, ok := listed(models, "openai/"); !ok || m.State != "no_key" ||
		!strings.Contains(m.Detail, "SEXTANT_OPENAI_API_KEY") {
		t.Errorf("openai is %+v", m)
	}
}

func TestServerWithoutModelsIsNotListed(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	site := &http.Server{
		ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>my site</html>"))
		}),
	}
	done := make(chan struct{})
	go func() { _ = site.Serve(ln); close(done) }()
	r := providers.New(
		providers.Config{LocalPorts: map[string]int{"llamacpp": ln.Addr().(*net.TCPAddr).Port, "ollama": local(t)}},
	)
	models := r.List(context.Background())
	r.Close()
	_ = site.Close()
	<-done
	if m, _ := listed(models, "llamacpp/"); m.State != "not_running" {
		t.Errorf("a web site on the port gives %+v", m)
	}
	if m, _ := listed(models, "ollama/"); m.State != "not_running" || !strings.Contains(m.Detail, "no model") {
		t.Errorf("Ollama without models gives %+v", m)
	}
}

func TestSilentPortDoesNotDelayList(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	r := providers.New(providers.Config{LocalPorts: map[string]int{"ollama": ln.Addr().(*net.TCPAddr).Port}})
	defer r.Close()
	start := time.Now()
	if m, ok := listed(r.List(context.Background()), "ollama/"); !ok || m.State != "not_running" {
		t.Errorf("a silent port gives %+v", m)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("the list took %s", d)
	}
}

func TestConfiguredServiceAndItsKey(t *testing.T) {
	s, r := serve(t)
	s.Models, s.Key = []string{"big", "small"}, "key-1"
	if m, ok := listed(r.List(context.Background()), "openai/big"); !ok || m.State != "ready" {
		t.Errorf("model is %+v", m)
	}
	r.Configure("openai", providers.Service{BaseURL: s.URL(), Key: "wrong"})
	if m, ok := listed(r.List(context.Background()), "openai/"); !ok || m.State != "no_key" ||
		!strings.Contains(m.Detail, "refused") {
		t.Errorf("with a wrong key: %+v", m)
	}
	r.Configure("openai", providers.Service{BaseURL: "http://127.0.0.1:1/v1"})
	if m, ok := listed(r.List(context.Background()), "openai/"); !ok || m.State != "not_running" ||
		!strings.Contains(m.Detail, "127.0.0.1:1") {
		t.Errorf("nothing there: %+v", m)
	}
}

func TestOpenErrors(t *testing.T) {
	r := providers.New(providers.Config{LocalPorts: map[string]int{"ollama": 1}})
	defer r.Close()
	for name, want := range map[string]struct {
		kind llm.ErrorKind
		says string
	}{
		"anthropic/claude": {llm.KindUnauthorized, "SEXTANT_ANTHROPIC_API_KEY"},
		"gemini/x":         {llm.KindUnauthorized, "SEXTANT_GEMINI_API_KEY"},
		"openrouter/x/y":   {llm.KindUnauthorized, "SEXTANT_OPENROUTER_API_KEY"},
		"vllm/x":           {llm.KindUnreachable, "SEXTANT_OPENAI_BASE_URL"},
		"openai/gpt":       {llm.KindUnauthorized, "SEXTANT_OPENAI_API_KEY"},
		"llamacpp/x":       {llm.KindUnreachable, "SEXTANT_OPENAI_BASE_URL"},
		"other/x":          {llm.KindNotSupported, "ollama"},
		"gpt":              {llm.KindNotSupported, "provider/name"},
		"ollama/":          {llm.KindNotSupported, "provider/name"},
		"":                 {llm.KindNotSupported, "provider/name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Open(name)
			if e := asError(t, err, want.kind); !strings.Contains(e.Suggestion, want.says) {
				t.Errorf("%q: %q", name, e.Suggestion)
			}
		})
	}
}

func TestBaseAddressMustBeHTTP(t *testing.T) {
	for _, base := range []string{
		"file:///etc", "127.0.0.1:8000", "http://user:pw@host/v1", "http://",
		"http://h/v1?x=1", "::",
	} {
		t.Run(base, func(t *testing.T) {
			r := providers.New(providers.Config{OpenAIBaseURL: base, LocalPorts: map[string]int{}})
			_, err := r.Open("openai/m")
			asError(t, err, llm.KindNotSupported)
			if strings.Contains(err.Error(), "pw") {
				t.Errorf("%q shows the password", err)
			}
			if m, ok := listed(r.List(context.Background()), "openai/"); !ok || m.State == "ready" {
				t.Errorf("%q is listed as %+v", base, m)
			}
		})
	}
}
