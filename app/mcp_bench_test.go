package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// benchPages are the kinds of pages CRAFT.md "Peers" has figures for.
func benchPages() map[string]string {
	var links, table, nodes strings.Builder
	for i := range 300 {
		fmt.Fprintf(&links, `<p><a href="/item/%d">Adjustable desk lamp no. %d</a>`, i, i)
	}
	for i := range 1000 {
		fmt.Fprintf(&table, `<tr><td>Order %d<td><input type=checkbox aria-label="Select order %d"><td><a href="/order/%d">Open order %d</a><td><button>Delete order %d</button>`, i, i, i, i, i)
	}
	for i := range 200 {
		fmt.Fprintf(&nodes, `<section><button>Action %d</button>%s</section>`, i,
			strings.Repeat(`<div><p>Some <b>text</b> and <i>more</i></p></div>`, 40))
	}
	return map[string]string{
		"/small": `<title>Sign up</title><h1>Sign up</h1><form onsubmit="return false"><label>Name <input></label><label>Mail <input type=email></label>
			<label>Size <select><option>Small<option>Large</select></label><label><input type=checkbox> I agree</label><button>Send</button><a href="/help">Help</a></form>`,
		"/links": `<title>Lamps</title><h1>Lamps</h1>` + links.String(),
		"/table": `<title>Orders</title><h1>Orders</h1><table>` + table.String() + `</table>`,
		"/nodes": `<title>Actions</title><h1>Actions</h1>` + nodes.String(),
		"/click": `<title>Count</title><button onclick="this.nextSibling.textContent = ++window.n || (window.n = 1)">Count</button><button>0</button>`,
	}
}

// talker speaks MCP with a program by lines, as cheaply as can be.
type talker struct {
	b    *testing.B
	in   *os.File
	out  *bufio.Reader
	next int
}

func (t *talker) ask(method string, params any) json.RawMessage {
	t.b.Helper()
	t.next++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": t.next, "method": method, "params": params})
	if err != nil {
		t.b.Fatal(err)
	}
	if _, err := t.in.Write(append(line, '\n')); err != nil {
		t.b.Fatal(err)
	}
	mark := fmt.Appendf(nil, `"id":%d,`, t.next)
	for {
		line, err := t.out.ReadBytes('\n')
		if err != nil {
			t.b.Fatal(err)
		}
		if bytes.Contains(line[:min(80, len(line))], mark) ||
			bytes.Contains(line[max(0, len(line)-80):], mark[:len(mark)-1]) {
			return line
		}
	}
}

// call is the text of a tool's answer.
func (t *talker) call(tool string, args map[string]any) string {
	t.b.Helper()
	raw := t.ask("tools/call", map[string]any{"name": tool, "arguments": args})
	var got struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil || got.Result.IsError || len(got.Result.Content) == 0 {
		t.b.Fatalf("%s: %.500s (%v)", tool, raw, err)
	}
	return got.Result.Content[0].Text
}

// startMCP starts `sextant mcp` and ends it with the benchmark. It runs in this process, so
// that -cpuprofile shows it; the streams are a program's.
func startMCP(b *testing.B) *talker {
	b.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	done := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		done <- RunCLI(b.Context(), []string{
			"mcp", "--headless", "--tools", "environment", "--data", dir + "/data", "--config", dir + "/config",
			"--allow-hosts", "127.0.0.1",
		}, inR, outW, &errs)
		_ = outW.Close()
	}()
	b.Cleanup(func() {
		_ = inW.Close()
		if code := <-done; code != exitDone {
			b.Errorf("exit %d: %s", code, errs.String())
		}
		_ = outR.Close()
	})
	s := &talker{b: b, in: inW, out: bufio.NewReaderSize(outR, 1<<20)}
	s.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "bench", "version": "1"},
	})
	if _, err := inW.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkMCP asks `sextant mcp` for the answers that CRAFT.md has the peers' figures of.
// The median is in ms/p50, the tokens of the text by o200k.
func BenchmarkMCP(b *testing.B) {
	pages := benchPages()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + pages[r.URL.Path]))
	}))
	defer site.Close()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		b.Fatal(err)
	}
	s := startMCP(b)
	measure := func(name, page, tool string, args func(opened string) map[string]any) {
		b.Run(name, func(b *testing.B) {
			opened := s.call("navigate_page", map[string]any{"url": site.URL + page})
			with := args(opened)
			var took []float64
			text := ""
			for b.Loop() {
				begun := time.Now()
				text = s.call(tool, with)
				took = append(took, float64(time.Since(begun).Microseconds())/1000)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms/p50")
			n, err := codec.Count(text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(n), "tokens")
		})
	}
	for _, page := range []string{"small", "links", "table", "nodes"} {
		measure(page+"/page", "/"+page, "annotate_page",
			func(string) map[string]any { return map[string]any{"scope": "page"} })
		measure(page+"/viewport", "/"+page, "annotate_page", func(string) map[string]any { return map[string]any{} })
	}
	measure("click", "/click", "click_element", func(opened string) map[string]any {
		var id int
		m := regexp.MustCompile(`\[(\d+)\] button "Count"`).FindStringSubmatch(opened)
		if m == nil || json.Unmarshal([]byte(m[1]), &id) != nil {
			b.Fatalf("no button in:\n%s", opened)
		}
		return map[string]any{"annotationId": id}
	})
}
