// Package script runs a JavaScript function body that somebody else wrote, a model's as a
// rule, within bounds: memory, time of its own, stack, the number and depth of calls, the size
// of what goes in and out. It reaches nothing but the Host it is given: no files, no network, no
// modules, no timers, no clock to wait on.
//
// The contract: Run returns the JSON of what the body returned, or an *Error that says where it
// went wrong. One engine is made for a run and thrown away after it, so nothing stays behind
// from one run to the next. Several runs may go on at once. The end of the context ends a run
// within a few milliseconds, whatever the body does.
//
// It does not judge what the Host does: each call passes the whole way of a call.
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

// Limits bound one run. Zero fields take the value of Standard.
type Limits struct {
	// Memory the engine may take, in bytes.
	Memory uintptr
	// Time the body itself may compute; waiting for the Host does not count.
	Time time.Duration
	// Calls of the Host in one run.
	Calls int
	// Value is how many bytes of JSON a call may take or give, and the body may return.
	Value int
	// Lines of console output that are kept.
	Lines int
}

// Standard is what a created tool gets.
func Standard() Limits {
	return Limits{Memory: 64 << 20, Time: 30 * time.Second, Calls: 100, Value: 4 << 20, Lines: 500}
}

// maxBody is how long a body may be, in bytes; maxStack how many calls of functions may be open.
const (
	maxBody  = 64 << 10
	maxStack = 1000
)

// Host is what a body can reach.
type Host interface {
	// Call runs the tool name with a JSON object and returns the JSON of its result. An error
	// is thrown in the body with its text.
	Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Print takes a line of console output.
	Print(line string)
}

// Error is a failure of the body: a slip in its grammar, an exception it did not catch, a bound
// it ran into.
type Error struct {
	// Text says what went wrong, in words of the engine or ours.
	Text string
	// Line is where in the body, from 1 on; 0 when that is not known.
	Line int
	// Bound names the limit that was reached, "" for none: memory, time, calls, value, stack.
	Bound string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return e.Text
}

// Check reads a body without running it and says what is wrong with its grammar; nil when it
// can be run.
func Check(body string) error {
	if err := bounded(body); err != nil {
		return err
	}
	vm, err := engine(Standard())
	if err != nil {
		return err
	}
	defer func() { _ = vm.Close() }()
	if err := vm.SetEvalTimeout(2 * time.Second); err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	if _, err := vm.Eval(prelude+"\n;__function("+quoted(body)+"); null", quickjs.EvalGlobal); err != nil {
		return told(err)
	}
	return nil
}

func bounded(body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return &Error{Text: "the body is empty"}
	case len(body) > maxBody:
		return &Error{Text: fmt.Sprintf("the body has %d bytes, more than %d", len(body), maxBody), Bound: "value"}
	}
	return nil
}

func engine(limits Limits) (*quickjs.VM, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	vm.SetMemoryLimit(limits.Memory)
	vm.SetMaxStackSize(maxStack)
	vm.SetCanBlock(false)
	return vm, nil
}

// prelude makes a function of a body. The engine pastes the body between its brackets, so a body
// that closes them would leave another function or none: what came out must read as what went in.
const prelude = `
const __function = (() => {
  const Async = Object.getPrototypeOf(async function () {}).constructor;
  const { apply } = Reflect, source = Function.prototype.toString;
  return (body) => {
    const f = new Async('args', 'tools', '"use strict";\n' + body);
    if (typeof f !== 'function' || apply(source, f, []) !== 'async function anonymous(args,tools\n) {\n"use strict";\n' + body + '\n}')
      throw new SyntaxError('its brackets do not match');
    return f;
  };
})();`

