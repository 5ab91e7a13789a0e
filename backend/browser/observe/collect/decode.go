package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The collector's answer is one text (see packNode in report.js): records separated by backquotes, with fields
// separated by tildes. Within the page's own text, these are escaped as U+0002 and U+0001.
const (
	recordEnd = "`"
	fieldEnd  = "~"
)

var errShort = errors.New("a record is cut short")

func unpack(text string) (RawDocument, error) {
	var raw RawDocument
	head, rest, _ := strings.Cut(text, recordEnd)
	if err := json.Unmarshal([]byte(head), &raw); err != nil {
		return raw, fmt.Errorf("reading the page's answer (look): %w", err)
	}
	line, rest, more := strings.Cut(rest, recordEnd)
	groups := strings.Split(line, fieldEnd)
	for i, g := range groups {
		groups[i] = unescapeText(g)
	}
	if !more {
		return raw, nil
	}
	raw.Nodes = make([]RawNode, 0, strings.Count(rest, recordEnd)+1)
	for record := range strings.SplitSeq(rest, recordEnd) {
		n, err := parseNode(record, groups)
		if err != nil {
			return raw, fmt.Errorf("reading the page's answer (look): %w", err)
		}
		raw.Nodes = append(raw.Nodes, n)
	}
	return raw, nil
}

type fields struct {
	rest string
	err  error
}

func (f *fields) text() string {
	if f.rest == "" {
		return ""
	}
	s, rest, _ := strings.Cut(f.rest, fieldEnd)
	f.rest = rest
	return s
}

func (f *fields) int() int {
	n, err := strconv.Atoi(f.text())
	if err != nil {
		f.err = errShort
	}
	return n
}

func (f *fields) float() float64 {
	n, err := strconv.ParseFloat(f.text(), 64)
	if err != nil {
		f.err = errShort
	}
	return n
}

func parseNode(record string, groups []string) (RawNode, error) {
	f := fields{rest: record}
	n := RawNode{Handle: f.int()}
	flags := f.int()
	n.InView, n.Usable, n.Secret, n.Submits = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	n.Box = Rect{X: f.float(), Y: f.float(), W: f.float(), H: f.float()}
	if g := f.int(); g >= 0 && g < len(groups) {
		n.Group = groups[g]
	}
	n.Role, n.Name = f.text(), unescapeText(f.text())
	n.Key = n.Role + "|" + n.Name + "|" + unescapeText(f.text())
	n.TextHash, n.RowHash, n.Born = f.text(), f.text(), f.float()
	if f.rest == "" {
		return n, f.err
	}
	n.Value = unescapeText(f.text())
	n.CoveredBy = f.int()
	n.CoveredByText = unescapeText(f.text())
	if states := unescapeText(f.text()); states != "" {
		n.States = strings.Split(states, "\n")
	}
	return n, f.err
}

func unescapeText(s string) string {
	if strings.IndexByte(s, 1) < 0 && strings.IndexByte(s, 2) < 0 {
		return s
	}
	return strings.NewReplacer("\x01", fieldEnd, "\x02", recordEnd).Replace(s)
}
