// Package script runs a JavaScript function body, usually written by a model, within limits on memory, computing time,
// call depth, tool calls and data size. The body can use its Host, but no files, network, modules or timers.
//
// Run returns the JSON value that the body returned, or an *Error that says why it failed and, if known, where. No
// state survives a run, and runs may be concurrent.
//
// The package makes no policy decisions: each call of the Host goes through the pipeline.
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
	// Memory is the number of bytes that the engine may allocate.
	Memory uintptr
	// Time is how long the body may compute. Waiting for the Host does not count.
	Time time.Duration
	// Calls is the number of calls of the Host that one run may make.
	Calls int
	// ValueBytes limits the JSON of a call's arguments, of its result, and of the body's result.
	ValueBytes int
	// OutputLines is the number of lines of console output that are passed to the Host.
	OutputLines int
}

// DefaultLimits returns the limits of a created tool.
func DefaultLimits() Limits {
	return Limits{Memory: 64 << 20, Time: 30 * time.Second, Calls: 100, ValueBytes: 4 << 20, OutputLines: 500}
}

const (
	maxBodyBytes = 64 << 10
	maxCallDepth = 1000
)

// Host provides everything that a body can use.
type Host interface {
	// Call runs a tool. name is the tool's name and args its arguments, a JSON object. It returns the result as JSON.
	// An error is thrown in the body with the same message.
	Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Print receives what one call of the console prints, cut to 4,000 bytes.
	Print(line string)
}

// Error is a failure of the body, such as a syntax error, an uncaught exception, or a limit that was reached.
type Error struct {
	// Message says what went wrong.
	Message string
	// Line is the line number in the body, starting at 1; 0 if it is unknown.
	Line int
	// Limit is the limit that was reached: memory, time, calls, value or stack; "" if none was.
	Limit string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

// CheckSyntax parses a body without running it. It returns an *Error for a syntax error, and for an empty or too long
// body.
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

// functionSource compiles a body to a function. A body could close the brackets around it and add other code, so the
// source of the result is compared with the input.
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

type run struct {
	ctx    context.Context
	host   Host
	limits Limits
	vm     *quickjs.VM

	mu sync.Mutex
	// remaining is how much longer the body may compute. resumedAt is when it last started to.
	remaining time.Duration
	resumedAt time.Time
	timer     *time.Timer

	calls, lines     int
	reached          string // the limit that ended the run
	ended, succeeded bool
	result           string
	line             int
}

// Run runs body with args, a JSON object ({} if empty), and the tools of host. The error is an *Error if the body
// failed, or the cause of ctx if it ended.
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

func (r *run) limitReached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached != ""
}

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

const linesBeforeBody = 3

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

func jsString(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""` // a string always marshals
	}
	return string(b)
}
