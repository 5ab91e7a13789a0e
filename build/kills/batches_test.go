package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sextant/shared/batch"
	"sextant/shared/recipe"
)

// orderSite is a site that counts the orders of each item.
type orderSite struct {
	*httptest.Server
	// delay is how long each answer takes.
	delay  time.Duration
	mu     sync.Mutex
	orders map[string]int
}

func newOrderSite(delay time.Duration) *orderSite {
	site := &orderSite{delay: delay, orders: map[string]int{}}
	site.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(site.delay)
		item := r.FormValue("item")
		if r.Method == http.MethodPost {
			site.mu.Lock()
			site.orders[item]++
			site.mu.Unlock()
			http.Redirect(w, r, "/thanks?item="+item, http.StatusSeeOther)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/thanks" {
			_, _ = fmt.Fprintf(w, `<title>Thanks</title><p>Order: %s</p>`, strings.ToUpper(item))
			return
		}
		_, _ = fmt.Fprint(w, `<title>Order</title><form method="post" action="/orders"><input name="item"
			aria-label="Item"><button>Order</button></form>`)
	}))
	return site
}

func (s *orderSite) recipe() recipe.Recipe {
	return recipe.Recipe{Name: "order", Parameters: []recipe.Parameter{{Name: "item"}}, Steps: []recipe.Step{
		{Tool: "navigate_page", Args: fmt.Appendf(nil, `{"url":%q}`, s.URL+"/order")},
		{
			Tool: "type_text",
			Args: json.RawMessage(`{"annotationId":{"role":"textbox","name":"Item"},"text":"{{item}}"}`),
		},
		{
			Tool:   "click_element",
			Args:   json.RawMessage(`{"annotationId":{"role":"button","name":"Order"}}`),
			Expect: &recipe.Effect{Event: "navigated", URL: "http://127.0.0.1:*/thanks"},
		},
		{
			Tool: "get_page_content", Args: json.RawMessage(`{}`),
			Keep: []recipe.Output{{Name: "number", Label: "Order:"}},
		},
	}}
}

// batchProgram runs the verbs about batches in a data folder of its own.
type batchProgram struct {
	t            testing.TB
	program, dir string
	site         *orderSite
}

func newBatchProgram(t testing.TB, program string, rows int, delay time.Duration) *batchProgram {
	t.Helper()
	dir, err := os.MkdirTemp("", "kills")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &batchProgram{t: t, program: program, dir: dir, site: newOrderSite(delay)}
	t.Cleanup(p.site.Close)
	text, err := json.Marshal(p.site.recipe())
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("Item\n")
	for n := range rows {
		fmt.Fprintf(&table, "item%d\n", n+1)
	}
	for name, text := range map[string]string{"recipe.json": string(text), "rows.csv": table.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.verb("recipes", "import", filepath.Join(dir, "recipe.json"))
	return p
}

func (p *batchProgram) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	args = append([]string{"--allow-hosts", "127.0.0.1"}, args...)
	cmd := exec.Command(p.program, args...) //nolint:noctx // runFor kills it
	cmd.Env = append(os.Environ(),
		"SEXTANT_DATA="+filepath.Join(p.dir, "data"), "SEXTANT_CONFIG="+filepath.Join(p.dir, "config"),
		"SEXTANT_WORKSPACE="+p.dir, "HOME="+p.dir, "TMPDIR="+p.dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// verb runs a verb to its end and returns what it printed, without the log.
func (p *batchProgram) verb(args ...string) string {
	p.t.Helper()
	cmd, out := p.command(args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("%v: %v\n%s%s", args, err, out, &log)
	}
	return out.String()
}

// runFor runs a verb and kills it after a while. It reports whether the verb ended before, and what it printed.
func (p *batchProgram) runFor(while time.Duration, args ...string) (ended bool, output string) {
	p.t.Helper()
	cmd, out := p.command(args...)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	clock := time.AfterFunc(while, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	_ = cmd.Wait()
	return clock.Stop(), out.String()
}

func (p *batchProgram) rows() []batch.Row {
	p.t.Helper()
	var rows []batch.Row
	if err := json.Unmarshal([]byte(p.verb("runs", "show", "rows", "--json")), &rows); err != nil {
		p.t.Fatal(err)
	}
	return rows
}

// TestKilledBatchOrdersNothingTwice kills the program while rows run in several browsers, and lets it go on. Each order
// is made once, or its row says that the outcome is unknown.
func TestKilledBatchOrdersNothingTwice(t *testing.T) {
	t.Parallel()
	program, _ := buildProgram(t)
	rows, browsers, kills := 40, "4", 4
	if long() {
		rows, browsers, kills = 1000, "8", 50
	}
	from := seed()
	t.Logf("SEXTANT_SEED=%d", from)
	r := rand.New(rand.NewPCG(from, 0)) //nolint:gosec // choices of a test
	p := newBatchProgram(t, program, rows, 0)
	start := []string{
		"runs", "start", "order", "--rows", filepath.Join(p.dir, "rows.csv"), "--name", "rows", "--browsers", browsers,
		"--yes",
	}
	killed, begun := 0, time.Now()
	for {
		while := time.Duration(1500+r.IntN(6000)) * time.Millisecond
		if killed == kills {
			while = time.Hour
		}
		ended, output := p.runFor(while, start...)
		if ended {
			t.Logf("%s", output[strings.LastIndexByte(strings.TrimSpace(output), '\n')+1:])
			break
		}
		killed++
		start = []string{"runs", "resume", "rows"}
	}
	counts := p.check(p.rows())
	t.Logf("%d rows, %d kills, %.0f s: %v", rows, killed, time.Since(begun).Seconds(), counts)
	if killed < kills {
		t.Errorf("only %d kills while rows ran", killed)
	}
}

// check checks that each order was made once, or that its row says so, and counts the rows.
func (p *batchProgram) check(rows []batch.Row) batch.Counts {
	p.t.Helper()
	counts := batch.Counts{}
	for _, row := range rows {
		counts[row.Status]++
		orders := p.site.orders[row.Cells[0]]
		switch {
		case row.Status == batch.StatusDone && orders == 1 && row.Results["number"] == strings.ToUpper(row.Cells[0]):
		case row.Status == batch.StatusUnknown && orders <= 1:
		case row.Status == batch.StatusFailed && orders == 0:
		default:
			p.t.Errorf("row %d was ordered %d times: %+v", row.Number, orders, row)
		}
	}
	return counts
}

// BenchmarkBatch measures how many rows a second run in several browsers, on a site on this machine and on one whose
// answers take a while.
func BenchmarkBatch(b *testing.B) {
	program, _ := buildProgram(b)
	const rows = 60
	for _, c := range []struct {
		delay    time.Duration
		browsers int
	}{
		{0, 1},
		{0, 2},
		{0, 4},
		{0, 8},
		{time.Second, 1},
		{time.Second, 2},
		{time.Second, 4},
		{time.Second, 8},
		{time.Second, 16},
	} {
		b.Run(fmt.Sprintf("delay=%v/browsers=%d", c.delay, c.browsers), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				p := newBatchProgram(b, program, rows, c.delay)
				b.StartTimer()
				p.verb("runs", "start", "order", "--rows", filepath.Join(p.dir, "rows.csv"), "--name", "rows",
					"--browsers", fmt.Sprint(c.browsers), "--yes")
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
