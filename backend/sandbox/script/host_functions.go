package script

import (
	"encoding/json"
	"errors"
	"time"
)

// errStopped ends a body that reached a limit or whose context ended. Run returns the limit or the cause instead.
var errStopped = errors.New("stopped")

func (r *run) registerHostFuncs() error {
	for name, f := range map[string]func([]any) (any, error){"__call": r.call, "__print": r.print, "__end": r.end} {
		if err := r.vm.RegisterHostFunc(name, f); err != nil {
			return err
		}
	}
	return nil
}

// call runs a tool. Its arguments are the tool's name and JSON arguments; it returns {"value":…} or {"error":…}.
func (r *run) call(args []any) (any, error) {
	name, _ := argument(args, 0).(string)
	input, _ := argument(args, 1).(string)
	r.calls++
	switch {
	case r.ctx.Err() != nil:
		return nil, r.interrupt()
	case r.calls > r.limits.Calls:
		return nil, r.exceed("calls")
	case len(input) > r.limits.ValueBytes:
		return nil, r.exceed("value")
	}
	r.pauseTimer()
	value, err := r.host.Call(r.ctx, name, json.RawMessage(input))
	if r.ctx.Err() != nil {
		return nil, r.interrupt()
	}
	r.startTimer()
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
	if len(b) > r.limits.ValueBytes {
		return nil, r.exceed("value")
	}
	return string(b), nil
}

func (r *run) print(args []any) (any, error) {
	if r.lines++; r.lines <= r.limits.OutputLines {
		text, _ := argument(args, 0).(string)
		r.host.Print(text[:min(len(text), 4000)])
	}
	return nil, nil
}

// Only the first outcome counts.
func (r *run) end(args []any) (any, error) {
	if r.ended {
		return nil, nil
	}
	r.ended = true
	r.succeeded, _ = argument(args, 0).(bool)
	r.result, _ = argument(args, 1).(string)
	switch n := argument(args, 2).(type) {
	case int:
		r.line = n
	case float64:
		r.line = int(n)
	}
	return nil, nil
}

func argument(args []any, i int) any {
	if i < len(args) {
		return args[i]
	}
	return nil
}

// interrupt ends the body, which could otherwise catch the error of the canceled context and continue.
func (r *run) interrupt() error {
	r.vm.Interrupt()
	return errStopped
}

func (r *run) exceed(limit string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reached == "" {
		r.reached = limit
	}
	return r.interrupt()
}

func (r *run) startTimer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resumedAt = time.Now()
	r.timer = time.AfterFunc(r.remaining, func() { _ = r.exceed("time") })
}

func (r *run) pauseTimer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.remaining = max(0, r.remaining-time.Since(r.resumedAt))
}
