package httpapi

import (
	"strings"

	"sextant/backend/api/http/exposition"
	"sextant/backend/record/metrics"
	"sextant/shared/wire"
)

// firstBounds are the buckets of the time to the first piece of an answer, in milliseconds.
func firstBounds() []int64 { return []int64{100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000} }

// roundBounds are the buckets of the rounds of a turn.
func roundBounds() []float64 { return []float64{1, 2, 3, 5, 10, 20, 50} }

// exposed are the counters as Prometheus reads them.
func exposed(version string, t metrics.Totals) *exposition.Page {
	p := &exposition.Page{}
	about := p.Gauge("sextant_build_info", "1, with the version of Sextant.", "version")
	about.Add(1, version)
	about.End("sextant_build_info")
	exposeModels(p, t.Models)
	exposeTurns(p, t.Rounds)

	calls := p.Counter("sextant_tool_calls_total", "Calls of tools by how they ended.", "tool", "origin", "status")
	for _, c := range t.Calls {
		calls.Add(float64(c.Calls), c.Tool, string(c.Origin), string(c.Status))
	}
	calls.End("sextant_tool_calls_total")
	return p
}

func exposeModels(p *exposition.Page, models []metrics.ModelTotal) {
	each := func(name, help string, labels []string, add func(metrics.ModelTotal, func(v float64, values ...string))) {
		m := p.Counter(name, help, append([]string{"provider", "model"}, labels...)...)
		for _, model := range models {
			provider, short, ok := strings.Cut(model.Model, "/")
			if !ok {
				short = model.Model
			}
			add(model, func(v float64, values ...string) { m.Add(v, append([]string{provider, short}, values...)...) })
		}
		m.End(name)
	}
	type add = func(v float64, values ...string)
	each("sextant_llm_requests_total", "Requests to models by outcome: ok or failed.", []string{"outcome"}, func(m metrics.ModelTotal, add add) {
		add(float64(m.Requests-m.Failed), "ok")
		add(float64(m.Failed), "failed")
	})
	each("sextant_llm_retries_total", "Requests to models that followed a failed one for the same answer.", nil, func(m metrics.ModelTotal, add add) {
		add(float64(m.Retries))
	})
	each("sextant_llm_tokens_total", "Tokens by kind, each counted once: input that was read anew, cached and cache_write input, output.", []string{"kind"}, func(m metrics.ModelTotal, add add) {
		add(float64(m.Input-m.Cached-m.Written), "input")
		add(float64(m.Cached), "cached")
		add(float64(m.Written), "cache_write")
		add(float64(m.Output), "output")
	})
	each("sextant_llm_prompt_tokens_total", "Tokens of prompts by what they are for: definitions of tools, results of tools, talk.", []string{"part"}, func(m metrics.ModelTotal, add add) {
		add(float64(m.Input-m.Definitions-m.Results), "talk")
		add(float64(m.Definitions), "tool_definitions")
		add(float64(m.Results), "tool_results")
	})
	each("sextant_llm_cost_total", "Cost of answers whose price is known, in units of the currency.", []string{"currency"}, func(m metrics.ModelTotal, add add) {
		for _, c := range m.Cost {
			add(float64(c.Nanos)/1e9, c.Currency)
		}
	})
	each("sextant_llm_unpriced_tokens_total", "Tokens of answers whose price is not known.", nil, func(m metrics.ModelTotal, add add) {
		add(float64(m.Unpriced))
	})
	var firsts []exposition.Distribution
	bounds := make([]float64, len(firstBounds()))
	for i, ms := range firstBounds() {
		bounds[i] = float64(ms) / 1000
	}
	for _, m := range models {
		provider, short, _ := strings.Cut(m.Model, "/")
		d := exposition.Distribution{Values: []string{provider, short}, Count: float64(m.Firsts), Sum: float64(m.FirstMS) / 1000}
		for _, n := range m.FirstAtMost {
			d.AtMost = append(d.AtMost, float64(n))
		}
		firsts = append(firsts, d)
	}
	p.Histogram("sextant_llm_first_token_seconds", "Time to the first piece of an answer.", bounds, []string{"provider", "model"}, firsts)
}

func exposeTurns(p *exposition.Page, rounds []wire.RoundsMetrics) {
	of := map[string]*exposition.Distribution{}
	for _, by := range []string{"model", "pilot"} {
		of[by] = &exposition.Distribution{Values: []string{by}, AtMost: make([]float64, len(roundBounds()))}
	}
	for _, r := range rounds {
		for by, n := range map[string]int{"model": r.Models, "pilot": r.Pilot} {
			d := of[by]
			d.Count, d.Sum = d.Count+float64(n), d.Sum+float64(n*r.Rounds)
			for i, bound := range roundBounds() {
				if float64(r.Rounds) <= bound {
					d.AtMost[i] += float64(n)
				}
			}
		}
	}
	p.Histogram("sextant_turn_rounds", "Rounds of model and tools that ended turns took.", roundBounds(), []string{"by"},
		[]exposition.Distribution{*of["model"], *of["pilot"]})
}
