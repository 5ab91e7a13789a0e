package kills

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// long reports whether the long form runs, as in `make kills`.
func long() bool { return os.Getenv("SEXTANT_WHOLE") != "" }

func TestKilledProgramLosesNothing(t *testing.T) {
	program, preload := buildProgram(t)
	t.Run("random kills",
		func(t *testing.T) { killRandomly(t, program, preload) })
	t.Run("kills during a migration",
		func(t *testing.T) { killMigrations(t, program, preload) })
}

func killRandomly(t *testing.T, program, preload string) {
	kills, workers := 16, 2
	if long() {
		kills = 1000
	}
	if n, err := strconv.Atoi(os.Getenv("SEXTANT_KILLS")); err == nil {
		kills = n
	}
	from := seed()
	t.Logf("SEXTANT_SEED=%d", from)
	started := time.Now()
	all := make([]*worker, workers)
	var wait sync.WaitGroup
	for i := range all {
		w := newWorker(t, program, preload, from, i)
		all[i] = w
		wait.Go(func() { w.killRepeatedly(t, kills/workers) })
	}
	wait.Wait()
	report(t, all, time.Since(started))
}

// killRepeatedly does a worker's share of the kills and checks the data folder after every 50. On a slow machine a few
// kills may all come before any call has an effect; then it goes on, up to four times as many.
func (w *worker) killRepeatedly(t *testing.T, kills int) {
	for n := range 4 * kills {
		if n >= kills && w.effects.any() && w.killsAtWork >= n/3 {
			return
		}
		if err := w.killOnce(n); err != nil {
			t.Errorf("kill %d: %v", n, err)
			return
		}
		if n%50 == 49 || n >= kills-1 {
			if err := w.checkFolder(); err != nil {
				t.Errorf("checking the data folder after kill %d: %v", n, err)
				return
			}
		}
		if len(w.faults.all()) > 20 {
			return
		}
	}
}

// report prints the figures and fails on each violation.
func report(t *testing.T, all []*worker, took time.Duration) {
	t.Helper()
	sum := map[string]int{}
	for _, w := range all {
		events, messages := w.acks.counts()
		repeated, effects := w.effects.repeated()
		for kind, n := range w.kinds {
			sum[kind] += n
			sum["kills"] += n
		}
		sum["events"] += events
		sum["messages"] += messages
		sum["effects"] += effects
		sum["busy"] += w.killsAtWork
		sum["faults"] += len(w.faults.all())
		w.model.mu.Lock()
		sum["refused"] += w.model.refused
		sum["unknown"] += len(w.model.unknown)
		sum["summaries"] += w.model.summaries
		sum["misreported"] += len(w.model.faults) - min(w.model.refused, len(w.model.faults))
		for _, f := range w.model.faults {
			t.Error(f)
		}
		w.model.mu.Unlock()
		sum["repeated"] += len(repeated)
		for _, r := range repeated {
			t.Errorf("repeated: %s", r)
		}
		for _, f := range w.faults.all() {
			t.Error(f)
		}
	}
	t.Logf("%d kills in %.0f s (%d by the clock, %d at a write of SQLite, %d at a known moment; %d while a window "+
		"was connected)",
		sum["kills"], took.Seconds(), sum["clock"], sum["write"], sum["moment"], sum["busy"])
	t.Logf(
		"%d acknowledged events and %d accepted messages, %d faults; %d conversations refused; %d effects, %d "+
			"repeated, %d reported wrongly, %d reported as unknown; %d summaries",
		sum["events"],
		sum["messages"],
		sum["faults"],
		sum["refused"],
		sum["effects"],
		sum["repeated"],
		sum["misreported"],
		sum["unknown"],
		sum["summaries"],
	)
	if sum["effects"] == 0 || sum["busy"] < sum["kills"]/3 || sum["events"] == 0 {
		t.Error("too few kills during work to prove anything")
	}
}

// buildProgram builds the program and the library that counts writes.
func buildProgram(t testing.TB) (program, preload string) {
	t.Helper()
	dir := t.TempDir()
	program, preload = filepath.Join(dir, "sextant"), filepath.Join(dir, "preload.so")
	for _, cmd := range [][]string{
		{"go", "build", "-trimpath", "-tags", "sqlite_fts5", "-o", program, "sextant"},
		{"cc", "-shared", "-fPIC", "-O1", "-o", preload, "testdata/preload.c", "-ldl"},
	} {
		if out, err := exec.CommandContext(t.Context(), cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	return program, preload
}
