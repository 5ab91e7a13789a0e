// Package diskspace watches whether the data folder can be written: the free space on its disk, and whether it is still
// the folder that was opened. If a write fails for lack of space, the writer calls ReportFailure. Then the level of
// State is "full" until a trial write, repeated every few seconds, succeeds. Free space below LowBytes is reported as
// low. The level is "gone" as long as the folder is not there or another one is in its place.
//
// It does not retry failed writes; package pending does.
package diskspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"sextant/shared/event"
)

// ErrFull means that a write failed for lack of disk space.
var ErrFull = errors.New("the disk is full")

// ErrGone means that a write was refused because the data folder was deleted, moved or replaced. Like on a full disk,
// nothing can be stored until it is back, so IsFull is true for it.
var ErrGone = errors.New("the data folder was deleted, moved or replaced")

// Explain returns what keeps err's write from being stored and what that leaves, and what helps.
func Explain(err error) (reason, advice string) {
	if errors.Is(err, ErrGone) {
		return "The data folder was deleted, moved or replaced.",
			"Put the folder back; Sextant then saves what is waiting. If it is lost, export what you need before you " +
				"quit."
	}
	return "The disk is full. What was saved before is safe.", "Free space on the disk of the data folder."
}

// IsFull reports whether err, from any package, means that nothing can be stored now: the disk is full, or ErrGone.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrGone) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EDQUOT)
}

// Limits of the free space in bytes. Space counts as low below LowBytes until there is enough. Below minimum no write
// is expected to succeed.
const (
	LowBytes  = 200 << 20
	enough    = 220 << 20
	minimum   = 256 << 10
	trialSize = 64 << 10
)

// Config configures a Watcher.
type Config struct {
	// Folder is a folder on the disk to watch.
	Folder string
	// Gone reports whether the data folder is no longer the one that was opened; nil is never.
	Gone func() bool
	// TryWrite makes a trial write to the database. If it is nil, only a file is written.
	TryWrite func(ctx context.Context) error
	// OnChange is called when the level has changed and, on a full disk, when the free space has. All calls come from
	// one goroutine.
	OnChange func(event.Disk)
	// FullInterval is the time between checks while the disk is full, Interval at other times; 0 means 2 s and 1 s.
	FullInterval, Interval time.Duration
	// FreeBytes returns the number of free bytes; nil asks the system.
	FreeBytes func(folder string) (int64, error)
}

// Watcher watches one disk. It is safe for concurrent use.
type Watcher struct {
	cfg  Config
	stop context.CancelFunc
	done sync.WaitGroup
	wake chan struct{}

	mu    sync.Mutex
	state event.Disk
}

// New starts a Watcher. The caller must call Close to stop it.
func New(cfg Config) *Watcher {
	if cfg.FullInterval <= 0 {
		cfg.FullInterval = 2 * time.Second
	}
	if cfg.Interval <= 0 {
		cfg.Interval = time.Second
	}
	if cfg.Gone == nil {
		cfg.Gone = func() bool { return false }
	}
	if cfg.FreeBytes == nil {
		cfg.FreeBytes = freeBytes
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Watcher{cfg: cfg, stop: stop, wake: make(chan struct{}, 1)}
	w.state = event.Disk{Folder: cfg.Folder, Level: event.DiskEnough}
	w.check(ctx)
	w.done.Go(func() { w.watch(ctx) })
	return w
}

// Close stops the watch.
func (w *Watcher) Close() {
	w.stop()
	w.done.Wait()
}

// State returns the current state.
func (w *Watcher) State() event.Disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// ReportFailure reports that a write failed with err. If err means that nothing can be stored, State says so at once.
func (w *Watcher) ReportFailure(err error) {
	level := event.DiskFull
	switch {
	case !IsFull(err):
		return
	case errors.Is(err, ErrGone):
		level = event.DiskGone
	}
	w.mu.Lock()
	known := w.state.Level == level
	w.state.Level = level
	w.mu.Unlock()
	if !known {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *Watcher) watch(ctx context.Context) {
	reported := event.Disk{}
	for {
		now := w.State()
		if now.Level != reported.Level || now.Level == event.DiskFull && now.Free != reported.Free {
			reported = now
			if w.cfg.OnChange != nil {
				w.cfg.OnChange(now)
			}
		}
		pause := w.cfg.Interval
		if now.Level == event.DiskFull {
			pause = w.cfg.FullInterval
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-w.wake:
			timer.Stop()
			w.measure()
		case <-timer.C:
			w.check(ctx)
		}
	}
}

func (w *Watcher) measure() {
	if left, err := w.cfg.FreeBytes(w.cfg.Folder); err == nil {
		w.mu.Lock()
		w.state.Free = left
		w.mu.Unlock()
	}
}

// check updates the state. A full disk stays full until a trial write succeeds.
func (w *Watcher) check(ctx context.Context) {
	if w.cfg.Gone() {
		w.mu.Lock()
		w.state.Level = event.DiskGone
		w.mu.Unlock()
		return
	}
	left, err := w.cfg.FreeBytes(w.cfg.Folder)
	if err != nil {
		return // the state of the disk is unknown
	}
	was := w.State().Level
	level := event.DiskEnough
	switch {
	case left < minimum, was == event.DiskFull && w.try(ctx) != nil:
		level = event.DiskFull
	case left < LowBytes, left < enough && was == event.DiskLow:
		level = event.DiskLow
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Free = left
	if was == event.DiskFull || w.state.Level != event.DiskFull { // a failure in the meantime takes precedence
		w.state.Level = level
	}
}

func (w *Watcher) try(ctx context.Context) error {
	f, err := os.CreateTemp(w.cfg.Folder, ".room-*")
	if err != nil {
		return fmt.Errorf("trying the disk: %w", err)
	}
	_, err = f.Write(make([]byte, trialSize))
	if err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("trying the disk: %w", err)
	}
	if w.cfg.TryWrite == nil {
		return nil
	}
	return w.cfg.TryWrite(ctx)
}
