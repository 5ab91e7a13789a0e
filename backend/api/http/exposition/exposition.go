// Package exposition writes counters in the text format that Prometheus reads
// (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).
//
// Values of labels are hostile: a name may be of any length and hold any bytes. They are cut and
// cleaned, and what then looks the same is added up, for one series may stand in an answer only once.
// How many a metric has is bounded; what comes after that is added to one series called "other".
package exposition

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ContentType is that of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

const (
	// maxSeries bounds the series of one metric, but for those that say what is left over.
	maxSeries = 500
	// maxLabel bounds a label's value, in bytes.
	maxLabel = 100
	// other is the value of every label of what is left over.
	other = "other"
)

// Page is an answer being written, metric by metric. Not safe for concurrent use.
type Page struct{ out bytes.Buffer }

// Bytes is the answer so far.
func (p *Page) Bytes() []byte { return p.out.Bytes() }

// Metric is one metric and its series.
type Metric struct {
	page   *Page
	labels []string
	series map[string]float64
	order  []string
}

// Counter begins a metric that only grows; its name ends with _total. Write it with End before the
// next one begins.
func (p *Page) Counter(name, help string, labels ...string) *Metric {
	return p.begin(name, help, "counter", labels)
}

// Gauge begins a metric that goes up and down.
func (p *Page) Gauge(name, help string, labels ...string) *Metric {
	return p.begin(name, help, "gauge", labels)
}

func (p *Page) begin(name, help, kind string, labels []string) *Metric {
	fmt.Fprintf(&p.out, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(help), name, kind)
	return &Metric{page: p, labels: labels, series: map[string]float64{}}
}

// Add adds to the series with these values of the labels, in their order. What comes first has its
// series first.
func (m *Metric) Add(value float64, values ...string) {
	key := render(m.labels, values)
	if _, known := m.series[key]; !known {
		if len(m.order) >= maxSeries {
			key = render(m.labels, slices.Repeat([]string{other}, len(m.labels)))
		}
		if _, known := m.series[key]; !known {
			m.order = append(m.order, key)
		}
	}
	m.series[key] += value
}

// End writes the metric called name.
func (m *Metric) End(name string) {
	for _, key := range m.order {
		fmt.Fprintf(&m.page.out, "%s%s %s\n", name, key, number(m.series[key]))
	}
}

// Histogram writes a histogram: of each series how many values are at most each bound, how many there
// are, and their sum.
func (p *Page) Histogram(name, help string, bounds []float64, labels []string, series []Distribution) {
	p.begin(name, help, "histogram", nil)
	known := map[string]*Distribution{}
	var order []string
	for _, s := range series {
		key := render(labels, s.Values)
		if known[key] == nil {
			if len(order) >= maxSeries {
				s.Values = slices.Repeat([]string{other}, len(labels))
				key = render(labels, s.Values)
			}
			if known[key] == nil {
				order = append(order, key)
				known[key] = &Distribution{Values: s.Values, AtMost: make([]float64, len(bounds))}
			}
		}
		k := known[key]
		for i := range bounds {
			k.AtMost[i] += s.AtMost[i]
		}
		k.Count, k.Sum = k.Count+s.Count, k.Sum+s.Sum
	}
	for _, key := range order {
		k := known[key]
		with := append(slices.Clone(labels), "le")
		for i, bound := range bounds {
			fmt.Fprintf(&p.out, "%s_bucket%s %s\n", name, render(with, append(slices.Clone(k.Values), number(bound))), number(k.AtMost[i]))
		}
		fmt.Fprintf(&p.out, "%s_bucket%s %s\n", name, render(with, append(slices.Clone(k.Values), "+Inf")), number(k.Count))
		fmt.Fprintf(&p.out, "%s_sum%s %s\n%s_count%s %s\n", name, key, number(k.Sum), name, key, number(k.Count))
	}
}

// Distribution is one series of a histogram. AtMost counts, for each bound, the values up to it.
type Distribution struct {
	Values     []string
	AtMost     []float64
	Count, Sum float64
}

// render is labels and their values in braces, "" without labels.
func render(labels, values []string) string {
	if len(labels) == 0 {
		return ""
	}
	var b strings.Builder
	for i, label := range labels {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		b.WriteString(sep + label + `="` + escape.Replace(clean(values[i])) + `"`)
	}
	return b.String() + "}"
}

var escape = strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`)

// clean is s as a label's value: short, valid, and without characters that cannot be seen.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(s, "_"))
	if len(s) <= maxLabel {
		return s
	}
	s = strings.ToValidUTF8(s[:maxLabel-len("…")], "")
	return s + "…"
}

// number is v as the format has it.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
