// Package expositiontest reads the text format of Prometheus strictly, for tests: what it takes, a
// scraper takes. Nothing of the product uses it.
package expositiontest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*`)
)

// Parse gives the series of a page, as they are written, with their values. It fails on anything that
// the format does not allow, on a series that stands twice, on a metric without a type, a counter
// that is negative or not called _total, and a histogram whose buckets do not add up.
func Parse(page []byte) (map[string]float64, error) {
	if !utf8.Valid(page) {
		return nil, fmt.Errorf("the page is not UTF-8")
	}
	if len(page) > 0 && page[len(page)-1] != '\n' {
		return nil, fmt.Errorf("the last line does not end")
	}
	p := parser{kinds: map[string]string{}, series: map[string]float64{}, last: map[string]float64{}, inf: map[string]float64{}, counts: map[string]float64{}}
	for i, line := range strings.Split(strings.TrimSuffix(string(page), "\n"), "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	for of, n := range p.counts {
		if inf, ok := p.inf[of]; !ok || inf != n {
			return nil, fmt.Errorf("histogram %s: %v values, %v in its last bucket", of, n, inf)
		}
	}
	return p.series, nil
}

type parser struct {
	kinds  map[string]string
	series map[string]float64
	// last is the newest bucket of a histogram's series, inf its last one, counts how many it says.
	last, inf, counts map[string]float64
}

func (p *parser) line(line string) error {
	if line == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "# "); ok {
		word, rest, _ := strings.Cut(rest, " ")
		name, kind, _ := strings.Cut(rest, " ")
		switch {
		case metricName.FindString(name) != name:
			return fmt.Errorf("no name")
		case word == "TYPE" && p.kinds[name] != "":
			return fmt.Errorf("a second type")
		case word == "TYPE" && kind != "counter" && kind != "gauge" && kind != "histogram":
			return fmt.Errorf("no type")
		case word == "TYPE" && kind == "counter" && !strings.HasSuffix(name, "_total"):
			return fmt.Errorf("a counter that is not called _total")
		case word == "TYPE":
			p.kinds[name] = kind
		}
		return nil
	}
	name := metricName.FindString(line)
	labels, rest, err := readLabels(line[len(name):])
	if err != nil {
		return err
	}
	text, ok := strings.CutPrefix(rest, " ")
	value, bad := strconv.ParseFloat(text, 64)
	if name == "" || !ok || bad != nil {
		return fmt.Errorf("no name or value")
	}
	key := strings.TrimSuffix(line, rest)
	if _, twice := p.series[key]; twice {
		return fmt.Errorf("the series stands twice")
	}
	p.series[key] = value
	return p.typed(name, labels, value)
}

func (p *parser) typed(name string, labels map[string]string, value float64) error {
	switch p.kinds[name] {
	case "gauge":
		return nil
	case "counter":
		if value < 0 {
			return fmt.Errorf("a counter below nothing")
		}
		return nil
	}
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		base, ok := strings.CutSuffix(name, part)
		if !ok || p.kinds[base] != "histogram" {
			continue
		}
		le := labels["le"]
		delete(labels, "le")
		of := fmt.Sprint(base, labels)
		switch part {
		case "_bucket":
			if le == "" || value < p.last[of] {
				return fmt.Errorf("a bucket without bound, or with less than the one before")
			}
			if p.last[of] = value; le == "+Inf" {
				p.inf[of] = value
			}
		case "_count":
			p.counts[of] = value
		}
		return nil
	}
	return fmt.Errorf("a series without a type")
}

// readLabels reads {a="b",…}, and gives what follows.
func readLabels(s string) (map[string]string, string, error) {
	labels := map[string]string{}
	if !strings.HasPrefix(s, "{") {
		return labels, s, nil
	}
	for s = s[1:]; ; s = s[1:] {
		name := labelName.FindString(s)
		rest, ok := strings.CutPrefix(s[len(name):], `="`)
		if _, twice := labels[name]; name == "" || !ok || twice {
			return nil, "", fmt.Errorf("a label without name or value, or twice")
		}
		var value strings.Builder
		for s = rest; ; {
			switch {
			case s == "":
				return nil, "", fmt.Errorf("a label's value does not end")
			case s[0] == '\\' && len(s) > 1 && strings.ContainsRune(`\"n`, rune(s[1])):
				value.WriteByte(s[1])
				s = s[2:]
				continue
			case s[0] == '\\':
				return nil, "", fmt.Errorf("no such escape")
			case s[0] != '"':
				value.WriteByte(s[0])
				s = s[1:]
				continue
			}
			break
		}
		labels[name] = value.String()
		if s = s[1:]; strings.HasPrefix(s, "}") {
			return labels, s[1:], nil
		}
		if !strings.HasPrefix(s, ",") {
			return nil, "", fmt.Errorf("labels are not separated")
		}
	}
}
