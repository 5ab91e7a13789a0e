package schedule

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// concurrent is how many runs may run at once.
const concurrent = 2

// queue hands runs to workers. Package river limits how many run at once and survives restarts; which runs there are is
// in the store. It runs only while there are runs, because its idle client writes to the disk every five seconds. Only
// the goroutine of the clock uses it.
type queue struct {
	db   *sql.DB
	log  *slog.Logger
	work func(ctx context.Context, run string)
	// client is nil before the first run.
	client  *river.Client[*sql.Tx]
	started bool
}

type job struct {
	Run string `json:"run"`
}

// Kind implements river.JobArgs.
func (job) Kind() string { return "scheduled_run" }

type worker struct {
	river.WorkerDefaults[job]
	work func(ctx context.Context, run string)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	w.work(ctx, j.Args.Run)
	return nil
}

// prepare creates the tables of the queue, and removes jobs of a process that has ended: the runs in the store say what
// is still to be done.
func (q *queue) prepare(ctx context.Context) error {
	log := slog.New(quietHandler{q.log.Handler()})
	driver := riversqlite.New(q.db)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: log})
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err == nil {
		_, err = q.db.ExecContext(ctx, `DELETE FROM river_job`)
	}
	if err != nil {
		return fmt.Errorf("preparing the job queue: %w", err)
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{work: q.work})
	q.client, err = river.NewClient(driver, &river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: concurrent}},
		// A run that failed may have had effects, so nothing is tried again.
		MaxAttempts: 1, JobTimeout: -1, Logger: log,
	})
	if err != nil {
		return fmt.Errorf("preparing the job queue: %w", err)
	}
	return nil
}

func (q *queue) add(ctx context.Context, run string) error {
	if q.client == nil {
		if err := q.prepare(ctx); err != nil {
			return err
		}
	}
	if !q.started {
		if err := q.client.Start(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("starting the job queue: %w", err)
		}
		q.started = true
	}
	if _, err := q.client.Insert(ctx, job{Run: run}, nil); err != nil {
		return fmt.Errorf("adding a run to the job queue: %w", err)
	}
	return nil
}

// rest stops the client until the next run is added.
func (q *queue) rest(ctx context.Context) error {
	if !q.started {
		return nil
	}
	if err := q.client.Stop(ctx); err != nil {
		return err
	}
	q.started = false
	return nil
}

// quietHandler drops the messages below a warning, which are about the queue itself.
type quietHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}
