// Package space knows whether there is room on the disk of the data folder.
//
// The contract: who failed to write tells Failed, and from then on State says "full" until a write
// was tried and succeeded, which is tried every few seconds, no more. That there is little room is
// told before anything fails. Changed hears of every change of the level, in order. Nothing here
// is stored: where nothing can be, it must work all the same.
//
// It is not what keeps anything: a write that fails is its writer's to answer for.
package space

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

// ErrFull is what a write comes to that found no room.
var ErrFull = errors.New("the disk is full")

// IsFull reports whether err says that there was no room, whoever says it.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || fullHere(err)
}

// Bounds in bytes: less than Low is told as little, and it is no longer from enough on; with less
// than least nothing is expected to succeed.
const (
	Low    = 200 << 20
	enough = 220 << 20
	least  = 256 << 10
	// trial is how much a trial writes.
	trial = 64 << 10
)

// Config is what a Watch looks at.
type Config struct {
	// Folder is on the disk that is meant.
	Folder string
	// Try writes something where it matters; nil tries a file alone.
	Try func(ctx context.Context) error
	// Changed is told every new state, from one goroutine.
	Changed func(event.Disk)
	// Often is how long is waited between two trials while the disk is full, Seldom between two
	// looks otherwise; 0 means 2 s and 20 s.
	Often, Seldom time.Duration
	// Free tells the bytes that are left; nil asks the system.
	Free func(folder string) (int64, error)
}

// Watch looks at one disk. Its methods may be called concurrently.
type Watch struct {
	cfg  Config
	stop context.CancelFunc
	done sync.WaitGroup
	wake chan struct{}

	mu    sync.Mutex
	state event.Disk
}

// New begins to watch. Close ends it.
func New(cfg Config) *Watch {
	if cfg.Often <= 0 {
		cfg.Often = 2 * time.Second
	}
	if cfg.Seldom <= 0 {
		cfg.Seldom = 20 * time.Second
	}
	if cfg.Free == nil {
		cfg.Free = free
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Watch{cfg: cfg, stop: stop, wake: make(chan struct{}, 1), state: event.Disk{Folder: cfg.Folder}}
	w.look(ctx)
	w.done.Go(func() { w.watch(ctx) })
	return w
}

// Close ends the watch.
func (w *Watch) Close() {
	w.stop()
	w.done.Wait()
}

// State is how it stands now.
func (w *Watch) State() event.Disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Failed hears that a write failed, and whether for want of room is judged here.
func (w *Watch) Failed(err error) {
	if !IsFull(err) {
		return
	}
	w.mu.Lock()
	told := w.state.Level == event.DiskFull
	w.state.Level = event.DiskFull
	w.mu.Unlock()
	if !told {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func (w *Watch) watch(ctx context.Context) {
	heard := event.Disk{}
	for {
		now := w.State()
		if now.Level != heard.Level || now.Level == event.DiskFull && now.Free != heard.Free {
			heard = now
			if w.cfg.Changed != nil {
				w.cfg.Changed(now)
			}
		}
		pause := w.cfg.Seldom
		if now.Level == event.DiskFull {
			pause = w.cfg.Often
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
			w.look(ctx)
		}
	}
}

// measure only reads how much is left.
func (w *Watch) measure() {
	if left, err := w.cfg.Free(w.cfg.Folder); err == nil {
		w.mu.Lock()
		w.state.Free = left
		w.mu.Unlock()
	}
}

// look finds out how it stands; a disk that was full has to take a write first.
func (w *Watch) look(ctx context.Context) {
	left, err := w.cfg.Free(w.cfg.Folder)
	if err != nil {
		return // a folder that cannot be looked at says nothing of its disk
	}
	was := w.State().Level
	level := event.DiskEnough
	switch {
	case left < least, was == event.DiskFull && w.try(ctx) != nil:
		level = event.DiskFull
	case left < Low, left < enough && was == event.DiskLow:
		level = event.DiskLow
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Free = left
	if was == event.DiskFull || w.state.Level != event.DiskFull { // a failure meanwhile counts more
		w.state.Level = level
	}
}

// try writes a little and takes it back.
func (w *Watch) try(ctx context.Context) error {
	f, err := os.CreateTemp(w.cfg.Folder, ".room-*")
	if err != nil {
		return fmt.Errorf("trying the disk: %w", err)
	}
	_, err = f.Write(make([]byte, trial))
	if err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("trying the disk: %w", err)
	}
	if w.cfg.Try == nil {
		return nil
	}
	return w.cfg.Try(ctx)
}
