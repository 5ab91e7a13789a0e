package kills

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"sextant/backend/store/sqlite"
	"sextant/shared/event"
)

// oldSchema is the schema version of an older Sextant.
const oldSchema = 5

// killMigrations kills the start on an old data folder at each of SQLite's writes and checks that the next start
// finishes the migration.
func killMigrations(t *testing.T, program, preload string) {
	t.Helper()
	from := seed()
	t.Logf("SEXTANT_SEED=%d", from)
	r := rand.New(rand.NewPCG(from, 0)) //nolint:gosec // choices of a test
	old := filepath.Join(t.TempDir(), "old.db")
	want := oldDatabase(t, old)
	step := 23
	if long() {
		step = 1
	}
	kills := 0
	for at, more := 1+r.IntN(step), true; more; at += step {
		more = t.Run(fmt.Sprint("at write ", at), func(t *testing.T) {
			w := newWorker(t, program, preload, from, at)
			content, err := os.ReadFile(old)
			if err == nil {
				err = os.MkdirAll(w.path("data"), 0o700)
			}
			if err == nil {
				err = os.WriteFile(w.path("data/sextant.db"), content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			n := killStarts(t, w, at)
			kills += n
			more = n > 0 // otherwise the start has fewer writes
			checkStart(t, w, want)
		}) && more
	}
	t.Logf("%d kills", kills)
	if kills < 4 {
		t.Error("too few kills to prove anything")
	}
}

// killStarts starts the program twice, to be killed at the same write, and returns how often it was killed.
func killStarts(t *testing.T, w *worker, at int) (kills int) {
	t.Helper()
	how := []string{"before", "after", "half"}[at%3]
	for range 2 {
		inst, err := w.start(plan{env: []string{fmt.Sprint("KILL_AT=", at), "KILL_HOW=" + how}})
		if err != nil {
			t.Fatal(err)
		}
		timeout := time.AfterFunc(20*time.Second, inst.kill)
		if err := inst.connect(); err == nil {
			inst.kill()
		} else {
			kills++
		}
		if err := inst.waitForExit(); err != nil {
			t.Fatalf("killed %s write %d: %v", how, at, err)
		}
		timeout.Stop()
	}
	return kills
}

// checkStart starts the program and looks for the events of the old database.
func checkStart(t *testing.T, w *worker, want []event.Event) {
	t.Helper()
	inst, err := w.start(plan{})
	if err != nil {
		t.Fatal(err)
	}
	if err := inst.connect(); err != nil {
		t.Fatalf("the next start failed: %v", err)
	}
	var page struct{ Events []event.Event }
	if status, err := inst.request(http.MethodGet, "/api/events?limit=5000", nil, &page); err != nil ||
		status != http.StatusOK {
		t.Fatalf("%d, %v", status, err)
	}
	for i, e := range want {
		if i >= len(page.Events) || string(canonical(page.Events[i])) != string(canonical(e)) {
			t.Fatalf("event %d of the old database changed", e.Seq)
		}
	}
	var metrics struct{ Totals map[string]any }
	if status, err := inst.request(http.MethodGet, "/api/metrics", nil, &metrics); err != nil ||
		status != http.StatusOK {
		t.Fatalf("metrics: %d, %v", status, err)
	}
	inst.kill()
	if err := inst.waitForExit(); err != nil {
		t.Fatal(err)
	}
	if err := w.checkFolder(); err != nil {
		t.Fatal(err)
	}
	for _, f := range w.faults.all() {
		t.Fatal(f)
	}
}

// oldDatabase writes a database of oldSchema with events and audited calls, and returns the events.
func oldDatabase(t *testing.T, path string) []event.Event {
	t.Helper()
	ctx := context.Background()
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("../../backend/store/sqlite/migrations"),
		goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = p.UpTo(ctx, oldSchema)
	}
	if err != nil {
		t.Fatal(err)
	}
	var events []event.Event
	prev := ""
	for i := range 60 {
		e := event.New(event.PanelOpened, event.PanelRef{Panel: fmt.Sprint("p", i)})
		e.Seq = int64(i + 1)
		events = append(events, e)
		call := fmt.Sprint("c", i)
		for _, a := range []sqlite.AuditEntry{
			{
				Call: call, Phase: sqlite.AuditIntent, Time: e.Time,
				Body: json.RawMessage(`{"id":"` + call + `","tool":"read_file","origin":"baseline"}`),
			},
			{
				Call: call, Phase: sqlite.AuditResult, Time: e.Time,
				Body: json.RawMessage(`{"status":"done","duration_ms":5}`),
			},
		} {
			a.PrevHash = prev
			prev = a.Digest()
			if _, err := db.ExecContext(ctx,
				`INSERT INTO audit (call, phase, time, body, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?)`,
				a.Call, a.Phase, a.Time.UnixNano(), []byte(a.Body), a.PrevHash, prev); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.ExecContext(ctx,
			`INSERT INTO events (kind, time, conversation, turn, call, data) VALUES (?, ?, '', '', '', ?)`,
			e.Kind, e.Time.UnixNano(), []byte(e.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return events
}
