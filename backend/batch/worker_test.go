package batch_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/batch"
	"sextant/backend/store/pgqueue"
	"sextant/backend/store/pgqueue/pgtest"
	data "sextant/shared/batch"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// openShared opens the batches of a shared queue.
func (p *program) openShared(address string) *batch.Batches {
	p.t.Helper()
	queue, err := pgqueue.Open(p.t.Context(), address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = queue.Close() })
	b := p.openWith(queue)
	p.t.Cleanup(func() { _ = b.Close() })
	return b
}

// startWorker runs the rows of a queue until stop is called.
func (p *program) startWorker(b *batch.Batches, browsers int) (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := b.Work(ctx, browsers); err != nil {
			p.t.Error(err)
		}
	})
	return func() {
		cancel()
		wait.Wait()
	}
}

// ran returns how often the row of an item ran.
func (p *program) ran(item string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[item]
}

func TestWorkersRunTheRowsOfAQueue(t *testing.T) {
	address := pgtest.Start(t)
	adding, one, two := newProgram(t), newProgram(t), newProgram(t)
	// The workers do not have the recipe.
	for _, worker := range []*program{one, two} {
		if err := worker.recipes.Delete("order"); err != nil {
			t.Fatal(err)
		}
	}
	b := adding.openShared(address)
	items := make([]string, 30)
	for i := range items {
		items[i] = fmt.Sprint("item", i)
	}
	added := adding.add(b, batch.New{}, items...)
	stops := []func(){
		one.startWorker(one.openShared(address), 3), two.startWorker(two.openShared(address), 3),
	}
	rows := adding.await(b, added.ID, data.StateDone)
	for _, stop := range stops {
		stop()
	}
	if slices.ContainsFunc(rows, func(row string) bool { return !strings.HasSuffix(row, " done") }) {
		t.Errorf("%q", rows)
	}
	for _, item := range items {
		if n := one.runs[item] + two.runs[item]; n != 1 {
			t.Errorf("%s ran %d times", item, n)
		}
	}
	if one.most > 3 || two.most > 3 {
		t.Errorf("%d and %d browsers were in use", one.most, two.most)
	}
}

func TestStoppedBatchStopsItsWorkers(t *testing.T) {
	address := pgtest.Start(t)
	p := newProgram(t)
	p.work = func(ctx context.Context, item, run string) toolspec.Result {
		if item == "acts" {
			if err := p.cards.Use(run, toolspec.Card{Tools: []string{"click_element"}, Acts: 1}); err != nil {
				t.Error(err)
			}
		}
		<-ctx.Done()
		return failed("canceled", false)
	}
	b := p.openShared(address)
	added := p.add(b, batch.New{}, "reads", "acts", "waits")
	defer p.startWorker(b, 2)()
	for range 500 {
		if counts, err := b.Counts(t.Context(), added.ID); err == nil && counts[data.StatusRunning] == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	// Another program stops it.
	other := newProgram(t).openShared(address)
	if err := other.Stop(t.Context(), added.ID, "It was stopped."); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"reads queued",
		"acts unknown It was stopped. Its last step may have been done; look before you run it again.",
		"waits queued",
	}
	if diff := cmp.Diff(want, p.await(b, added.ID, data.StateStopped)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A worker that was cut off must not act on a row that another one has taken over.
func TestWorkerThatLostItsRow(t *testing.T) {
	address := pgtest.Start(t)
	slow, other := newProgram(t), newProgram(t)
	began, back, refused := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow.work = func(_ context.Context, _, run string) toolspec.Result {
		close(began)
		<-back
		refused <- slow.cards.Use(run, toolspec.Card{Tools: []string{"click_element"}, Acts: 1})
		return failed("canceled", false)
	}
	other.work = func(_ context.Context, _, run string) toolspec.Result {
		if err := other.cards.Use(run, toolspec.Card{Tools: []string{"click_element"}, Acts: 1}); err != nil {
			t.Error(err)
		}
		return toolspec.OK(recipe.Run{})
	}
	b := slow.openShared(address)
	added := slow.add(b, batch.New{}, "lamp")
	defer slow.startWorker(b, 1)()
	<-began
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer other.startWorker(other.openShared(address), 1)()
	// The slow worker renews its lease, so that it has to expire more than once.
	for other.ran("lamp") == 0 && t.Context().Err() == nil {
		_, err := db.ExecContext(t.Context(),
			`UPDATE sextant_batch_rows SET lease = now() - interval '1 s' WHERE status = 'running'`)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if rows := slow.await(b, added.ID, data.StateDone); len(rows) != 1 || rows[0] != "lamp done" {
		t.Errorf("%q", rows)
	}
	close(back)
	if err := <-refused; err == nil {
		t.Error("the worker that had lost the row was allowed to act")
	}
	rows, err := b.Rows(t.Context(), added.ID, 0, 9)
	if err != nil || rows[0].Status != data.StatusDone || slow.runs["lamp"] != 1 || other.runs["lamp"] != 1 {
		t.Errorf("%+v, %v", rows, err)
	}
}
