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

// fakeHost answers "echo" with its arguments and records calls.
type fakeHost struct {
	calls []string
	lines []string
	wait  chan struct{}
}

func (h *fakeHost) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
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

func (h *fakeHost) Print(line string) { h.lines = append(h.lines, line) }

func runBody(t *testing.T, body, args string, limits Limits) (string, *fakeHost, error) {
	t.Helper()
	h := &fakeHost{}
	out, err := Run(t.Context(), body, json.RawMessage(args), h, limits)
	return string(out), h, err
}

func TestRunAwaitsToolsAndReturnsJSON(t *testing.T) {
	for _, c := range []struct{ name, body, args, want string }{
		{"value", "return args.a + 1", `{"a":41}`, "42"},
		{"no value", "const x = 1;", `{}`, "null"},
		{
			"tool result", "const f = await tools.echo({path: args.path}); return f.path.toUpperCase()",
			`{"path":"é.txt"}`, `"É.TXT"`,
		},
		{
			"calls in a loop",
			"let n = 0; for (const w of ['a','b','c']) n += (await tools.echo({w})).w.length; return {n}", `{}`,
			`{"n":3}`,
		},
		{"concurrent calls", "return (await Promise.all([1,2].map((i) => tools.echo({i})))).map((r) => r.i)", `{}`, "[1,2]"},
		{
			"caught tool error", "try { await tools.no_such({}) } catch (e) { return e.message }", `{}`,
			`"there is no tool no_such"`,
		},
		{"tool without result", "return (await tools.nothing()) === undefined", `{}`, "true"},
		{"JSON line separators", "return args.t", `{"t":"a\u2028b"}`, "\"a\u2028b\""},
		{
			"changed built-ins",
			"JSON.parse = JSON.stringify = () => 'x'; Object.prototype.error = 'y'; return (await tools.echo({z: " +
				"1})).z", `{}`, "1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := runBody(t, c.body, c.args, Limits{})
			if err != nil || out != c.want {
				t.Errorf("got %q %v, want %s", out, err, c.want)
			}
		})
	}
}

func TestBodyHasNoGlobalsOrModules(t *testing.T) {
	for _, name := range []string{
		"require", "process", "std", "os", "fetch", "XMLHttpRequest", "WebSocket", "setTimeout", "Deno", "Bun",
		"scriptArgs", "print",
		"__call", "__end", "__print", "globalThis.__call", "import.meta", "WebAssembly", "Worker", "loadScript",
		"bjson", "navigator", "gc",
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := runBody(t, "return typeof "+name, "{}", Limits{})
			if err == nil && out != `"undefined"` {
				t.Errorf("it is %s", out)
			}
		})
	}
	for _, body := range []string{
		"await import('os')", "import os from 'os'", "await import('/etc/passwd')",
		"await import('data:text/javascript,export default 1')",
	} {
		t.Run(body, func(t *testing.T) {
			if out, _, err := runBody(t, body, "{}", Limits{}); err == nil {
				t.Errorf("returned %s", out)
			}
		})
	}
}

func TestBodyCannotEscapeItsFunction(t *testing.T) {
	for _, body := range []string{
		"}); globalThis.out = 1; (() => {", "*/ return 1 /*", "}}", "} + (globalThis.x = 1) + function () {",
		"}[globalThis.x] = function () {", "} async function g() {",
		"return 1 })(parse('{}'), tools); end(true, '\"forged\"', 0); ((", "`",
	} {
		t.Run(body, func(t *testing.T) {
			var e *Error
			if out, _, err := runBody(t, body, "{}", Limits{}); !errors.As(err, &e) {
				t.Errorf("Run returned %s %v", out, err)
			}
			if CheckSyntax(body) == nil {
				t.Error("CheckSyntax accepted it")
			}
		})
	}
}