// runner stands between the body and the host.
const runner = `
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
	// left is how long the body may still compute; began is when it last began to.
	left  time.Duration
	began time.Time
	watch *time.Timer

	calls, lines int
	bound        string
	ended, well  bool
	text         string
	line         int
}

// Run runs body with args (a JSON object) and what host offers as tools. The error is an *Error
// when the body is to blame, the context's when that ended.
func Run(ctx context.Context, body string, args json.RawMessage, host Host, limits Limits) (json.RawMessage, error) {
	if err := bounded(body); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	limits = limits.filled()
	vm, err := engine(limits)
	if err != nil {
		return nil, err
	}
	r := &run{ctx: ctx, host: host, limits: limits, vm: vm, left: limits.Time}
	defer func() { _ = vm.Close() }()
	if err := r.offer(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, vm.Interrupt)
	defer stop()
	r.compute()
	_, err = vm.Eval(prelude+fmt.Sprintf(runner, quoted(body), quoted(string(args))), quickjs.EvalGlobal)
	for err == nil && !r.ended && ctx.Err() == nil && !r.over() {
		var n int
		if n, err = vm.ExecutePendingJobs(); n == 0 {
			break
		}
	}
	r.pause()
	return r.outcome(err)
}

func (l Limits) filled() Limits {
	s := Standard()
	if l.Memory == 0 {
		l.Memory = s.Memory
	}
	if l.Time <= 0 {
		l.Time = s.Time
	}
	if l.Calls <= 0 {
		l.Calls = s.Calls
	}
	if l.Value <= 0 {
		l.Value = s.Value
	}
	if l.Lines <= 0 {
		l.Lines = s.Lines
	}
	return l
}

// over reports whether a bound was reached.
func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bound != ""
}

// outcome reads how the run ended; err is the engine's.
func (r *run) outcome(err error) (json.RawMessage, error) {
	r.mu.Lock()
	bound := r.bound
	r.mu.Unlock()
	switch {
	case r.ctx.Err() != nil:
		return nil, context.Cause(r.ctx)
	case bound != "":
		return nil, &Error{Text: r.limits.words(bound), Bound: bound}
	case err != nil:
		return nil, told(err)
	case !r.ended:
		return nil, &Error{Text: "it waits for something that never comes; only calls of tools can be awaited"}
	case !r.well:
		return nil, r.thrown()
	case len(r.text) > r.limits.Value:
		return nil, &Error{Text: r.limits.words("value"), Bound: "value"}
	}
	return json.RawMessage(r.text), nil
}

// thrown is the exception the body did not catch.
func (r *run) thrown() error {
	e := &Error{Text: r.text, Line: max(0, r.line-bodyStart)}
	switch {
	case strings.Contains(r.text, "out of memory"):
		e.Text, e.Bound = r.limits.words("memory"), "memory"
	case strings.Contains(r.text, "stack overflow"):
		e.Text, e.Bound = "its functions call each other too deep", "stack"
	}
	return e
}

// words say which bound was reached.
func (l Limits) words(bound string) string {
	switch bound {
	case "memory":
		return fmt.Sprintf("it took more than %d MB of memory", l.Memory>>20)
	case "time":
		return fmt.Sprintf("it computed for more than %s", l.Time)
	case "calls":
		return fmt.Sprintf("it made more than %d calls", l.Calls)
	}
	return fmt.Sprintf("a value has more than %d bytes of JSON", l.Value)
}

// bodyStart is how many lines the engine puts before the body: the head of the function and
// "use strict".
const bodyStart = 3

// told is an error of the engine in our form.
func told(err error) error {
	var e *quickjs.Error
	if !errors.As(err, &e) {
		return &Error{Text: err.Error()}
	}
	text := e.Message
	if e.Name != "" && e.Name != "Error" {
		text = e.Name + ": " + text
	}
	bound := ""
	if strings.Contains(text, "out of memory") {
		text, bound = Standard().words("memory"), "memory"
	}
	return &Error{Text: text, Line: max(0, e.LineNumber-bodyStart), Bound: bound}
}

// quoted is s as a JavaScript string; JSON is one, but for two line ends it escapes too.
func quoted(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""` // a string always marshals
	}
	return string(b)
}
