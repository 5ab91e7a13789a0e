// Package evals runs the evals of a panel's manifest: calls with known answers. The calls are real. The caller of Run
// decides how they are made and with which provenance.
package evals

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/panels/manifest"
	"sextant/backend/toolprovider/jsonpos"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// The states of an Outcome.
const (
	StatePassed = "passed"
	StateFailed = "failed"
	// StateSkipped means that the eval was not run: it names no tool, it depends on a missing answer, or the run was
	// stopped.
	StateSkipped = "skipped"
)

const shownAnswer = 2000

// Outcome is the outcome of one eval.
type Outcome struct {
	// Name is the name of the eval. If it has none, it is the beginning of its prompt, or the name of its tool.
	Name  string `json:"name"`
	Tool  string `json:"tool,omitempty"`
	State string `json:"state"`
	// Reason says why the eval failed or was skipped, "" if it passed.
	Reason string `json:"why,omitempty"`
	// Args contains the arguments as they were sent. Answer is the beginning of the answer or error.
	Args   json.RawMessage `json:"args,omitempty"`
	Answer string          `json:"answer,omitempty"`
	// DurationMS is the duration of the call in milliseconds, 0 if there was none.
	DurationMS int64 `json:"duration_ms"`
}

// CallFunc calls a tool of the panel.
type CallFunc func(ctx context.Context, tool string, args json.RawMessage) toolspec.Result

// Run runs the evals of list one after another and returns their outcomes. When ctx ends, the remaining evals are
// skipped.
func Run(ctx context.Context, list []manifest.Eval, call CallFunc) []Outcome {
	outcomes, answers := make([]Outcome, 0, len(list)), map[string]any{}
	for _, e := range list {
		outcomes = append(outcomes, one(ctx, e, answers, call))
	}
	return outcomes
}

func one(ctx context.Context, e manifest.Eval, answers map[string]any, call CallFunc) Outcome {
	o := Outcome{Name: e.Name, Tool: e.Tool, State: StateSkipped}
	for _, name := range []string{e.Prompt, e.Tool} {
		if o.Name == "" {
			o.Name = excerpt.TruncateRunes(name, 120)
		}
	}
	switch {
	case ctx.Err() != nil:
		o.Reason = "the run was stopped before this eval"
		return o
	case e.Tool == "":
		o.Reason = "it has a prompt but no tool, so nothing was called"
		return o
	}
	args, err := fillReferences(e.Args, answers)
	if err != nil {
		o.Reason = err.Error()
		return o
	}
	o.Args = args
	r := call(ctx, e.Tool, args)
	o.DurationMS = r.DurationMS
	value, text := answerOf(r)
	o.Answer = excerpt.TruncateRunes(text, shownAnswer)
	if e.As != "" && r.Success {
		answers[e.As] = value
	}
	if o.Reason = mismatch(e.Expect, r, value, text); o.Reason == "" {
		o.State = StatePassed
	} else {
		o.State = StateFailed
	}
	return o
}

func answerOf(r toolspec.Result) (value any, text string) {
	if !r.Success {
		return nil, strings.TrimSpace(r.Error + " " + r.Suggestion)
	}
	raw, err := json.Marshal(r.Value)
	if err != nil {
		return nil, r.ModelText()
	}
	value = decoded(raw)
	if s, is := value.(string); is {
		return value, s
	}
	return value, string(raw)
}

func decoded(raw []byte) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	return value
}

func mismatch(want manifest.Expectation, r toolspec.Result, value any, text string) string {
	switch succeeds := want.Success == nil || *want.Success; {
	case succeeds && !r.Success:
		return "the call failed: " + r.Error
	case !succeeds && r.Success:
		return "the call should have failed, but succeeded"
	}
	for _, part := range want.Contains {
		// In JSON text, the part may be escaped.
		quoted, _ := json.Marshal(part) // a string always can be
		if !strings.Contains(text, part) && !strings.Contains(text, strings.Trim(string(quoted), `"`)) {
			return fmt.Sprintf("the answer does not contain %q", part)
		}
	}
	pointers := make([]string, 0, len(want.Equals))
	for pointer := range want.Equals {
		pointers = append(pointers, pointer)
	}
	slices.Sort(pointers)
	for _, pointer := range pointers {
		found, there := lookup(value, jsonpos.SplitPointer(pointer))
		switch {
		case !there:
			return fmt.Sprintf("the answer has nothing at %q", pointer)
		case !same(found, decoded(want.Equals[pointer])):
			is, _ := json.Marshal(found) // the value came from JSON
			return fmt.Sprintf("at %q the answer has %s, not %s", pointer, excerpt.TruncateRunes(string(is), 200),
				excerpt.TruncateRunes(string(want.Equals[pointer]), 200))
		}
	}
	return ""
}

// same compares JSON values. 1 and 1.0 are equal, but not inside lists and objects.
func same(a, b any) bool {
	x, one := a.(json.Number)
	y, two := b.(json.Number)
	if !one || !two {
		return reflect.DeepEqual(a, b)
	}
	f, errX := x.Float64()
	g, errY := y.Float64()
	return x == y || errX == nil && errY == nil && f == g
}

func lookup(value any, path []string) (any, bool) {
	for _, name := range path {
		switch v := value.(type) {
		case map[string]any:
			next, there := v[name]
			if !there {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func fillReferences(args json.RawMessage, answers map[string]any) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	value, err := put(decoded(args), answers)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func put(value any, answers map[string]any) (_ any, err error) {
	switch v := value.(type) {
	case string:
		as, path, is := manifest.ParseReference(v)
		if !is {
			return v, nil
		}
		answer, there := answers[as]
		if !there {
			return nil, fmt.Errorf("it needs the answer %q, which is missing", as)
		}
		part, there := lookup(answer, path)
		if !there {
			return nil, fmt.Errorf("the answer %q has no %s", as, strings.Join(path, "."))
		}
		return part, nil
	case map[string]any:
		for name := range v {
			if v[name], err = put(v[name], answers); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = put(v[i], answers); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}
