package modelapi

import (
	"encoding/json"
	"math"
	"net/url"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

const (
	// mostTokens bounds what a service may say that one answer took: a count is added to others.
	maxTokens = 100_000_000
	// mostCost bounds what one answer may cost, in units of the currency.
	maxCost = 100_000
	// openRouterHost is where answers come with their cost.
	openRouterHost = "openrouter.ai"
)

// sane is u without what cannot be: no count is negative or boundless, and what was cached was read.
func clampUsage(u chat.Usage) chat.Usage {
	within := func(n, most int) int { return min(max(n, 0), most) }
	u.Input, u.Output = within(u.Input, maxTokens), within(u.Output, maxTokens)
	u.Cached = within(u.Cached, u.Input)
	u.Written = within(u.Written, u.Input-u.Cached)
	return u
}

// tellsCost reports whether the service says what an answer costs
// (https://openrouter.ai/docs/use-cases/usage-accounting).
func (e Endpoint) tellsCost() bool {
	if e.Provider == llm.ProviderOpenRouter {
		return true
	}
	u, err := url.Parse(e.BaseURL)
	return err == nil && u.Hostname() == openRouterHost
}

// serviceCost is what such a service says, in US dollars.
type serviceCost struct {
	// Raw, because other services use the names for other things.
	Cost    json.RawMessage `json:"cost"`
	Own     json.RawMessage `json:"is_byok"`
	Further json.RawMessage `json:"cost_details"`
}

// money is the cost; nil when there is none that can be.
func (c serviceCost) money() *chat.Money {
	var sum float64
	if len(c.Cost) == 0 || string(c.Cost) == "null" || json.Unmarshal(c.Cost, &sum) != nil {
		return nil
	}
	if string(c.Own) == "true" {
		// The person's own key at the provider paid, beside the service's fee; else that is in it.
		var more struct {
			Upstream float64 `json:"upstream_inference_cost"`
		}
		if json.Unmarshal(c.Further, &more) != nil {
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
