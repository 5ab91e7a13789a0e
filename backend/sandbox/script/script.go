// Package script runs a JavaScript function body, usually written by a model, within limits on memory,
// computing time, call depth, tool calls and data size. The body reaches nothing but its Host: no files, no
// network, no modules, no timers.
//
// Run returns the JSON value that the body returned, or an *Error that says where it failed. Every run has an
// engine of its own, so no state survives a run, and runs may be concurrent. When the context ends, the run
// ends within milliseconds, whatever the body does.
//
// The package makes no policy decision: each call of the Host goes through the pipeline.
package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"
)

// Limits are the limits of one run. A zero field means the value in DefaultLimits.
type Limits struct {
	// Memory is how many bytes the engine may allocate.
	Memory uintptr
	// Time is how long the body may compute. Waiting for the Host does not count.
	Time time.Duration
	// Calls is how many calls of the Host one run may make.
	Calls int
	// ValueBytes bounds the JSON of a call's arguments, of its result, and of the body's result.
	ValueBytes int
	// OutputLines is how many lines of console output are passed to the Host.
	OutputLines int
}

// DefaultLimits returns the limits of a created tool.
func DefaultLimits() Limits {
	return Limits{Memory: 64 << 20, Time: 30 * time.Second, Calls: 100, ValueBytes: 4 << 20, OutputLines: 500}
}

// Bounds that callers cannot change.
const (
	maxBodyBytes = 64 << 10
	maxCallDepth = 1000
)

// Host is all that a body can reach.
type Host interface {
	// Call runs the tool name with the JSON object args and returns the JSON of its result. An error is
	// thrown in the body, with its text as message.
	Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Print receives a line of console output.
	Print(line string)
}

// Error is a failure of the body: a syntax error, an uncaught exception, or a limit that was reached.
type Error struct {
	// Message says what went wrong.
	Message string
	// Line is the line in the body, from 1; 0 if it is not known.
	Line int
	// Limit names the limit that was reached: memory, time, calls, value or stack; "" for none.
	Limit string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

// CheckSyntax parses a body without running it. It returns an *Error with the syntax error, or nil.
func CheckSyntax(body string) error {
	if err := checkSize(body); err != nil {
		return err
	}
	vm, err := newEngine(DefaultLimits())
	if err != nil {
		return err
	}
	defer func() { _ = vm.Close() }()
	if err := vm.SetEvalTimeout(2 * time.Second); err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	if _, err := vm.Eval(functionSource+"\n;__function("+jsString(body)+"); null", quickjs.EvalGlobal); err != nil {
		return engineError(err)
	}
	return nil
}

func checkSize(body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return &Error{Message: "the body is empty"}
	case len(body) > maxBodyBytes:
		return &Error{
			Message: fmt.Sprintf("the body is %d bytes long; %d are allowed", len(body), maxBodyBytes), Limit: "value",
		}
	}
	return nil
}

func newEngine(limits Limits) (*quickjs.VM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	vm.SetMemoryLimit(limits.Memory)
	vm.SetMaxStackSize(maxCallDepth)
	vm.SetCanBlock(false)
	return vm, nil
}

// functionSource compiles a body to a function. A body could close the brackets around it and start code of its
// own, so the source of the result is compared with the input.
const functionSource = `
const __function = (() => {
  const Async = Object.getPrototypeOf(async function () {}).constructor;
  const { apply } = Reflect, source = Function.prototype.toString;
  return (body) => {
    const f = new Async('args', 'tools', '"use strict";\n' + body);
    if (typeof f !== 'function' || apply(source, f, []) !== 'async function anonymous(args,tools\n) {\n"use strict";\n' + body + '\n}')
      throw new SyntaxError('brackets do not match');
    return f;
  };
})();`

// runnerSource connects the body with the host functions and hides them from it.
const runnerSource = `
;(() => {
  const { parse, stringify } = JSON, { hasOwn } = Object, text = String, Failure = Error;
  const call = globalThis.__call, print = globalThis.__print, end = globalThis.__end;
  delete globalThis.__call; delete globalThis.__print; delete globalThis.__end;
  const tools = new Proxy(Object.freeze({}), {
    get: (_, name) => typeof name !== 'string' || name === 'then' ? undefined : async (args) => {
      const out = parse(call(name, stringify(args === undefined ? {} : args) ?? '{}'));
      if (!hasOwn(out, 'error')) return hasOwn(out, 'value') ? out.value : undefined;
      throw new Failure(out.error);
    },
    set: () => false, has: () => true,
  });
  const show = (v) => typeof v === 'string' ? v : (stringify(v) ?? text(v));
  const line = (...all) => print(all.map(show).join(' '));
  globalThis.console = { log: line, info: line, warn: line, error: line, debug: line };
  const where = (e) => {
    const at = e && e.stack ? /<anonymous>:(\d+)|<input>:(\d+)/.exec(text(e.stack)) : null;
    return at ? +(at[1] ?? at[2]) : 0;
  };
  const fail = (e) => end(false, (e && e.message !== undefined) ? text((e.name && e.name !== 'Error' ? e.name + ': ' : '') + e.message) : 'threw ' + show(e), where(e));
  const body = __function(%s);
  body(parse(%s), tools).then((v) => end(true, stringify(v === undefined ? null : v) ?? 'null', 0)).catch(fail);
})()`

