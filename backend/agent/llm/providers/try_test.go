package providers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sextant/backend/agent/llm/providers"
)

func TestTryListsModelsWithoutConfiguring(t *testing.T) {
	t.Parallel()
	many := make([]string, 2_003)
	for i := range many {
		many[i] = fmt.Sprintf(`{"id":"m%d"}`, i)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); {
		case key != "right" && key != "saved":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			_, _ = w.Write([]byte(`{"data":[{"id":"big"},{"id":"text-embed"}]}`))
		case r.URL.Path == "/many/models":
			_, _ = w.Write([]byte(`{"data":[` + strings.Join(many, ",") + `]}`))
		case r.URL.Path == "/site/models":
			_, _ = w.Write([]byte("<html>my site</html>"))
		case r.URL.Path == "/other/models":
			_, _ = w.Write([]byte(`{"data":"none"}`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer service.Close()
	r := providers.New(providers.Config{Services: map[string]providers.Service{
		"openai": {Key: "saved"},
	}, LocalPorts: map[string]int{}})
	defer r.Close()
	for _, c := range []struct {
		name, provider, base, key string
		models                    int
		err                       string
	}{
		{"works", "openai", service.URL + "/v1", "right", 1, ""},
		{"with the saved key", "openai", service.URL + "/v1", "", 1, ""},
		{"more than are listed", "openai", service.URL + "/many", "right", 2_001, ""},
		{"a wrong key", "openai", service.URL + "/v1", "wrong", 0, "the key was refused"},
		{"a wrong path", "openai", service.URL + "/v2", "right", 0, "answered 404"},
		{"a web site", "openai", service.URL + "/site", "right", 0, "not with a list of models"},
		{"another form", "openai", service.URL + "/other", "right", 0, "not with a list of models"},
		{"nothing there", "openai", "http://127.0.0.1:1/v1", "right", 0, "nothing listens at http://127.0.0.1:1/v1"},
		{"no such host", "openai", "http://nosuch.invalid/v1", "right", 0, "nosuch.invalid was not found"},
		{"no address", "openai", "nowhere", "right", 0, "not an http or https address"},
		{"no such service", "ollama", service.URL, "right", 0, `no service "ollama"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			models, err := r.Try(t.Context(), c.provider, providers.Service{BaseURL: c.base, Key: c.key})
			if len(models) != c.models {
				t.Errorf("%d models, want %d", len(models), c.models)
			}
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if err != nil && strings.Contains(err.Error(), c.key) {
				t.Errorf("the error contains the key: %v", err)
			}
			if c.models > 2_000 && !strings.HasPrefix(models[2_000].Detail, "3 more models are not listed") {
				t.Errorf("the last entry is %+v", models[2_000])
			}
		})
	}
	if m, ok := listed(r.List(t.Context()), "openai/big"); ok {
		t.Errorf("trying configured %+v", m)
	}
}