func TestLimitsEndRunawayBodies(t *testing.T) {
	short := Limits{Time: 200 * time.Millisecond, Calls: 5, ValueBytes: 1000, Memory: 16 << 20}
	for _, c := range []struct{ name, limit, body string }{
		{"endless loop", "time", "for (;;) {}"},
		{"loop in finally", "time", "for (;;) { try { for (;;) {} } catch (e) {} finally { for (;;) {} } }"},
		{"slow regexp", "time", "/(a+)+$/.test('a'.repeat(40) + 'b')"},
		{"growing array", "memory", "const all = []; for (;;) all.push(new Array(10000).fill(1))"},
		{
			"growing strings", "memory",
			"let s = 'x'.repeat(1 << 20); const all = []; for (let i = 0; ; i++) all.push(s + i)",
		},
		{"large buffer", "memory", "new ArrayBuffer(1 << 30)"},
		{"recursion", "stack", "const f = () => f() + 1; f()"},
		{"recursive toJSON", "stack", "const o = {}; o.toJSON = () => { return JSON.stringify(o) }; return o"},
		{"endless calls", "calls", "for (;;) await tools.echo({})"},
		{"endless calls with catch", "calls", "for (;;) { try { await tools.echo({}) } catch (e) {} }"},
		{"long argument", "value", "await tools.echo({t: 'x'.repeat(2000)})"},
		{"long result", "value", "return 'x'.repeat(2000)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := short
			if c.limit != "time" && c.limit != "memory" {
				limits.Time = 20 * time.Second // the other limits take a while to reach on a busy machine
			}
			out, h, err := runBody(t, c.body, "{}", limits)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %.40q %v", out, err)
			}
			// The engine may reach the time limit before the memory limit.
			if e.Limit != c.limit && !(c.limit == "memory" && e.Limit == "time") {
				t.Errorf("limit %q (%v), want %q", e.Limit, err, c.limit)
			}
			if len(h.calls) > 5 {
				t.Errorf("%d calls", len(h.calls))
			}
		})
	}
}

func TestEndlessPromiseChainEnds(t *testing.T) {
	// Whether it reaches the memory or the time limit depends on the machine.
	if out, _, err := runBody(t, "const f = () => Promise.resolve().then(f); await f()", "{}",
		Limits{Time: time.Second, Memory: 16 << 20}); err == nil {
		t.Errorf("gave %s", out)
	}
}

func TestWaitingForToolDoesNotCountAsTime(t *testing.T) {
	h := &fakeHost{wait: make(chan struct{})}
	limit := 2 * time.Second // the body itself takes far less, on a busy machine too
	go func() { time.Sleep(limit + 100*time.Millisecond); close(h.wait) }()
	out, err := Run(t.Context(), "try { await tools.wait({}) } catch (e) {} return 'went on'", nil, h,
		Limits{Time: limit})
	if err != nil || string(out) != `"went on"` {
		t.Errorf("%s %v", out, err)
	}
}

func TestContextEndsRun(t *testing.T) {
	for _, body := range []string{"for (;;) {}", "for (;;) { try { await tools.wait({}) } catch (e) {} }"} {
		t.Run(body, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("the person stopped it")
			time.AfterFunc(50*time.Millisecond, func() { cancel(stopped) })
			_, err := Run(ctx, body, nil, &fakeHost{}, Limits{})
			if !errors.Is(err, stopped) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestErrorHasLineAndMessage(t *testing.T) {
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
		{"await new Promise(() => {})", 0, "never settles"},
	} {
		t.Run(c.body, func(t *testing.T) {
			_, _, err := runBody(t, c.body, "{}", Limits{})
			var e *Error
			if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Message, c.text) {
				t.Errorf("got %v, want line %d and %q", err, c.line, c.text)
			}
		})
	}
}

func TestConsoleOutputIsLimited(t *testing.T) {
	_, h, err := runBody(t, "console.log('a', 1, {b: 2}); for (let i = 0; i < 50; i++) console.warn(i)", "{}",
		Limits{OutputLines: 10})
	if err != nil || len(h.lines) != 10 || h.lines[0] != `a 1 {"b":2}` {
		t.Errorf("%q %v", h.lines, err)
	}
}

func FuzzRunEndsWithinLimits(f *testing.F) {
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
		out, err := Run(t.Context(), body, nil, &fakeHost{},
			Limits{Time: 300 * time.Millisecond, Memory: 16 << 20, Calls: 20, ValueBytes: 10_000})
		var e *Error
		if err == nil && !json.Valid(out) {
			t.Errorf("%q gave %q", body, out)
		}
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v", body, err)
		}
	})
}
