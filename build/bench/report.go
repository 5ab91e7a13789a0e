package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Report is what stands in docs/bench.json.
type Report struct {
	Definitions []Definitions `json:"definitions"`
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

func (r *Report) define(d Definitions) {
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

func (r *Report) write(path, markdown string, pages map[string]*Page) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil { //nolint:gosec // a document
		return err
	}
	_ = pages
	_ = markdown
	return nil
}

// line is an outcome for the terminal.
func (o Outcome) line() string {
	s := fmt.Sprintf("%-15s %-20s seen %4d/%-4d wrong %d  tokens %6d  open %6.0f  first %6.1f  annotate %6.1f  act %6.0f  done %d/%d", o.Page, o.System, o.Seen, o.Truth, len(o.Wrong), o.Tokens, o.Open, o.First, o.Annotate, o.Act, o.Effective, o.Tried)
	if o.View > 0 {
		s += fmt.Sprintf("  view %.1f ms, %d tokens", o.View, o.ViewTokens)
	}
	for _, part := range [][2]string{{"missed", strings.Join(o.Missed, "; ")}, {"wrong", strings.Join(o.Wrong, "; ")}, {"problem", o.Problem}} {
		if part[1] != "" {
			s += "\n    " + part[0] + ": " + part[1]
		}
	}
	return s
}
