// Package metrics exposes the program's counters in the Prometheus text format.
package metrics

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	recorded "sextant/backend/store/metrics"
	"sextant/shared/wire"
)

// Names of tools and models come from outside, so the length and number of labels are bounded.
const (
	maxSeries   = 500 // series of one metric; the rest is added to one series called otherSeries
	maxLabel    = 100 // bytes of a label's value
	otherSeries = "other"
)

// MediaType is the Content-Type of the output of Text.
const MediaType = "text/plain; version=0.0.4; charset=utf-8"

// FirstTokenBounds returns the upper bounds of the histogram buckets for the time to the first token, in
// milliseconds.
func FirstTokenBounds() []int64 {
	return []int64{100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000}
}

func roundBounds() []float64 { return []float64{1, 2, 3, 5, 10, 20, 50} }

type metric struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	bounds []float64 // of a histogram, nil for other kinds
	series map[string]*series
	order  []*series
}

type series struct {
	labels []string
	sum    float64
	count  uint64
	atMost map[float64]uint64
}

func newMetric(kind prometheus.ValueType, name, help string, labels ...string) *metric {
	return &metric{desc: prometheus.NewDesc(name, help, labels, nil), kind: kind, series: map[string]*series{}}
}

func newHistogram(name, help string, bounds []float64, labels ...string) *metric {
	m := newMetric(prometheus.UntypedValue, name, help, labels...)
	m.bounds = bounds
	return m
}

func (m *metric) with(values ...string) *series {
	labels := make([]string, len(values))
	for i, v := range values {
		labels[i] = cleanLabel(v)
	}
	key := strings.Join(labels, "\x00")
	if m.series[key] == nil && len(m.order) >= maxSeries {
		labels = slices.Repeat([]string{otherSeries}, len(values))
		key = strings.Join(labels, "\x00")
	}
	s := m.series[key]
	if s == nil {
		s = &series{labels: labels, atMost: map[float64]uint64{}}
		for _, bound := range m.bounds {
			s.atMost[bound] = 0
		}
		m.series[key] = s
		m.order = append(m.order, s)
	}
	return s
}

func (m *metric) add(value float64, values ...string) { m.with(values...).sum += value }

// Describe implements prometheus.Collector. It describes nothing, so the registry checks each metric when it is
// collected.
func (m *metric) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *metric) Collect(ch chan<- prometheus.Metric) {
	for _, s := range m.order {
		var one prometheus.Metric
		var err error
		if m.bounds != nil {
			one, err = prometheus.NewConstHistogram(m.desc, s.count, s.sum, s.atMost, s.labels...)
		} else {
			one, err = prometheus.NewConstMetric(m.desc, m.kind, s.sum, s.labels...)
		}
		if err != nil {
			one = prometheus.NewInvalidMetric(m.desc, err)
		}
		ch <- one
	}
}

func cleanLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(s, "_"))
	if len(s) <= maxLabel {
		return s
	}
	return strings.ToValidUTF8(s[:maxLabel-len("…")], "") + "…"
}

// Text returns metrics in the Prometheus text format.
func Text(metrics []*metric) ([]byte, error) {
	registry := prometheus.NewPedanticRegistry()
	for _, m := range metrics {
		if err := registry.Register(m); err != nil {
			return nil, fmt.Errorf("registering metrics: %w", err)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("gathering metrics: %w", err)
	}
	var out bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			return nil, fmt.Errorf("writing metrics: %w", err)
		}
	}
	return out.Bytes(), nil
}

// FromTotals returns the metrics for t. version is Sextant's.
func FromTotals(version string, t recorded.Totals) []*metric {
	build := newMetric(prometheus.GaugeValue, "sextant_build_info", "1, with the version of Sextant.", "version")
	build.add(1, version)
	calls := newMetric(prometheus.CounterValue, "sextant_tool_calls_total", "Calls of tools by how they ended.",
		"tool", "origin", "status")
	for _, c := range t.Calls {
		calls.add(float64(c.Calls), c.Tool, string(c.Origin), string(c.Status))
	}
	return append(modelMetrics(t.Models), build, turnRounds(t.Rounds), calls)
}

func modelMetrics(models []recorded.ModelTotal) []*metric {
	counter := func(name, help string, labels ...string) *metric {
		return newMetric(prometheus.CounterValue, name, help, append([]string{"provider", "model"}, labels...)...)
	}
	requests := counter("sextant_llm_requests_total", "Requests to models by outcome: ok or failed.", "outcome")
	retries := counter("sextant_llm_retries_total",
		"Requests to models that followed a failed one for the same answer.")
	tokens := counter("sextant_llm_tokens_total",
		"Tokens by kind, each counted once: input, cached and cache_write input, output.", "kind")
	prompt := counter("sextant_llm_prompt_tokens_total",
		"Tokens of prompts by what they are for: tool_definitions, tool_results, talk.", "part")
	cost := counter("sextant_llm_cost_total", "Cost of answers whose price is known, in units of the currency.",
		"currency")
	unpriced := counter("sextant_llm_unpriced_tokens_total", "Tokens of answers whose price is not known.")
	bounds := make([]float64, len(FirstTokenBounds()))
	for i, ms := range FirstTokenBounds() {
		bounds[i] = float64(ms) / 1000
	}
	first := newHistogram("sextant_llm_first_token_seconds", "Time to the first piece of an answer.", bounds,
		"provider", "model")
	for _, m := range models {
		provider, model, ok := strings.Cut(m.Model, "/")
		if !ok {
			model = m.Model
		}
		requests.add(float64(m.Requests-m.Failed), provider, model, "ok")
		requests.add(float64(m.Failed), provider, model, "failed")
		retries.add(float64(m.Retries), provider, model)
		tokens.add(float64(m.Input-m.Cached-m.CacheWritten), provider, model, "input")
		tokens.add(float64(m.Cached), provider, model, "cached")
		tokens.add(float64(m.CacheWritten), provider, model, "cache_write")
		tokens.add(float64(m.Output), provider, model, "output")
		prompt.add(float64(m.Input-m.Definitions-m.Results), provider, model, "talk")
		prompt.add(float64(m.Definitions), provider, model, "tool_definitions")
		prompt.add(float64(m.Results), provider, model, "tool_results")
		for _, c := range m.Cost {
			cost.add(float64(c.Nanos)/1e9, provider, model, c.Currency)
		}
		unpriced.add(float64(m.Unpriced), provider, model)
		h := first.with(provider, model)
		h.count += uint64(m.StartedAnswers)
		h.sum += float64(m.StartDelayMS) / 1000
		for i, n := range m.StartDelayCounts {
			h.atMost[bounds[i]] += uint64(n)
		}
	}
	return []*metric{requests, retries, tokens, prompt, cost, unpriced, first}
}

func turnRounds(rounds []wire.RoundsMetrics) *metric {
	m := newHistogram("sextant_turn_rounds", "Rounds of model and tools that ended turns took.", roundBounds(), "by")
	count := func(by string, n, rounds int) {
		h := m.with(by)
		h.count += uint64(n)
		h.sum += float64(n * rounds)
		for _, bound := range roundBounds() {
			if float64(rounds) <= bound {
				h.atMost[bound] += uint64(n)
			}
		}
	}
	count("model", 0, 0)
	count("pilot", 0, 0)
	for _, r := range rounds {
		count("model", r.Models, r.Rounds)
		count("pilot", r.Pilot, r.Rounds)
	}
	return m
}
