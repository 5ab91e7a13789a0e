package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host answers "echo" with its arguments and counts.
type host struct {
	calls []string
	lines []string
	wait  chan struct{}
}

func (h *host) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	h.calls = append(h.calls, name+" "+string(args))
	switch name {
	case "echo":
		return args, nil
	case "nothing":
		return nil, nil
	case "wait":
		select {
		case <-h.wait:
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("there is no tool %s", name)
}

func (h *host) Print(line string) { h.lines = append(h.lines, line) }

func ran(t *testing.T, body, args string, limits Limits) (string, *host, error) {
	t.Helper()
	h := &host{}
	out, err := Run(t.Context(), body, json.RawMessage(args), h, limits)
	return string(out), h, err
}

func TestABodyAwaitsToolsAndReturnsJSON(t *testing.T) {
	for _, c := range []struct{ name, body, args, want string }{
		{"a value", "return args.a + 1", `{"a":41}`, "42"},
		{"nothing", "const x = 1;", `{}`, "null"},
		{
			"a tool's answer", "const f = await tools.echo({path: args.path}); return f.path.toUpperCase()",
			`{"path":"é.txt"}`, `"É.TXT"`,
		},
		{
			"a chain", "let n = 0; for (const w of ['a','b','c']) n += (await tools.echo({w})).w.length; return {n}", `{}`,
			`{"n":3}`,
		},
		{"at once", "return (await Promise.all([1,2].map((i) => tools.echo({i})))).map((r) => r.i)", `{}`, "[1,2]"},
		{
			"a caught failure", "try { await tools.no_such({}) } catch (e) { return e.message }", `{}`,
			`"there is no tool no_such"`,
		},
		{"no answer", "return (await tools.nothing()) === undefined", `{}`, "true"},
		{"text of the line ends that JSON allows", "return args.t", `{"t":"a\u2028b"}`, "\"a\u2028b\""},
		{
			"a changed language",
			"JSON.parse = JSON.stringify = () => 'x'; Object.prototype.error = 'y'; return (await tools.echo({z: " +
				"1})).z", `{}`, "1",
		},
	} {
		out, _, err := ran(t, c.body, c.args, Limits{})
		if err != nil || out != c.want {
			t.Errorf("%s: %q %v, want %s", c.name, out, err, c.want)
		}
	}
}

func TestABodyReachesNothingButItsTools(t *testing.T) {
	for _, name := range []string{
		"require", "process", "std", "os", "fetch", "XMLHttpRequest", "WebSocket", "setTimeout", "Deno", "Bun",
		"scriptArgs", "print",
		"__call", "__end", "__print", "globalThis.__call", "import.meta", "WebAssembly", "Worker", "loadScript",
		"bjson", "navigator", "gc",
	} {
		out, _, err := ran(t, "return typeof "+name, "{}", Limits{})
		if err == nil && out != `"undefined"` {
			t.Errorf("%s is %s", name, out)
		}
	}
	for _, body := range []string{
		"await import('os')", "import os from 'os'", "await import('/etc/passwd')",
		"await import('data:text/javascript,export default 1')",
	} {
		if out, _, err := ran(t, body, "{}", Limits{}); err == nil {
			t.Errorf("%s gave %s", body, out)
		}
	}
}

func TestABodyCannotEndOurFunctionAndStartItsOwn(t *testing.T) {
	for _, body := range []string{
		"}); globalThis.out = 1; (() => {", "*/ return 1 /*", "}}", "} + (globalThis.x = 1) + function () {",
		"}[globalThis.x] = function () {", "} async function g() {",
		"return 1 })(parse('{}'), tools); end(true, '\"forged\"', 0); ((", "`",
	} {
		var e *Error
		if out, _, err := ran(t, body, "{}", Limits{}); !errors.As(err, &e) {
			t.Errorf("%s gave %s %v", body, out, err)
		}
		if Check(body) == nil {
			t.Errorf("%s was taken", body)
		}
	}
}

func TestEveryBoundEndsABodyThatDoesNotStop(t *testing.T) {
	short := Limits{Time: 200 * time.Millisecond, Calls: 5, Value: 1000, Memory: 16 << 20}
	for _, c := range []struct{ bound, body string }{
		{"time", "for (;;) {}"},
		{"time", "for (;;) { try { for (;;) {} } catch (e) {} finally { for (;;) {} } }"},
		{"time", "/(a+)+$/.test('a'.repeat(40) + 'b')"},
		{"memory", "const all = []; for (;;) all.push(new Array(10000).fill(1))"},
		{"memory", "let s = 'x'.repeat(1 << 20); const all = []; for (let i = 0; ; i++) all.push(s + i)"},
		{"memory", "new ArrayBuffer(1 << 30)"},
		{"stack", "const f = () => f() + 1; f()"},
		{"stack", "const o = {}; o.toJSON = () => { return JSON.stringify(o) }; return o"},
		{"calls", "for (;;) await tools.echo({})"},
		{"calls", "for (;;) { try { await tools.echo({}) } catch (e) {} }"},
		{"value", "await tools.echo({t: 'x'.repeat(2000)})"},
		{"value", "return 'x'.repeat(2000)"},
	} {
		limits := short
		if c.bound != "time" && c.bound != "memory" {
			limits.Time = 20 * time.Second // the other bounds take a while to meet on a busy machine
		}
		out, h, err := ran(t, c.body, "{}", limits)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: gave %.40q %v", c.body, out, err)
			continue
		}
		// The engine may meet the time before the memory; what counts is that it ends, and says why.
		if e.Bound != c.bound && !(c.bound == "memory" && e.Bound == "time") {
			t.Errorf("%s: bound %q (%v), want %q", c.body, e.Bound, err, c.bound)
		}
		if len(h.calls) > 5 {
			t.Errorf("%s: %d calls", c.body, len(h.calls))
		}
	}
}

