package pgqueue_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/batch"
	"sextant/backend/store/audit"
	"sextant/backend/store/pgqueue"
	"sextant/backend/store/pgqueue/pgtest"
	"sextant/backend/store/sqlite"
	data "sextant/shared/batch"
)

var _ batch.Shared = (*pgqueue.Queue)(nil)

func open(t testing.TB, address string) *pgqueue.Queue {
	t.Helper()
	q, err := pgqueue.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func add(t testing.TB, q *pgqueue.Queue, one data.Batch, rows int, hosts ...string) {
	t.Helper()
	all := make([]data.Row, rows)
	for i := range all {
		all[i] = data.Row{Number: i + 1, Cells: []string{fmt.Sprint(i)}, Hosts: hosts, Status: data.StatusQueued}
	}
	one.State = data.StateRunning
	if err := q.AddBatch(t.Context(), one, all); err != nil {
		t.Fatal(err)
	}
}

func TestEachRowBeginsOnce(t *testing.T) {
	address := pgtest.Start(t)
	const rows, workers = 200, 5
	first := open(t, address)
	add(t, first, data.Batch{ID: "b"}, rows)
	var mu sync.Mutex
	begun := map[int]int{}
	var wait sync.WaitGroup
	for range workers {
		q := open(t, address) // each opens it at the same time as the others
		wait.Go(func() {
			for {
				_, r, ok, err := q.Claim(t.Context(), "b")
				if err != nil {
					t.Error(err)
				}
				if !ok {
					return
				}
				mu.Lock()
				begun[r.Number]++
				mu.Unlock()
				r.Status = data.StatusDone
				if ok, err := q.UpdateRow(t.Context(), "b", r, data.StatusRunning); err != nil || !ok {
					t.Error(ok, err)
				}
			}
		})
	}
	wait.Wait()
	if len(begun) != rows {
		t.Errorf("%d of %d rows began", len(begun), rows)
	}
	for number, n := range begun {
		if n != 1 {
			t.Errorf("row %d began %d times", number, n)
		}
	}
	all, err := first.Batches(t.Context())
	if err != nil || len(all) != 1 || all[0].State != data.StateDone {
		t.Errorf("the batch is %+v, %v", all, err)
	}
}

func TestHostIsUsedByAsManyRowsAsAllowed(t *testing.T) {
	q := open(t, pgtest.Start(t))
	ctx := t.Context()
	add(t, q, data.Batch{ID: "b", PerHost: 2}, 4, "a.example")
	var running []data.Row
	for range 2 {
		_, r, ok, err := q.Claim(ctx, "b")
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		running = append(running, r)
	}
	if one, _, ok, err := q.Claim(ctx, "b"); err != nil || ok || one.State != data.StateRunning {
		t.Errorf("a third row began: %v, %v, %s", ok, err, one.State)
	}
	running[0].Status = data.StatusFailed
	if _, err := q.UpdateRow(ctx, "b", running[0], data.StatusRunning); err != nil {
		t.Fatal(err)
	}
	if _, r, ok, err := q.Claim(ctx, "b"); err != nil || !ok || r.Number != 3 {
		t.Errorf("row %d, %v, %v", r.Number, ok, err)
	}
}

func TestRowOfAWorkerThatIsGone(t *testing.T) {
	address := pgtest.Start(t)
	gone, other := open(t, address), open(t, address)
	ctx := t.Context()
	add(t, gone, data.Batch{ID: "b"}, 2)
	var rows []data.Row
	for range 2 {
		_, r, _, err := gone.Claim(ctx, "b")
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	rows[1].Acted = true
	if ok, err := gone.UpdateRow(ctx, "b", rows[1], data.StatusRunning); err != nil || !ok {
		t.Fatal(ok, err)
	}
	end := func(r *data.Row) {
		r.Status = data.StatusQueued
		if r.Acted {
			r.Status = data.StatusUnknown
		}
	}
	if n, err := other.Sweep(ctx, end); err != nil || n != 0 {
		t.Fatalf("%d rows were ended while their worker had them, %v", n, err)
	}
	expire(t, address)
	claims := []string{rows[0].Claim, rows[1].Claim}
	held, err := gone.Renew(ctx, claims)
	if diff := cmp.Diff(claims, held); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if n, err := other.Sweep(ctx, end); err != nil || n != 0 {
		t.Fatalf("%d rows were ended after they were renewed, %v", n, err)
	}
	expire(t, address)
	if n, err := other.Sweep(ctx, end); err != nil || n != 2 {
		t.Fatalf("%d rows were ended, %v", n, err)
	}
	if ok, err := gone.UpdateRow(ctx, "b", rows[0], data.StatusRunning); err != nil || ok {
		t.Errorf("the worker changed a row that it had lost: %v, %v", ok, err)
	}
	// The same worker claims it again. What it did before has lost it all the same.
	if _, r, ok, err := gone.Claim(ctx, "b"); err != nil || !ok || r.Number != 1 || r.Tries != 2 {
		t.Errorf("%+v, %v, %v", r, ok, err)
	}
	if ok, err := gone.UpdateRow(ctx, "b", rows[0], data.StatusRunning); err != nil || ok {
		t.Errorf("a claim changed the row of a newer one: %v, %v", ok, err)
	}
	counts, err := other.Counts(ctx, "b")
	if diff := cmp.Diff(data.Counts{data.StatusRunning: 1, data.StatusUnknown: 1}, counts); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// expire ends all leases.
func expire(t *testing.T, address string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE sextant_batch_rows SET lease = now() - interval '1 s'`); err != nil {
		t.Fatal(err)
	}
}

func TestBatchesAreStored(t *testing.T) {
	q := open(t, pgtest.Start(t))
	ctx := t.Context()
	add(t, q, data.Batch{ID: "b", Name: "first"}, 3)
	add(t, q, data.Batch{ID: "c", Name: "second"}, 1)
	if _, err := q.ChangeBatch(ctx, "none", func(*data.Batch) error { return nil }); !errors.Is(err, sql.ErrNoRows) {
		t.Error(err)
	}
	if one, err := q.ChangeBatch(ctx, "b", func(one *data.Batch) error {
		one.State = data.StateStopped
		return nil
	}); err != nil || one.State != data.StateStopped {
		t.Error(one, err)
	}
	if _, _, ok, err := q.Claim(ctx, "b"); err != nil || ok {
		t.Errorf("a row of a stopped batch began: %v, %v", ok, err)
	}
	rows, err := q.Rows(ctx, "b", 1, 10)
	if err != nil || len(rows) != 2 || rows[0].Number != 2 {
		t.Errorf("%+v, %v", rows, err)
	}
	rows[0].Status, rows[0].Reason = data.StatusFailed, `it "failed"`
	if err := q.SaveRows(ctx, "b", rows[:1]); err != nil {
		t.Fatal(err)
	}
	failed, err := q.Rows(ctx, "b", 0, 10, data.StatusFailed, data.StatusDone)
	if diff := cmp.Diff(rows[:1], failed); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// It runs again, and somebody who read it before must not let it run once more.
	rows[0].Tries, rows[0].Status = 1, data.StatusDone
	if err := q.SaveRows(ctx, "b", rows[:1]); err != nil {
		t.Fatal(err)
	}
	if still, err := q.Rows(ctx, "b", 0, 10, data.StatusDone); err != nil || len(still) != 0 {
		t.Errorf("a row that had run meanwhile was changed to %+v, %v", still, err)
	}
	if err := q.DeleteBatch(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	all, err := q.Batches(ctx)
	if err != nil || len(all) != 1 || all[0].Name != "second" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestAuditOfSeveralWorkers(t *testing.T) {
	address := pgtest.Start(t)
	q := open(t, address)
	ctx := t.Context()
	chains := map[string][]sqlite.AuditEntry{}
	for i := range 6 {
		worker := []string{"one", "two"}[i%2]
		e := sqlite.AuditEntry{
			Seq: int64(i), Call: fmt.Sprint("call", i), Phase: sqlite.AuditIntent, Body: json.RawMessage(`{"a": 1}`),
			Time: time.Unix(100, 0).Add(-time.Duration(i) * time.Second).UTC(), // clocks may go back
		}
		if old := chains[worker]; len(old) > 0 {
			e.PrevHash = old[len(old)-1].Hash
		}
		e.Hash = e.Digest()
		chains[worker] = append(chains[worker], e)
	}
	for worker, entries := range chains {
		for range 2 { // sent again after a kill
			if err := q.AddAudit(ctx, worker, entries); err != nil {
				t.Fatal(err)
			}
		}
	}
	if seq, err := q.LastAudit(ctx, "two"); err != nil || seq != 5 {
		t.Error(seq, err)
	}
	counts, err := q.VerifyAudit(ctx)
	if diff := cmp.Diff(map[string]int{"one": 3, "two": 3}, counts); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `DELETE FROM sextant_audit WHERE worker = 'one' AND seq = 2`); err != nil {
		t.Fatal(err)
	}
	if _, err = q.VerifyAudit(ctx); !errors.Is(err, audit.ErrBroken) ||
		!strings.Contains(err.Error(), "entry 4 of the worker one") {
		t.Error(err)
	}
}

func TestQueueThatCannotBeOpened(t *testing.T) {
	for address, want := range map[string]string{
		"":                                    "one looks like postgres://user@host/database",
		"http://queue.example":                "one looks like postgres://user@host/database",
		"postgres://x:secret@127.0.0.1:1/db":  "opening the queue at 127.0.0.1:1",
		"postgres:///db?host=/nowhere&user=x": "opening the queue at /nowhere:5432",
	} {
		_, err := pgqueue.Open(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// BenchmarkClaim measures the claim of a row with a limit per host, and the end of the row, in batches of several
// sizes.
func BenchmarkClaim(b *testing.B) {
	for _, n := range []int{1_000, 5_000, 20_000} {
		b.Run(fmt.Sprint("rows=", n), func(b *testing.B) {
			q := open(b, pgtest.Start(b))
			add(b, q, data.Batch{ID: "b", PerHost: 4}, n, "a.example")
			for b.Loop() {
				_, r, ok, err := q.Claim(b.Context(), "b")
				if err != nil || !ok {
					b.Fatal(ok, err)
				}
				r.Status = data.StatusDone
				if _, err := q.UpdateRow(b.Context(), "b", r, data.StatusRunning); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAdd measures adding batches of several sizes.
func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1_000, 5_000, 20_000} {
		b.Run(fmt.Sprint("rows=", n), func(b *testing.B) {
			q := open(b, pgtest.Start(b))
			for i := 0; b.Loop(); i++ {
				add(b, q, data.Batch{ID: fmt.Sprint("b", i)}, n, "a.example", "b.example")
			}
		})
	}
}