// run is one run of a body.
type run struct {
	ctx    context.Context
	host   Host
	limits Limits
	vm     *quickjs.VM

	mu sync.Mutex
	// remaining is how long the body may still compute; resumedAt is when it last began to.
	remaining time.Duration
	resumedAt time.Time
	timer     *time.Timer

	calls, lines     int
	reached          string // the limit that ended the run
	ended, succeeded bool
	result           string
	line             int
}

// Run runs body with args, a JSON object, and the tools of host. The error is an *Error if the body failed, and
// the cause of ctx if that ended.
func Run(ctx context.Context, body string, args json.RawMessage, host Host, limits Limits) (json.RawMessage, error) {
	if err := checkSize(body); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	limits = limits.withDefaults()
	vm, err := newEngine(limits)
	if err != nil {
		return nil, err
	}
	r := &run{ctx: ctx, host: host, limits: limits, vm: vm, remaining: limits.Time}
	defer func() { _ = vm.Close() }()
	if err := r.registerHostFuncs(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, vm.Interrupt)
	defer stop()
	r.startTimer()
	_, err = vm.Eval(
		functionSource+fmt.Sprintf(runnerSource, jsString(body), jsString(string(args))),
		quickjs.EvalGlobal,
	)
	for err == nil && !r.ended && ctx.Err() == nil && !r.limitReached() {
		var n int
		if n, err = vm.ExecutePendingJobs(); n == 0 {
			break
		}
	}
	r.pauseTimer()
	return r.outcome(err)
}

func (l Limits) withDefaults() Limits {
	s := DefaultLimits()
	if l.Memory == 0 {
		l.Memory = s.Memory
	}
	if l.Time <= 0 {
		l.Time = s.Time
	}
	if l.Calls <= 0 {
		l.Calls = s.Calls
	}
	if l.ValueBytes <= 0 {
		l.ValueBytes = s.ValueBytes
	}
	if l.OutputLines <= 0 {
		l.OutputLines = s.OutputLines
	}
	return l
}

// limitReached reports whether a limit has ended the run.
func (r *run) limitReached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached != ""
}

// outcome returns the result of the run; err is the engine's.
func (r *run) outcome(err error) (json.RawMessage, error) {
	r.mu.Lock()
	limit := r.reached
	r.mu.Unlock()
	switch {
	case r.ctx.Err() != nil:
		return nil, context.Cause(r.ctx)
	case limit != "":
		return nil, &Error{Message: r.limits.message(limit), Limit: limit}
	case err != nil:
		return nil, engineError(err)
	case !r.ended:
		return nil, &Error{Message: "it waits for a promise that never settles; only tool calls can be awaited"}
	case !r.succeeded:
		return nil, r.uncaught()
	case len(r.result) > r.limits.ValueBytes:
		return nil, &Error{Message: r.limits.message("value"), Limit: "value"}
	}
	return json.RawMessage(r.result), nil
}

// uncaught returns the exception that the body did not catch.
func (r *run) uncaught() error {
	e := &Error{Message: r.result, Line: max(0, r.line-linesBeforeBody)}
	switch {
	case strings.Contains(r.result, "out of memory"):
		e.Message, e.Limit = r.limits.message("memory"), "memory"
	case strings.Contains(r.result, "stack overflow"):
		e.Message, e.Limit = "its function calls are nested too deeply", "stack"
	}
	return e
}

// message says which limit was reached.
func (l Limits) message(limit string) string {
	switch limit {
	case "memory":
		return fmt.Sprintf("it used more than %d MB of memory", l.Memory>>20)
	case "time":
		return fmt.Sprintf("it computed for more than %s", l.Time)
	case "calls":
		return fmt.Sprintf("it made more than %d tool calls", l.Calls)
	}
	return fmt.Sprintf("a value is longer than %d bytes of JSON", l.ValueBytes)
}

// linesBeforeBody is how many lines of the compiled function come before the body.
const linesBeforeBody = 3

// engineError converts an error of the engine.
func engineError(err error) error {
	var e *quickjs.Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	text := e.Message
	if e.Name != "" && e.Name != "Error" {
		text = e.Name + ": " + text
	}
	limit := ""
	if strings.Contains(text, "out of memory") {
		text, limit = DefaultLimits().message("memory"), "memory"
	}
	return &Error{Message: text, Line: max(0, e.LineNumber-linesBeforeBody), Limit: limit}
}

// jsString quotes s as a JavaScript string literal.
func jsString(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""` // a string always marshals
	}
	return string(b)
}
