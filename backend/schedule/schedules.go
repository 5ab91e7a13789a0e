// Package schedule runs tasks by themselves: recipes, prompts and tools, at times that a person sets.
//
// A person signs a permission card for each schedule. It lists what a run may use, and belongs to exactly the task that
// it was signed for. What is not on the card parks the run: it ends, the schedule pauses, and the person decides. A run
// never waits for an answer that nobody gives.
//
// Each time is claimed once, in the transaction that stores its run; times that were missed are stored as missed. A run
// begins once: one that was interrupted may have had effects, so it is shown and not repeated. Jobs are handed to
// workers by package river (decision 20).
package schedule

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones on systems without their own

	"sextant/backend/unattended"
	"sextant/shared/chat"
	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// Errors that callers distinguish. All of them can be read by a person.
var (
	ErrNotFound = errors.New("there is no such schedule")
	ErrUnsigned = errors.New("its permission card is not signed")
	ErrPaused   = errors.New("it is paused")
	ErrChanged  = errors.New("what it runs has changed since the card was shown")
)

// Store stores schedules and runs; *schedulestore.Store implements it.
type Store interface {
	Schedules(ctx context.Context) ([]schedule.Schedule, error)
	SaveSchedule(ctx context.Context, one schedule.Schedule) error
	DeleteSchedule(ctx context.Context, id string) error
	ClaimSlots(ctx context.Context, one schedule.Schedule, to time.Time, runs []schedule.Run) error
	AddRun(ctx context.Context, r schedule.Run) error
	UpdateRun(ctx context.Context, r schedule.Run, from schedule.Status) (bool, error)
	ScheduledRuns(ctx context.Context, id string, limit int) ([]schedule.Run, error)
	LastRun(ctx context.Context, id string, watched bool, statuses ...schedule.Status) (*schedule.Run, error)
	OpenRuns(ctx context.Context) ([]schedule.Run, error)
	Files(ctx context.Context, id string) (map[string]string, error)
	MarkFiles(ctx context.Context, id string, files map[string]string, runs ...schedule.Run) error
	ReplaceFiles(ctx context.Context, id string, files map[string]string) error
}

// Plan is what a task is at the moment.
type Plan struct {
	// Digest identifies everything that the task consists of.
	Digest string `json:"digest"`
	// Card is what a run needs, nil if only a watched run can show it.
	Card *toolspec.Card `json:"card,omitempty"`
	// Sentence says what runs.
	Sentence string `json:"sentence"`
}

// Outcome is how a task ended.
type Outcome struct {
	Status schedule.Status
	Reason string
	Text   string
	// Result is the part of Text that can be compared with that of another run.
	Result string
	Bill   chat.Bill
}

// Tasks runs tasks.
type Tasks interface {
	// Plan says what a task is. Its error can be read by a person.
	Plan(ctx context.Context, task schedule.Task) (Plan, error)
	// Run runs a task in a new conversation, which it reports as soon as it begins.
	Run(ctx context.Context, one schedule.Schedule, run schedule.Run, began func(conversation string)) Outcome
}

// Config configures Schedules.
type Config struct {
	Store Store
	// DB is a connection of its own to the database, for the job queue. Nil runs nothing: schedules can then only be
	// read and changed.
	DB    *sql.DB
	Tasks Tasks
	// Unattended keeps the calls of runs within their cards.
	Unattended *unattended.Runs
	// Changed is called after a change, with the run that began or ended, nil for none.
	Changed func(one schedule.Schedule, run *schedule.Run)
	Log     *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// TimeLimit limits a run; 0 means an hour.
	TimeLimit time.Duration
}

// Schedules is the schedules of a data folder. It is safe for concurrent use.
type Schedules struct {
	cfg   Config
	queue *queue
	wake  chan struct{}
	stop  context.CancelFunc
	wait  sync.WaitGroup

	mu     sync.Mutex
	all    []schedule.Schedule
	active map[string]*activeRun
	// adding is held while a run is added that depends on those that have not ended.
	adding sync.Mutex
	// queued contains the runs that were handed to the workers.
	queued  map[string]bool
	closed  bool
	closing chan struct{}
}

