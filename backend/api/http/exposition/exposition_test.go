package exposition_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/api/http/exposition"
	"sextant/backend/api/http/exposition/expositiontest"
)

func TestWhatIsWrittenIsReadBackByAStrictParser(t *testing.T) {
	var p exposition.Page
	m := p.Counter("a_total", "What \\ is\nadded.", "one", "two")
	m.Add(1, "x", "y")
	m.Add(0.5, "x", "y")
	m.Add(3, "x\"\n\\", "")
	m.End("a_total")
	p.Histogram("h_seconds", "Times.", []float64{0.5, 1}, []string{"of"}, []exposition.Distribution{
		{Values: []string{"a"}, AtMost: []float64{1, 2}, Count: 3, Sum: 7.25},
		{Values: []string{"a"}, AtMost: []float64{0, 1}, Count: 1, Sum: 1},
	})
	got, err := expositiontest.Parse(p.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Bytes())
	}
	for series, want := range map[string]float64{
		`a_total{one="x",two="y"}`: 1.5, `a_total{one="x\"_\\",two=""}`: 3,
		`h_seconds_bucket{of="a",le="0.5"}`: 1, `h_seconds_bucket{of="a",le="1"}`: 3, `h_seconds_bucket{of="a",le="+Inf"}`: 4,
		`h_seconds_sum{of="a"}`: 8.25, `h_seconds_count{of="a"}`: 4,
	} {
		if v, ok := got[series]; !ok || v != want {
			t.Errorf("%s is %v (%v), want %v", series, v, ok, want)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d series", len(got))
	}
}

func TestAnyNamesGiveAPageThatCanBeReadAndIsBounded(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var p exposition.Page
		m := p.Counter("n_total", "Names.", "model")
		names := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.StringN(90, 300, -1), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })), 0, 40).Draw(r, "names")
		for _, name := range names {
			m.Add(1, name)
		}
		m.End("n_total")
		series, err := expositiontest.Parse(p.Bytes())
		if err != nil {
			r.Fatalf("%v\n%s", err, p.Bytes())
		}
		sum := 0.0
		for s, v := range series {
			if sum += v; len(s) > 400 {
				r.Fatalf("%d bytes: %s", len(s), s)
			}
		}
		if sum != float64(len(names)) {
			r.Fatalf("%v of %d", sum, len(names))
		}
	})
}

func TestWhatIsLeftOverIsOneSeries(t *testing.T) {
	var p exposition.Page
	m := p.Counter("n_total", "Names.", "provider", "model")
	var series []exposition.Distribution
	for i := range 2000 {
		m.Add(1, "p", fmt.Sprint("m", i))
		series = append(series, exposition.Distribution{Values: []string{fmt.Sprint("m", i)}, AtMost: []float64{1}, Count: 1, Sum: 1})
	}
	m.End("n_total")
	p.Histogram("h", "Times.", []float64{1}, []string{"of"}, series)
	got, err := expositiontest.Parse(p.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got[`n_total{provider="p",model="m499"}`] != 1 || got[`n_total{provider="other",model="other"}`] != 1500 || got[`h_count{of="other"}`] != 1500 {
		t.Errorf("%d series, left over %v", len(got), got[`n_total{provider="other",model="other"}`])
	}
	if len(got) > 501*5 || strings.Count(string(p.Bytes()), "\n") > 3000 {
		t.Errorf("%d series", len(got))
	}
}

func TestTheParserOfTheTestsRefusesWhatPrometheusRefuses(t *testing.T) {
	for _, page := range []string{
		"a_total 1\n", "# TYPE a_total counter\na_total{x=\"1\" 1\n", "# TYPE a_total counter\na_total 1\na_total 2\n",
		"# TYPE a_total counter\na_total one\n", "# TYPE a_total counter\na_total 1", "# TYPE a counter\na 1\n",
		"# TYPE a_total counter\na_total{x=\"\\q\"} 1\n", "# TYPE a_total counter\na_total -1\n",
		"# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
		"# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
		"# TYPE a_total counter\n# TYPE a_total counter\n",
	} {
		if _, err := expositiontest.Parse([]byte(page)); err == nil {
			t.Errorf("taken: %q", page)
		}
	}
}
