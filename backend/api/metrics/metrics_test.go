package metrics

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"
)

// parse writes metrics and reads them as Prometheus does.
func parse(t interface{ Fatalf(string, ...any) }, metrics ...*metric) map[string]*dto.MetricFamily {
	page, err := Text(metrics)
	if err != nil {
		t.Fatalf("%v", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		t.Fatalf("%v\n%s", err, page)
	}
	return families
}

func TestTextAddsEqualLabels(t *testing.T) {
	m := newMetric(prometheus.CounterValue, "a_total", "What \\ is\nadded.", "one", "two")
	m.add(1, "x", "y")
	m.add(0.5, "x", "y")
	m.add(3, "x\"\n\\", "")
	h := newHistogram("h_seconds", "Times.", []float64{0.5, 1}, "of")
	for _, values := range [][3]uint64{{1, 2, 3}, {0, 1, 1}} {
		s := h.with("a")
		s.atMost[0.5] += values[0]
		s.atMost[1] += values[1]
		s.count += values[2]
	}
	page, err := Text([]*metric{m, h})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`a_total{one="x",two="y"} 1.5`, `a_total{one="x\"_\\",two=""} 3`,
		`h_seconds_bucket{of="a",le="0.5"} 1`, `h_seconds_bucket{of="a",le="1"} 3`,
		`h_seconds_bucket{of="a",le="+Inf"} 4`, `h_seconds_count{of="a"} 4`,
	} {
		if !strings.Contains(string(page), want+"\n") {
			t.Errorf("%s is missing in:\n%s", want, page)
		}
	}
	parse(t, m, h)
}

func TestTextOfAnyNameIsValid(t *testing.T) {
	anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	anyName := rapid.OneOf(rapid.String(), rapid.StringN(90, 300, -1), anyBytes)
	rapid.Check(t, func(r *rapid.T) {
		m := newMetric(prometheus.CounterValue, "n_total", "Names.", "model")
		names := rapid.SliceOfN(anyName, 1, 40).Draw(r, "names")
		for _, name := range names {
			m.add(1, name)
		}
		sum := 0.0
		for _, s := range parse(r, m)["n_total"].Metric {
			sum += s.GetCounter().GetValue()
			if n := len(s.Label[0].GetValue()); n > maxLabel {
				r.Fatalf("a label of %d bytes", n)
			}
		}
		if sum != float64(len(names)) {
			r.Fatalf("%v of %d", sum, len(names))
		}
	})
}

func TestSeriesAboveBoundAreAdded(t *testing.T) {
	m := newMetric(prometheus.CounterValue, "n_total", "Names.", "provider", "model")
	h := newHistogram("h", "Times.", []float64{1}, "of")
	for i := range 2000 {
		m.add(1, "p", fmt.Sprint("m", i))
		h.with(fmt.Sprint("m", i)).count++
	}
	families := parse(t, m, h)
	if n := len(families["n_total"].Metric); n != maxSeries+1 {
		t.Errorf("%d series", n)
	}
	for _, s := range families["n_total"].Metric {
		if s.Label[0].GetValue() == otherSeries && s.GetCounter().GetValue() != 1500 {
			t.Errorf("other: %v", s.GetCounter().GetValue())
		}
	}
	for _, s := range families["h"].Metric {
		if s.Label[0].GetValue() == otherSeries && s.GetHistogram().GetSampleCount() != 1500 {
			t.Errorf("other: %v", s.GetHistogram().GetSampleCount())
		}
	}
}
