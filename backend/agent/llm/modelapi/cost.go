package modelapi

import (
	"encoding/json"
	"math"
	"net/url"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

const (
	// maxTokens limits what a service may report for one answer, because counts are summed.
	maxTokens      = 100_000_000
	maxCost        = 100_000
	openRouterHost = "openrouter.ai"
)

// clampUsage limits counts to 0 to maxTokens. Cached and cache-written tokens together are at most the input.
func clampUsage(u chat.Usage) chat.Usage {
	within := func(n, most int) int { return min(max(n, 0), most) }
	u.Input, u.Output = within(u.Input, maxTokens), within(u.Output, maxTokens)
	u.Cached = within(u.Cached, u.Input)
	u.CacheWritten = within(u.CacheWritten, u.Input-u.Cached)
	return u
}

// reportsCost reports whether the service can report the cost of an answer
// (https://openrouter.ai/docs/use-cases/usage-accounting).
func (e Endpoint) reportsCost() bool {
	if e.Provider == llm.ProviderOpenRouter {
		return true
	}
	u, err := url.Parse(e.BaseURL)
	return err == nil && u.Hostname() == openRouterHost
}

type serviceCost struct {
	// The fields are raw because other services use these names for other things.
	Cost    json.RawMessage `json:"cost"`
	IsBYOK  json.RawMessage `json:"is_byok"`
	Details json.RawMessage `json:"cost_details"`
}

func (c serviceCost) money() *chat.Money {
	var sum float64
	if len(c.Cost) == 0 || string(c.Cost) == "null" || json.Unmarshal(c.Cost, &sum) != nil {
		return nil
	}
	if string(c.IsBYOK) == "true" {
		// If the user's own provider key is used, the provider's price is added to the service's fee.
		var more struct {
			Upstream float64 `json:"upstream_inference_cost"`
		}
		if json.Unmarshal(c.Details, &more) != nil {
			return nil
		}
		sum += more.Upstream
	}
	if sum < 0 || sum > maxCost {
		return nil
	}
	if nanos := int64(math.Round(sum * 1e9)); nanos > 0 {
		return &chat.Money{Nanos: nanos, Currency: "USD"}
	}
	return &chat.Money{}
}
