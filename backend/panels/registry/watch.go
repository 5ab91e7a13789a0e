package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"sextant/backend/panels/manifest"
)

const (
	// settleDelay is how long the folders must be unchanged before they are read. maxDelay limits the total delay
	// during continuous changes.
	settleDelay = 120 * time.Millisecond
	maxDelay    = 600 * time.Millisecond
	// rescan is the interval of scans that find what the watcher misses because of full queues or network file systems.
	rescan          = 2 * time.Second
	unwatchedRescan = time.Second
)

// Start reads the panels and watches their folders until Close or the end of ctx. It must be called once. It returns an
// error if a built-in panel is invalid, or if the stores of accepted manifests and pinned panels cannot be read.
func (r *Registry) Start(ctx context.Context) error {
	if err := r.loadBuiltin(); err != nil {
		return err
	}
	if folder := r.Folder(); folder != "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			r.log.Warn("making panels folder", "folder", folder, "err", err)
		}
	}
	if err := r.loadAccepted(ctx); err != nil {
		return fmt.Errorf("reading which panels were accepted: %w", err)
	}
	r.ReadNow(ctx)
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	r.cancel = cancel
	r.mu.Unlock()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		r.logUnwatched(err)
		watcher = nil
	}
	r.done.Go(func() { r.watch(ctx, watcher) })
	return nil
}

func (r *Registry) loadBuiltin() error {
	if r.cfg.Builtin == nil {
		return nil
	}
	list, err := fs.ReadDir(r.cfg.Builtin, ".")
	if err != nil {
		return fmt.Errorf("reading built-in panels: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range list {
		if !d.IsDir() {
			continue
		}
		text, err := fs.ReadFile(r.cfg.Builtin, d.Name()+"/"+manifest.FileName)
		if err != nil {
			return fmt.Errorf("reading built-in panel %s: %w", d.Name(), err)
		}
		found := manifest.Parse(text, d.Name(), true)
		if len(found.Problems) > 0 {
			return fmt.Errorf("built-in panel %s: %s", d.Name(), found.Problems[0])
		}
		e := newEntry(d.Name(), "")
		e.builtin = true
		r.entries[e.id] = e
		r.apply(e, text, found)
	}
	return nil
}

func (r *Registry) watch(ctx context.Context, watcher *fsnotify.Watcher) {
	var events chan fsnotify.Event
	var faults chan error
	if watcher != nil {
		defer watcher.Close()
		events, faults = watcher.Events, watcher.Errors
	}
	slow := time.NewTicker(r.cfg.rescan)
	defer slow.Stop()
	soon := time.NewTimer(0)
	defer soon.Stop()
	var first time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-faults:
			// A full queue loses events, so scan everything.
			r.log.Debug("watching panels folders", "err", err)
			soon.Reset(settleDelay)
		case <-events:
			if first.IsZero() {
				first = time.Now()
			}
			soon.Reset(max(0, min(settleDelay, maxDelay-time.Since(first))))
		case <-slow.C:
			r.scanAndPublish(ctx, watcher, soon)
		case <-soon.C:
			first = time.Time{}
			r.scanAndPublish(ctx, watcher, soon)
		}
		if r.unwatched && r.cfg.rescan > unwatchedRescan {
			slow.Reset(unwatchedRescan)
			r.cfg.rescan = unwatchedRescan
		}
	}
}

func (r *Registry) logUnwatched(err error) {
	if r.unwatched {
		return
	}
	r.unwatched = true
	hint := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		hint = "the system's limit of watches is reached; raise fs.inotify.max_user_watches or max_user_instances"
	}
	r.log.Warn("some panels folders cannot be watched; they are read every second instead", "err", err, "hint", hint)
}

func (r *Registry) scanAndPublish(ctx context.Context, watcher *fsnotify.Watcher, soon *time.Timer) {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	// Watch first, then read: a change in between is found twice, but never missed.
	r.updateWatches(watcher)
	again := r.scan(true)
	if r.updateWatches(watcher) {
		// A new folder may have changed before it was watched.
		again = settleDelay
	}
	r.publish()
	r.saveOrLog(ctx)
	if again > 0 {
		soon.Reset(again)
	}
}

// updateWatches reports whether it watches a new folder.
func (r *Registry) updateWatches(watcher *fsnotify.Watcher) (more bool) {
	if watcher == nil {
		return false
	}
	wanted := slices.Clone(r.roots)
	for _, root := range r.roots {
		names, err := folders(root)
		if err != nil {
			continue
		}
		for _, id := range names {
			dir := (&entry{root: root, id: id}).dir()
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				wanted = append(wanted, dir)
			}
		}
	}
	have := watcher.WatchList()
	for _, dir := range wanted {
		if !slices.Contains(have, dir) {
			// The next rescan finds a folder that does not exist yet.
			err := watcher.Add(dir)
			more = more || err == nil
			if err != nil && !os.IsNotExist(err) {
				r.logUnwatched(err)
			}
		}
	}
	for _, dir := range have {
		if !slices.Contains(wanted, dir) {
			_ = watcher.Remove(dir)
		}
	}
	return more
}
