// Package snapshot records the changes that commands make to the files of a folder, so that they can be shown and
// undone like changes of the file tools.
//
// It walks the folder before a command runs and when the command has ended, and compares. The first walk copies the
// contents; later walks read only files that may have changed. Changed contents become blobs, then rows of
// wire.FileChange are written, and only then the new state becomes the known one, so that after a kill, Recover finds
// the command's changes. An overlay file system would separate a command's writes from all others, but it is not
// available everywhere, and a kill loses the writes.
//
// A folder that exceeds the limits or takes too long to read is not watched, and Changes says so. Also not watched are
// .git folders, folders that programs fill and can create again, secret places, and paths that a rule forbids.
package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/store/blobs"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// The content of a file over maxFile is not stored.
const (
	defaultFiles = 20_000
	defaultBytes = 256 << 20
	defaultWait  = 10 * time.Second
	maxFile      = 16 << 20
	maxChanges   = 2_000
	maxFolders   = 4
	storeTimeout = 10 * time.Second
	// slowPause is the time for which a folder is not watched after a walk that took too long.
	slowPause = 10 * time.Minute
)

// Blobs stores contents. The id of a content is its SHA-256 in hexadecimal.
type Blobs interface {
	PutAll(n int, content func(i int) ([]byte, error)) ([]string, error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

// ChangeLog stores changes and running commands.
type ChangeLog interface {
	AddFileChanges(ctx context.Context, changes []wire.FileChange) error
	BeginCommand(ctx context.Context, c wire.Command) error
	EndCommand(ctx context.Context, call string) error
	RunningCommands(ctx context.Context) ([]wire.Command, error)
}

// Config configures a Watcher.
type Config struct {
	// Dir is the absolute path of the folder for stored contents. It is created when it is first needed.
	Dir       string
	Places    *protectedpaths.Classifier
	Blobs     Blobs
	ChangeLog ChangeLog
	// ForbiddenPaths returns the absolute paths that the person's rules deny to commands in a folder.
	ForbiddenPaths func(ctx context.Context, folder string) ([]string, error)
	// MaxFiles and MaxBytes limit a watched folder, WalkTimeout the time of a walk. Zero means 20,000 files, 256 MiB
	// and 10 seconds.
	MaxFiles    int
	MaxBytes    int64
	WalkTimeout time.Duration
	Logger      *slog.Logger
}

// Watcher records what commands change in folders. It is safe for concurrent use.
type Watcher struct {
	cfg     Config
	mu      sync.Mutex
	folders map[string]*folder
	runs    []*Run
}

// New returns a Watcher.
func New(cfg Config) *Watcher {
	if cfg.MaxFiles == 0 {
		cfg.MaxFiles = defaultFiles
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = defaultBytes
	}
	if cfg.WalkTimeout == 0 {
		cfg.WalkTimeout = defaultWait
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watcher{cfg: cfg, folders: map[string]*folder{}}
}

// Close closes open files. No command may be running.
func (w *Watcher) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var err error
	for _, f := range w.folders {
		err = errors.Join(err, f.pack.close())
	}
	w.folders = map[string]*folder{}
	return err
}

// path is the watched folder, dir the folder of its pack and index.
type folder struct {
	watcher *Watcher
	path    string
	dir     string

	mu   sync.Mutex
	pack pack
	// known is the state that the next walk is compared with, or nil; saved is the state on disk.
	known, saved index
	// skipped contains the relative paths that the last walk skipped as forbidden. forbiddenCopy is true if the pack
	// still contains a file of such a path.
	skipped       []string
	forbiddenCopy bool
	slow          time.Time
	running       []*Run
}

func (w *Watcher) at(path string) (*folder, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.folders[real]; f != nil {
		return f, nil
	}
	sum := sha256.Sum256([]byte(real))
	f := &folder{watcher: w, path: real, dir: filepath.Join(w.cfg.Dir, hex.EncodeToString(sum[:8]))}
	w.folders[real] = f
	return f, nil
}

// Changes contains the changes of a command.
type Changes struct {
	// Files contains the rows, sorted by path.
	Files []wire.FileChange
	// NotUndoableReason says why the changes cannot be undone, or is "".
	NotUndoableReason string
	// FilesChangedLater contains files that changed after the command had ended. UnwatchedPaths contains unwatched
	// paths that were created, removed or written to. Both contain relative paths.
	FilesChangedLater, UnwatchedPaths []string
}

// Run is a watched command. End must be called, by one goroutine at a time.
type Run struct {
	watcher *Watcher
	folder  *folder
	row     wire.Command
	done    Changes
	ended   time.Time
	note    string
	// stopped is closed when the command is stopped, settled when its changes are known.
	stopped <-chan struct{}
	settled chan struct{}
}

// Begin records the state of the folder before the command of call runs. The command must end when ctx is done. If the
// folder cannot be watched, the Changes of End say why.
func (w *Watcher) Begin(ctx context.Context, call toolspec.Call, path string) *Run {
	r := &Run{watcher: w, stopped: ctx.Done(), settled: make(chan struct{}), row: wire.Command{
		Call: call.ID, Tool: call.Tool, Turn: call.From.Turn, Conversation: call.From.Conversation,
		Owner: call.From.Owner(), Time: time.Now(),
	}}
	w.mu.Lock()
	w.runs = append(w.runs, r)
	w.mu.Unlock()
	f, err := w.at(path)
	if err == nil {
		r.row.Folder = f.path
		err = f.begin(ctx, r)
	}
	r.fail(w, err)
	return r
}

func (r *Run) fail(w *Watcher, err error) {
	var large *tooLarge
	switch {
	case err == nil || r.done.NotUndoableReason != "":
	case errors.As(err, &large), errors.Is(err, errSlow), errors.Is(err, errForbidden):
		r.done.NotUndoableReason = err.Error()
	default:
		w.cfg.Logger.Warn("the changes of a command are not watched", "folder", r.row.Folder, "err", err)
		r.done.NotUndoableReason = "the previous state of the workspace could not be stored: " + err.Error()
	}
}

func (f *folder) begin(ctx context.Context, r *Run) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.slow.IsZero() && time.Since(f.slow) < slowPause {
		return errSlow
	}
	if err := f.refresh(ctx); err != nil {
		return err
	}
	if err := f.save(); err != nil {
		return err
	}
	if err := f.watcher.cfg.ChangeLog.BeginCommand(ctx, r.row); err != nil {
		return err
	}
	r.folder = f
	f.running = append(f.running, r)
	return nil
}

func (f *folder) refresh(ctx context.Context) error {
	if err := f.open(); err != nil {
		return err
	}
	err := f.walk(ctx, nil)
	if err != nil || !f.forbiddenCopy || len(f.running) > 0 {
		return err
	}
	// The pack contains a copy of a path that is now forbidden, so everything is removed and the rest is read again.
	if err := errors.Join(f.forget(), f.open()); err != nil {
		return err
	}
	return f.walk(ctx, nil)
}

// End returns the changes of the command, even if ctx is done. A second call returns the same changes.
func (r *Run) End(ctx context.Context) Changes {
	if !r.ended.IsZero() {
		return r.done
	}
	r.ended = time.Now()
	defer func() {
		r.watcher.mu.Lock()
		defer r.watcher.mu.Unlock()
		r.watcher.runs = slices.DeleteFunc(r.watcher.runs, func(o *Run) bool { return o == r })
		close(r.settled)
	}()
	f := r.folder
	if f == nil {
		return r.done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.watcher.cfg.WalkTimeout+storeTimeout)
	defer cancel()
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.done.NotUndoableReason == "" {
		r.fail(f.watcher, f.walk(ctx, r))
	}
	f.running = slices.DeleteFunc(f.running, func(o *Run) bool { return o == r })
	if len(f.running) > 0 {
		r.fail(f.watcher, f.save())
	}
	r.fail(f.watcher, f.watcher.cfg.ChangeLog.EndCommand(ctx, r.row.Call))
	slices.SortStableFunc(r.done.Files, func(a, b wire.FileChange) int { return compareNames(a.Path, b.Path) })
	return r.done
}

// WaitSettled waits until the changes of the commands whose context is done are known. It returns early if ctx is done,
// and after a timeout.
func (w *Watcher) WaitSettled(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.WalkTimeout+storeTimeout)
	defer cancel()
	w.mu.Lock()
	runs := slices.Clone(w.runs)
	w.mu.Unlock()
	for _, r := range runs {
		select {
		case <-r.stopped:
		default:
			continue // the command still runs
		}
		select {
		case <-r.settled:
		case <-ctx.Done():
			return
		}
	}
}

// Recover records the changes of commands that were running when Sextant ended. Call it before the first Begin.
func (w *Watcher) Recover(ctx context.Context) error {
	open, err := w.cfg.ChangeLog.RunningCommands(ctx)
	for _, c := range open {
		if err != nil {
			break
		}
		if found := w.recover(ctx, c); found != nil {
			w.cfg.Logger.Warn("the changes of an interrupted command are not known", "folder", c.Folder, "err", found)
		}
		err = w.cfg.ChangeLog.EndCommand(ctx, c.Call)
	}
	return err
}

const interruptedNote = "Sextant ended while the command ran; changes until the next start are included"

func (w *Watcher) recover(ctx context.Context, c wire.Command) error {
	f, err := w.at(c.Folder)
	if err != nil {
		return err
	}
	if f.path != c.Folder {
		return fmt.Errorf("%s is a link to %s now", c.Folder, f.path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := os.Stat(filepath.Join(f.dir, indexName)); err != nil {
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	r := &Run{folder: f, row: c, note: interruptedNote}
	f.running = []*Run{r}
	err = f.walk(ctx, r)
	f.running = nil
	if err == nil {
		err = f.save()
	}
	return err
}
