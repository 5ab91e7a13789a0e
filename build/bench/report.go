package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Report is the content of docs/bench.json.
type Report struct {
	// Machine names the browser, the number of cores and the platform.
	Machine     string        `json:"machine"`
	Definitions []Definitions `json:"definitions"`
	Live        *LiveView     `json:"live,omitempty"`
	Outcomes    []Outcome     `json:"outcomes"`
}

func readReport(path string) (*Report, error) {
	r := &Report{}
	if path == "" {
		return r, nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the developer's own file
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(text, r)
}

func (r *Report) setDefinitions(d Definitions) {
	for i := range r.Definitions {
		if r.Definitions[i].System == d.System {
			r.Definitions[i] = d
			return
		}
	}
	r.Definitions = append(r.Definitions, d)
}

func (r *Report) add(o Outcome) {
	for i := range r.Outcomes {
		if r.Outcomes[i].Page == o.Page && r.Outcomes[i].System == o.System {
			r.Outcomes[i] = o
			return
		}
	}
	r.Outcomes = append(r.Outcomes, o)
}

// write stores the results and, unless markdown is "", their table. It removes results of pages that no longer
// exist.
func (r *Report) write(path, markdown string, pages map[string]*Page) error {
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o Outcome) bool { return pages[o.Page] == nil })
	slices.SortStableFunc(r.Outcomes, func(a, b Outcome) int { return strings.Compare(a.Page, b.Page) })
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil { //nolint:gosec // a document
		return err
	}
	if markdown == "" {
		return nil
	}
	return os.WriteFile(markdown, []byte(r.markdown(pages)), 0o644) //nolint:gosec // a document
}

func (r *Report) outcome(page, system string) (Outcome, bool) {
	for _, o := range r.Outcomes {
		if o.Page == page && o.System == system {
			return o, true
		}
	}
	return Outcome{}, false
}

func (r *Report) measuredPages() []string {
	var names []string
	for _, o := range r.Outcomes {
		if !slices.Contains(names, o.Page) {
			names = append(names, o.Page)
		}
	}
	return names
}

func (o Outcome) line() string {
	s := fmt.Sprintf("%-14s %-19s seen %4d/%-4d wrong %d  tokens %6d  open %5.0f  first %6.1f  annotate %6.1f  act "+
		"%5.0f  done %d/%d", o.Page, o.System, o.Seen, o.Truth, len(o.WronglyUsable), o.Tokens, o.Open,
		o.FirstAnnotate, o.Annotate, o.Act, o.Effective, o.Tried)
	if o.View > 0 {
		s += fmt.Sprintf("  view %.1f ms, %d tokens", o.View, o.ViewTokens)
	}
	for _, part := range [][2]string{
		{"missed", strings.Join(o.Missed, "; ")},
		{"wrong", strings.Join(o.WronglyUsable, "; ")},
		{"problem", o.Problem},
	} {
		if part[1] != "" {
			s += "\n    " + part[0] + ": " + part[1]
		}
	}
	return s
}