// Open reads the schedules and starts to run them. Runs that the last process did not end are stored as stopped.
func Open(ctx context.Context, cfg Config) (*Schedules, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.TimeLimit == 0 {
		cfg.TimeLimit = time.Hour
	}
	s := &Schedules{
		cfg: cfg, wake: make(chan struct{}, 1), active: map[string]*activeRun{},
		queued: map[string]bool{}, closing: make(chan struct{}),
	}
	var err error
	if s.all, err = cfg.Store.Schedules(ctx); err != nil {
		return nil, err
	}
	if cfg.DB == nil {
		s.stop = func() {}
		return s, nil
	}
	s.queue = &queue{db: cfg.DB, log: cfg.Log, work: s.work}
	again, err := s.closeInterrupted(ctx)
	if err != nil {
		return nil, err
	}
	clock, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.wait.Go(func() { s.runClock(clock, again) })
	s.wait.Go(func() { s.watchFolders(clock) })
	return s, nil
}

// Close stops the runs and waits for their ends.
func (s *Schedules) Close() error {
	s.mu.Lock()
	s.closed = true
	close(s.closing)
	for _, r := range s.active {
		r.cancel(errClosing)
	}
	s.mu.Unlock()
	s.stop()
	s.wait.Wait()
	if s.cfg.DB == nil {
		return nil
	}
	return s.cfg.DB.Close()
}

// closeInterrupted ends what the last process left running, and returns the runs that had not begun.
func (s *Schedules) closeInterrupted(ctx context.Context) (queued []schedule.Run, err error) {
	open, err := s.cfg.Store.OpenRuns(ctx)
	for _, r := range open {
		if r.Status == schedule.StatusQueued {
			queued = append(queued, r)
			continue
		}
		r.Status, r.Ended = schedule.StatusStopped, s.cfg.Now().UTC()
		r.Reason = "Sextant ended while it ran. Its last step may have been done; look before you run it again."
		if err := s.markOwn(ctx, r); err != nil {
			return nil, err
		}
		if _, err := s.cfg.Store.UpdateRun(ctx, r, schedule.StatusRunning); err != nil {
			return nil, err
		}
	}
	return queued, err
}

// Schedules returns all schedules, oldest first.
func (s *Schedules) Schedules() []schedule.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// Get returns a schedule, or ErrNotFound.
func (s *Schedules) Get(id string) (schedule.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.index(id); i >= 0 {
		return s.all[i], nil
	}
	return schedule.Schedule{}, ErrNotFound
}

// The caller must hold the lock.
func (s *Schedules) index(id string) int {
	return slices.IndexFunc(s.all, func(one schedule.Schedule) bool { return one.ID == id })
}

// Plan says what the task of a schedule is at the moment. Where it takes a new file, it is planned with the folder, so
// that the card lists the folder.
func (s *Schedules) Plan(ctx context.Context, one schedule.Schedule) (Plan, error) {
	if err := readableFolder(one.When); err != nil {
		return Plan{}, err
	}
	plan, err := s.cfg.Tasks.Plan(ctx, withFile(one.Task, one.When.Folder))
	if one.When.Folder != "" {
		if plan.Card != nil && slices.ContainsFunc(plan.Card.Commands, func(command string) bool {
			return strings.Contains(command, one.When.Folder)
		}) {
			return plan, errors.New("a command cannot take the file: each command line is allowed as it is")
		}
		plan.Sentence = strings.ReplaceAll(plan.Sentence, one.When.Folder, "the new file")
	}
	return plan, err
}

// Runs returns the newest limit runs of a schedule, newest first.
func (s *Schedules) Runs(ctx context.Context, id string, limit int) ([]schedule.Run, error) {
	return s.cfg.Store.ScheduledRuns(ctx, id, limit)
}

// LastRun returns the newest run of a schedule that has ended, or missed times, nil for none.
func (s *Schedules) LastRun(ctx context.Context, id string) (*schedule.Run, error) {
	return s.cfg.Store.LastRun(ctx, id, true, schedule.StatusDone, schedule.StatusFailed, schedule.StatusStopped,
		schedule.StatusParked, schedule.StatusMissed)
}

// OpenRuns returns the runs of all schedules that have not ended, oldest first.
func (s *Schedules) OpenRuns(ctx context.Context) ([]schedule.Run, error) {
	return s.cfg.Store.OpenRuns(ctx)
}

