package script

import (
	"encoding/json"
	"errors"
	"time"
)

// errEnough ends a body that goes on after a bound; it is never seen, the bound is told.
var errEnough = errors.New("enough")

// offer gives the engine the three functions that lead out of it. The prelude takes them away
// from the body before it runs.
func (r *run) offer() error {
	for name, f := range map[string]func([]any) (any, error){"__call": r.call, "__print": r.print, "__end": r.end} {
		if err := r.vm.RegisterHostFunc(name, f); err != nil {
			return err
		}
	}
	return nil
}

// call is a call of a tool: name and JSON in, {"value":…} or {"error":…} out.
func (r *run) call(args []any) (any, error) {
	name, _ := at(args, 0).(string)
	given, _ := at(args, 1).(string)
	r.calls++
	switch {
	case r.ctx.Err() != nil:
		return nil, r.stop()
	case r.calls > r.limits.Calls:
		return nil, r.reach("calls")
	case len(given) > r.limits.Value:
		return nil, r.reach("value")
	}
	r.pause()
	value, err := r.host.Call(r.ctx, name, json.RawMessage(given))
	if r.ctx.Err() != nil {
		return nil, r.stop()
	}
	r.compute()
	out := struct {
		Value json.RawMessage `json:"value,omitempty"`
		Error *string         `json:"error,omitempty"`
	}{Value: value}
	if err != nil {
		text := err.Error()
		out.Value, out.Error = nil, &text
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if len(b) > r.limits.Value {
		return nil, r.reach("value")
	}
	return string(b), nil
}

func (r *run) print(args []any) (any, error) {
	if r.lines++; r.lines <= r.limits.Lines {
		text, _ := at(args, 0).(string)
		r.host.Print(text[:min(len(text), 4000)])
	}
	return nil, nil
}

// end takes what the body came to; only the first time counts.
func (r *run) end(args []any) (any, error) {
	if r.ended {
		return nil, nil
	}
	r.ended = true
	r.well, _ = at(args, 0).(bool)
	r.text, _ = at(args, 1).(string)
	switch n := at(args, 2).(type) {
	case int:
		r.line = n
	case float64:
		r.line = int(n)
	}
	return nil, nil
}

func at(args []any, i int) any {
	if i < len(args) {
		return args[i]
	}
	return nil
}

// stop ends the body, which could otherwise catch the end of its context and go on.
func (r *run) stop() error {
	r.vm.Interrupt()
	return errEnough
}

// reach notes a bound and ends the body.
func (r *run) reach(bound string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bound == "" {
		r.bound = bound
	}
	return r.stop()
}

// compute starts the clock of the body's own time, pause stops it.
func (r *run) compute() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began = time.Now()
	r.watch = time.AfterFunc(r.left, func() { _ = r.reach("time") })
}

func (r *run) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watch != nil {
		r.watch.Stop()
	}
	r.left = max(0, r.left-time.Since(r.began))
}
