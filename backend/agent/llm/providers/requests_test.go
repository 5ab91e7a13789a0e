package providers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/shared/chat"
)

func TestRequestsAreReportedWithUsage(t *testing.T) {
	turn := openaitest.Answer{Text: "abcdef", ChunkSize: 3, Usage: openaitest.Usage{Input: 10, Output: 4, Cached: 6}}
	cut := turn
	cut.CutAfter = strings.Index(string(openaitest.Render(cut)), "def")
	_, r := serve(t, openaitest.Answer{Status: http.StatusServiceUnavailable}, cut, turn)
	res, _, err := ask(t, open(t, r, "openai/m"), hello())
	if err != nil || len(res.Requests) != 3 || res.Usage != (chat.Usage{Input: 10, Output: 4, Cached: 6}) {
		t.Fatalf("%+v %v", res, err)
	}
	for i, want := range []llm.SentRequest{
		{Failed: true},
		{Failed: true, Retry: true, Bytes: 3},
		{Complete: true, Retry: true, Bytes: 6},
	} {
		got := res.Requests[i]
		if got.Model != "openai/m" || got.Local || got.Failed != want.Failed || got.Complete != want.Complete ||
			got.Retry != want.Retry ||
			got.Bytes != want.Bytes {
			t.Errorf("request %d: %+v", i+1, got)
		}
		if (got.FirstPieceAfter > 0) != (got.Bytes > 0) || got.Duration <= 0 || got.FirstPieceAfter > got.Duration {
			t.Errorf("request %d: first piece after %s of %s", i+1, got.FirstPieceAfter, got.Duration)
		}
	}
}

func TestLocalModelIsMarked(t *testing.T) {
	s, err := openaitest.Start(openaitest.Answer{Text: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := opened(t, "ollama", providers.Config{LocalPorts: map[string]int{"ollama": s.Port()}})
	if res, _, err := ask(t, m, hello()); err != nil || len(res.Requests) != 1 || !res.Requests[0].Local ||
		res.Requests[0].Model != "ollama/m" {
		t.Errorf("%+v %v", res.Requests, err)
	}
}

func TestOnlyOpenRouterReportsCosts(t *testing.T) {
	for provider, want := range map[string]*chat.Money{
		"openrouter": {Nanos: 1_250_000, Currency: "USD"}, "openai": nil, "gemini": nil,
	} {
		t.Run(provider, func(t *testing.T) {
			s, err := openaitest.Start(
				openaitest.Answer{Text: "hi", Usage: openaitest.Usage{Input: 10, Output: 1, Cost: 0.00125}},
			)
			if err != nil {
				t.Fatal(err)
			}
			m := opened(
				t,
				provider,
				providers.Config{Services: map[string]providers.Service{provider: {BaseURL: s.URL(), Key: "k"}}},
			)
			res, _, err := ask(t, m, hello())
			if err != nil || (res.Cost == nil) != (want == nil) || want != nil && *res.Cost != *want {
				t.Errorf("%s: %+v %v", provider, res.Cost, err)
			}
			if asked := strings.Contains(string(s.Requests()[0].Body), `"usage":{"include":true}`); asked != (want != nil) {
				t.Errorf("%s is asked for its cost: %v", provider, asked)
			}
			s.Close()
		})
	}
}

func TestOwnKeyCostIsAddedToFee(t *testing.T) {
	for _, c := range []struct {
		usage string
		want  string
	}{
		{`"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":2}`, "&{2500000000 USD}"},
		{`"cost":0.5,"is_byok":false,"cost_details":{"upstream_inference_cost":0.5}`, "&{500000000 USD}"},
		{`"cost":0`, "&{0 }"},
		{`"cost":null`, "<nil>"},
		{`"cost":-1`, "<nil>"},
		{`"cost":1e300`, "<nil>"},
		{`"cost":{"total_cost":1}`, "<nil>"},
		{`"cost":"1"`, "<nil>"},
		{`"cost":1,"is_byok":true,"cost_details":"much"`, "<nil>"},
	} {
		t.Run(c.usage, func(t *testing.T) {
			s, err := openaitest.Start(
				openaitest.Answer{
					Raw: `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,` +
						c.usage + "}}\n\ndata: [DONE]\n\n",
				},
			)
			if err != nil {
				t.Fatal(err)
			}
			m := opened(
				t,
				"openrouter",
				providers.Config{Services: map[string]providers.Service{"openrouter": {BaseURL: s.URL(), Key: "k"}}},
			)
			res, _, err := ask(t, m, hello())
			if got := fmt.Sprint(res.Cost); err != nil || got != c.want {
				t.Errorf("%s: %s (%v), want %s", c.usage, got, err, c.want)
			}
			s.Close()
		})
	}
}

func TestImpossibleUsageIsIgnored(t *testing.T) {
	for usage, want := range map[string]chat.Usage{
		`"prompt_tokens":-5,"completion_tokens":-1`: {},
		`"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9}`: {
			Input:  5,
			Output: 1, Cached: 5,
		},
		`"prompt_tokens":9000000000000000000,"completion_tokens":9000000000000000000`: {
			Input:  100_000_000,
			Output: 100_000_000,
		},
		`"prompt_tokens":8,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":7}`: {
			Input:  8,
			Cached: 5, CacheWritten: 3,
		},
		`"prompt_tokens":8,"prompt_tokens_details":{"cached_tokens":-5},"prompt_cache_hit_tokens":2`: {
			Input:  8,
			Cached: 2,
		},
	} {
		t.Run(usage, func(t *testing.T) {
			_, r := serve(
				t,
				openaitest.Answer{
					Raw: `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"usage":{` + usage +
						"}}\n\ndata: [DONE]\n\n",
				},
			)
			if res, _, err := ask(t, open(t, r, "openai/m"), hello()); err != nil || res.Usage != want {
				t.Errorf("%s: %+v %v", usage, res.Usage, err)
			}
		})
	}
}