// Save stores a schedule: a new one if it has no ID. Its card stays signed if the task is the same; otherwise the
// schedule waits until the card is signed again. The error can be read by a person.
func (s *Schedules) Save(ctx context.Context, one schedule.Schedule) (schedule.Schedule, error) {
	one.Name = strings.TrimSpace(one.Name)
	if one.Name == "" {
		return one, errors.New("the schedule needs a name")
	}
	if folder, err := filepath.EvalSymlinks(one.When.Folder); err == nil && one.When.Folder != "" {
		one.When.Folder = folder // cards list real paths
	}
	plan, err := s.Plan(ctx, one)
	if err != nil {
		return one, err
	}
	if one.Missed.Do == "" {
		one.Missed.Do = schedule.MissedSkip
	}
	if one.Missed.Do == schedule.MissedAll && one.Missed.Limit == 0 {
		one.Missed.Limit = 10
	}
	old, _ := s.Get(one.ID) // a new one has no folder yet
	if one, err = s.save(ctx, one, plan); err != nil {
		return one, err
	}
	if one.When.Folder != old.When.Folder || one.When.Pattern != old.When.Pattern {
		return one, s.markPresent(ctx, one)
	}
	return one, nil
}

// save stores a schedule that has a plan.
func (s *Schedules) save(ctx context.Context, one schedule.Schedule, plan Plan) (schedule.Schedule, error) {
	now := s.cfg.Now().UTC().Truncate(time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(one.ID)
	switch {
	case one.ID == "":
		one.ID, one.Created = "s_"+strings.ToLower(rand.Text()), now
		one.Card, one.Digest, one.Paused, one.TokenHash = nil, "", "", ""
	case i < 0:
		return one, ErrNotFound
	default:
		old := s.all[i]
		one.Created, one.Card, one.Digest, one.Paused = old.Created, old.Card, old.Digest, old.Paused
		one.TokenHash = old.TokenHash
	}
	if one.Digest != plan.Digest {
		one.Card, one.Digest = nil, ""
	}
	if err := s.checkWhen(one); err != nil {
		return one, err
	}
	if i < 0 || one.Card == nil || one.When != s.all[i].When {
		one.LastSlot = now
	} else {
		one.LastSlot = s.all[i].LastSlot
	}
	return one, s.put(ctx, one)
}

// checkWhen returns an error that a person can read if a schedule would never run. The caller must hold the lock.
func (s *Schedules) checkWhen(one schedule.Schedule) error {
	t, err := newTimes(one.When, one.Created)
	if err != nil {
		return err
	}
	if one.When.Timed() {
		if t.next(s.cfg.Now()).IsZero() {
			return errors.New("that time never comes, or is over")
		}
		return nil
	}
	for after := one.When.After; after != ""; {
		i := s.index(after)
		switch {
		case i < 0:
			return errors.New("the schedule that it follows does not exist any more")
		case s.all[i].ID == one.ID:
			return errors.New("it would follow itself")
		}
		after = s.all[i].When.After
	}
	return nil
}

// put stores a schedule. The caller must hold the lock.
func (s *Schedules) put(ctx context.Context, one schedule.Schedule) error {
	if err := s.cfg.Store.SaveSchedule(ctx, one); err != nil {
		return err
	}
	if i := s.index(one.ID); i >= 0 {
		s.all[i] = one
	} else {
		s.all = append(s.all, one)
	}
	s.changed(one, nil)
	s.wakeClock()
	return nil
}

// change changes a stored schedule.
func (s *Schedules) change(ctx context.Context, id string, do func(*schedule.Schedule) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 {
		return ErrNotFound
	}
	one := s.all[i]
	if err := do(&one); err != nil {
		return err
	}
	return s.put(ctx, one)
}

// Sign signs the permission card of a schedule and lets it run. digest is that of the Plan that the person saw; if the
// task is another one by now, the error is ErrChanged.
func (s *Schedules) Sign(ctx context.Context, id, digest string, card toolspec.Card) error {
	one, err := s.Get(id)
	if err != nil {
		return err
	}
	plan, err := s.Plan(ctx, one)
	if err != nil {
		return err
	}
	if plan.Digest != digest {
		return ErrChanged
	}
	if card.Acts < 0 {
		return errors.New("the number of acts is negative")
	}
	return s.change(ctx, id, func(one *schedule.Schedule) error {
		if err := s.checkWhen(*one); err != nil {
			return err
		}
		if one.Card == nil || one.Paused != "" {
			one.LastSlot = s.cfg.Now().UTC().Truncate(time.Second)
		}
		one.Card, one.Digest, one.Paused = &card, digest, ""
		return nil
	})
}

// Pause pauses a schedule. A run that has begun goes on.
func (s *Schedules) Pause(ctx context.Context, id, why string) error {
	return s.change(ctx, id, func(one *schedule.Schedule) error {
		one.Paused = why
		return nil
	})
}

// Resume lets a paused schedule run again. The times since it was paused count as not missed.
func (s *Schedules) Resume(ctx context.Context, id string) error {
	return s.change(ctx, id, func(one *schedule.Schedule) error {
		if one.Card == nil {
			return ErrUnsigned
		}
		if err := s.checkWhen(*one); err != nil {
			return err
		}
		one.Paused, one.LastSlot = "", s.cfg.Now().UTC().Truncate(time.Second)
		return nil
	})
}

// Delete stops the runs of a schedule and deletes it.
func (s *Schedules) Delete(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 {
		return ErrNotFound
	}
	for _, r := range s.active {
		if r.run.Schedule == id {
			r.cancel(errStopped)
		}
	}
	if err := s.cfg.Store.DeleteSchedule(ctx, id); err != nil {
		return err
	}
	one := s.all[i]
	s.all = slices.Delete(s.all, i, i+1)
	s.changed(one, nil)
	return nil
}

// RunNow starts a run. A watched run asks the person as usual, and shows what a card would have to list; it needs no
// card. It returns the run.
func (s *Schedules) RunNow(ctx context.Context, id string, watched bool) (schedule.Run, error) {
	one, err := s.Get(id)
	if err != nil {
		return schedule.Run{}, err
	}
	if one.Card == nil && !watched {
		return schedule.Run{}, ErrUnsigned
	}
	r := s.newRun(one)
	r.Watched = watched
	if r.File, err = newestFile(one.When); err != nil {
		return schedule.Run{}, err
	}
	added, err := s.addUnlessOpen(ctx, id, func() error { return s.cfg.Store.AddRun(ctx, r) })
	if err == nil && !added {
		err = errors.New("it is running already")
	}
	if err != nil {
		return schedule.Run{}, err
	}
	s.wakeClock()
	return r, nil
}

// addUnlessOpen calls add unless a run of a schedule has not ended. It reports whether it did.
func (s *Schedules) addUnlessOpen(ctx context.Context, id string, add func() error) (bool, error) {
	s.adding.Lock()
	defer s.adding.Unlock()
	if open, err := s.isOpen(ctx, id); err != nil || open {
		return false, err
	}
	return true, add()
}

// isOpen reports whether a run of a schedule has not ended.
func (s *Schedules) isOpen(ctx context.Context, id string) (bool, error) {
	open, err := s.cfg.Store.OpenRuns(ctx)
	return slices.ContainsFunc(open, func(r schedule.Run) bool { return r.Schedule == id }), err
}

func (s *Schedules) newRun(one schedule.Schedule) schedule.Run {
	return schedule.Run{
		ID: "r_" + strings.ToLower(rand.Text()), Schedule: one.ID, Status: schedule.StatusQueued,
		Queued: s.cfg.Now().UTC(),
	}
}

func (s *Schedules) changed(one schedule.Schedule, run *schedule.Run) {
	if s.cfg.Changed != nil {
		s.cfg.Changed(one, run)
	}
}

func (s *Schedules) wakeClock() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Stop stops a run that waits or has begun and reports whether there was one.
func (s *Schedules) Stop(ctx context.Context, run string) (bool, error) {
	s.mu.Lock()
	r, ok := s.active[run]
	if ok {
		r.cancel(errStopped)
	}
	s.mu.Unlock()
	if ok {
		return true, nil
	}
	open, err := s.cfg.Store.OpenRuns(ctx)
	i := slices.IndexFunc(open, func(r schedule.Run) bool { return r.ID == run })
	if err != nil || i < 0 {
		return false, err
	}
	waits := open[i]
	waits.Status, waits.Reason, waits.Ended = schedule.StatusStopped, string(errStopped), s.cfg.Now().UTC()
	return s.cfg.Store.UpdateRun(ctx, waits, schedule.StatusQueued)
}

const (
	errClosing = unattended.EndError("Sextant was closed while it ran. Its last step may have been done.")
	errStopped = unattended.EndError("You stopped it.")
)

func limitError(limit time.Duration) error {
	return unattended.EndError(fmt.Sprintf("It took longer than %s and was stopped.", limit))
}
