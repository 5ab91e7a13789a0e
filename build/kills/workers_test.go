package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/browser/launch"
	"sextant/backend/store/pgqueue/pgtest"
	"sextant/shared/batch"
)

// startBrowser starts a Chromium with a debugging port, as a grid of browsers has it, and returns its address.
func startBrowser(t testing.TB) string {
	t.Helper()
	path, err := launch.Find("")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "grid")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", //nolint:noctx // the cleanup ends it
		"--remote-debugging-port=0", "--user-data-dir="+profile, "--disable-dev-shm-usage", "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = os.RemoveAll(profile)
	})
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, _, ok := strings.Cut(string(text), "\n"); err == nil && ok {
			return "http://127.0.0.1:" + port
		}
	}
	t.Fatal("the browser does not start")
	return ""
}

// queueWorker is a worker with a data folder of its own.
type queueWorker struct {
	t       testing.TB
	program string
	dir     string
	args    []string
	cmd     *exec.Cmd
	out     bytes.Buffer
}

func (w *queueWorker) start() {
	w.t.Helper()
	w.cmd = exec.Command(w.program, w.args...) //nolint:noctx // kill ends it
	w.cmd.Env = append(os.Environ(), "SEXTANT_DATA="+filepath.Join(w.dir, "data"),
		"SEXTANT_CONFIG="+filepath.Join(w.dir, "config"), "SEXTANT_WORKSPACE="+w.dir, "HOME="+w.dir, "TMPDIR="+w.dir)
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.out
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *queueWorker) end(signal syscall.Signal) {
	_ = w.cmd.Process.Signal(signal)
	_ = w.cmd.Wait()
}

// grid is a batch in a shared queue, its workers and their browsers.
type grid struct {
	*batchProgram
	queue   string
	workers []*queueWorker
	follow  *exec.Cmd
	out     *bytes.Buffer
}

// startGrid starts workers and lets them run a batch of rows.
func startGrid(t testing.TB, program string, rows, workers, browsers int, delay time.Duration) *grid {
	t.Helper()
	g := &grid{batchProgram: newBatchProgram(t, program, rows, delay), queue: pgtest.Start(t)}
	cdp := []string{startBrowser(t), startBrowser(t)}
	for range workers {
		dir, err := os.MkdirTemp("", "worker")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		w := &queueWorker{t: t, program: program, dir: dir, args: []string{
			"worker", "--allow-hosts", "127.0.0.1", "--queue", g.queue, "--browsers", fmt.Sprint(browsers),
			"--cdp", cdp[0], "--cdp", cdp[1],
		}}
		w.start()
		g.workers = append(g.workers, w)
		t.Cleanup(func() {
			w.end(syscall.SIGKILL)
			if t.Failed() {
				t.Logf("%s", w.out.String())
			}
		})
	}
	g.follow, g.out = g.command("runs", "start", "order", "--rows", filepath.Join(g.dir, "rows.csv"), "--name", "rows",
		"--yes", "--queue", g.queue)
	if err := g.follow.Start(); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestKilledWorkersOrderNothingTwice kills workers that share a queue while their rows run in browsers elsewhere. Each
// order is made once, or its row says that the outcome is unknown.
func TestKilledWorkersOrderNothingTwice(t *testing.T) {
	t.Parallel() // it mostly waits for leases to end
	program, _ := buildProgram(t)
	rows, workers, browsers, kills := 40, 3, 2, 4
	if long() {
		rows, browsers, kills = 1000, 3, 50
	}
	from := seed()
	t.Logf("SEXTANT_SEED=%d", from)
	r := rand.New(rand.NewPCG(from, 0)) //nolint:gosec // choices of a test
	g := startGrid(t, program, rows, workers, browsers, 0)
	begun, ended := time.Now(), make(chan error, 1)
	go func() { ended <- g.follow.Wait() }()
	killed := 0
	for done := false; !done; {
		var next <-chan time.Time
		if killed < kills {
			next = time.After(time.Duration(1500+r.IntN(4000)) * time.Millisecond)
		}
		select {
		case <-ended: // it fails if a row did not end as done
			done = true
		case <-next:
			w := g.workers[r.IntN(workers)]
			w.end(syscall.SIGKILL)
			w.start()
			killed++
		}
	}
	counts := g.check(g.shared())
	t.Logf("%d rows, %d workers, %d kills, %.0f s: %v", rows, workers, killed, time.Since(begun).Seconds(), counts)
	if killed < kills {
		t.Errorf("only %d kills while rows ran", killed)
	}
	if counts[batch.StatusDone] < rows-kills*browsers {
		t.Errorf("more rows are not done than ran when their worker was killed")
	}
	for _, w := range g.workers {
		w.end(syscall.SIGINT) // it sends the rest of its audit log
	}
	if said := g.verb("audit", "verify", "--queue", g.queue); strings.Count(said, "all intact") != workers {
		t.Errorf("of %d workers: %s", workers, said)
	}
}

// shared returns the rows of the batch.
func (g *grid) shared() []batch.Row {
	g.t.Helper()
	var rows []batch.Row
	if err := json.Unmarshal([]byte(g.verb("runs", "show", "rows", "--json", "--queue", g.queue)), &rows); err != nil {
		g.t.Fatal(err)
	}
	return rows
}

// BenchmarkWorkers measures how many rows a second workers run in two browsers elsewhere, on a site whose answers take
// a second.
func BenchmarkWorkers(b *testing.B) {
	program, _ := buildProgram(b)
	const rows = 60
	for _, c := range []struct{ workers, browsers int }{{1, 1}, {1, 4}, {2, 4}, {3, 4}, {3, 8}} {
		b.Run(fmt.Sprintf("workers=%d/browsers=%d", c.workers, c.browsers), func(b *testing.B) {
			bad := 0
			for b.Loop() {
				g := startGrid(b, program, rows, c.workers, c.browsers, time.Second)
				_ = g.follow.Wait() // it fails if a row did, which is counted
				for _, row := range g.shared() {
					if row.Status != batch.StatusDone {
						bad++
						b.Log(row.Reason)
					}
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(bad)/float64(b.N), "bad-rows")
		})
	}
}
