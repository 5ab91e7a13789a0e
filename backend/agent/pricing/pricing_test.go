package pricing_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/agent/pricing"
	"sextant/shared/chat"
)

func list(t *testing.T, text string) pricing.List {
	t.Helper()
	l, err := pricing.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLongestPatternWins(t *testing.T) {
	l := list(
		t,
		"openai/*=9/9/9, openai/gpt-5*=1.25/0.125/10, openai/gpt-5-mini=0.25/0.025/2 EUR, */qwen*=0/0/0, a/b*c*d=1/1/1",
	)
	million := chat.Usage{Input: 1_000_000}
	for model, want := range map[string]string{
		"openai/gpt-5": "1.25 USD", "openai/gpt-5-pro": "1.25 USD", "openai/gpt-5-mini": "0.25 EUR",
		"openai/o9": "9.00 USD", "vllm/qwen3": "0", "a/bcd": "1.00 USD", "a/bxcyd": "1.00 USD",
	} {
		t.Run(model, func(t *testing.T) {
			p, ok := l.Price(model)
			if got := pricing.FormatMoney(p.Cost(million)); !ok || got != want {
				t.Errorf("%s: %s (%v), want %s", model, got, ok, want)
			}
		})
	}
	for _, model := range []string{"openai", "anthropic/x", "a/bdc", "OPENAI/gpt-5", ""} {
		if _, ok := l.Price(model); ok {
			t.Errorf("%q has a price", model)
		}
	}
}

func TestCacheTokenPrices(t *testing.T) {
	u := chat.Usage{Input: 1000, Cached: 600, CacheWritten: 100, Output: 50}
	for text, want := range map[string]int64{
		"m/m=3/0.3/15/3.75": 300*3000 + 600*300 + 100*3750 + 50*15000,
		"m/m=3/0.3/15":      400*3000 + 600*300 + 50*15000,
		"m/m=3//15":         1000*3000 + 50*15000,
		"m/m=0.0375/0/0":    15_000, // 400 * 37.5
		"m/m=0/0/0":         0,
	} {
		t.Run(text, func(t *testing.T) {
			p, _ := list(t, text).Price("m/m")
			if got := p.Cost(u); got.Nanos != want {
				t.Errorf("%s: %d, want %d", text, got.Nanos, want)
			}
		})
	}
}

func TestCostIsMonotonic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		any := rapid.IntRange(-5, 1<<40)
		p, _ := list(t, "m/m=1000000/999999.999999/1000000/0.000001").Price("m/m")
		u := chat.Usage{
			Input:        any.Draw(r, "input"),
			Output:       any.Draw(r, "output"),
			Cached:       any.Draw(r, "cached"),
			CacheWritten: any.Draw(r, "written"),
		}
		less := p.Cost(u).Nanos
		u.Output += rapid.IntRange(0, 1000).Draw(r, "more")
		if more := p.Cost(u).Nanos; less < 0 || more < less {
			t.Fatalf("%d, then %d", less, more)
		}
	})
}

func TestInvalidPrices(t *testing.T) {
	for text, want := range map[string]string{
		"openai=1/1/1":         "provider/model",
		"nonsense":             "provider/model",
		"m/m=1/2":              "2 parts",
		"m/m=1/2/3/4/5":        "5 parts",
		"m/m=/1/1":             `"" is not an amount`,
		"m/m=1/1/":             `"" is not an amount`,
		"m/m=-1/1/1":           "not an amount",
		"m/m=1e9/1/1":          "not an amount",
		"m/m=NaN/1/1":          "not an amount",
		"m/m=1.2.3/1/1":        "not an amount",
		"m/m=9999999/1/1":      "more than",
		"m/m=1/1/1 dollars":    "three-letter code",
		"m/m=1/1/1, m/m=2/2/2": "two prices",
		"m/m=1/1/1,":           "",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := pricing.Parse(text)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		})
	}
}

func TestMoneyRoundTrip(t *testing.T) {
	for text, want := range map[string]string{
		"": "0", "0": "0", "0.00 EUR": "0", "0.5": "0.50 USD", "12.345 EUR": "12.35 EUR", "0.0012 USD": "0.0012 USD",
		".0000004": "under 0.000001 USD", "0.00001": "0.000010 USD",
	} {
		t.Run(text, func(t *testing.T) {
			m, err := pricing.ParseMoney(text)
			if err != nil || pricing.FormatMoney(m) != want {
				t.Errorf("%q: %s %v, want %s", text, pricing.FormatMoney(m), err, want)
			}
		})
	}
	for _, text := range []string{"much", "1,5", "-1", "1 eur", "1 2 EUR X", "$5"} {
		if m, err := pricing.ParseMoney(text); err == nil {
			t.Errorf("%q is taken for %+v", text, m)
		}
	}
}