func TestAQueueThatFeedsItselfEnds(t *testing.T) {
	// It meets the memory or the time, as the machine has it.
	if out, _, err := ran(t, "const f = () => Promise.resolve().then(f); await f()", "{}",
		Limits{Time: time.Second, Memory: 16 << 20}); err == nil {
		t.Errorf("gave %s", out)
	}
}

func TestTheTimeOfACallIsNotTheBodys(t *testing.T) {
	h := &host{wait: make(chan struct{})}
	limit := 2 * time.Second // what the body itself takes is far less, on a busy machine too
	go func() { time.Sleep(limit + 100*time.Millisecond); close(h.wait) }()
	out, err := Run(t.Context(), "try { await tools.wait({}) } catch (e) {} return 'went on'", nil, h,
		Limits{Time: limit})
	if err != nil || string(out) != `"went on"` {
		t.Errorf("%s %v", out, err)
	}
}

func TestTheEndOfTheContextEndsABody(t *testing.T) {
	for _, body := range []string{"for (;;) {}", "for (;;) { try { await tools.wait({}) } catch (e) {} }"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the person stopped it")
		time.AfterFunc(50*time.Millisecond, func() { cancel(gone) })
		_, err := Run(ctx, body, nil, &host{}, Limits{})
		if !errors.Is(err, gone) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAFailureSaysWhere(t *testing.T) {
	for _, c := range []struct {
		body string
		line int
		text string
	}{
		{"const a = 1;\nconst b = a.c.d;\nreturn b", 2, "TypeError"},
		{"return missing", 1, "missing"},
		{"let x = ;", 1, "SyntaxError"},
		{"const a = 1;\n\nlet b = (;\n", 3, "SyntaxError"},
		{"throw new Error('no lamp')", 1, "no lamp"},
		{"throw 'plain'", 0, "threw plain"},
		{"throw {name: {}, message: {}}", 0, "object"},
		{"await new Promise(() => {})", 0, "never comes"},
	} {
		_, _, err := ran(t, c.body, "{}", Limits{})
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Text, c.text) {
			t.Errorf("%q: %+v %v", c.body, e, err)
		}
	}
}

func TestWhatIsPrintedIsKeptUpToABound(t *testing.T) {
	_, h, err := ran(t, "console.log('a', 1, {b: 2}); for (let i = 0; i < 50; i++) console.warn(i)", "{}",
		Limits{Lines: 10})
	if err != nil || len(h.lines) != 10 || h.lines[0] != `a 1 {"b":2}` {
		t.Errorf("%q %v", h.lines, err)
	}
}

func FuzzAnyBodyEndsWithinItsBounds(f *testing.F) {
	for _, seed := range []string{
		"return 1", "for(;;){}", "await tools.echo({})", "}{", "return `${tools}`",
		"throw tools", "class A extends tools {}", "return new Proxy(tools, {})",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 4000 {
			t.Skip()
		}
		out, err := Run(t.Context(), body, nil, &host{},
			Limits{Time: 300 * time.Millisecond, Memory: 16 << 20, Calls: 20, Value: 10_000})
		var e *Error
		if err == nil && !json.Valid(out) {
			t.Errorf("%q gave %q", body, out)
		}
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v", body, err)
		}
	})
}
