// Package snapshot knows what commands did to the files of a folder, so that it can be shown and
// taken back like what tools for files do.
//
// A command writes as it likes, so what it changed is found by comparing: before it runs the
// folder is walked and what its files hold is put by, and when it ended the folder is walked
// again. The first walk copies all; after it only what differs from the last walk by size, times,
// inode or mode is read. Of what is different afterwards the contents become blobs and rows of
// wire.FileChange, in this order, and only then the newer state is the one to compare with: a
// process that is killed at any point finds by Recover what the command did until then.
//
// A file system layered over the folder would tell a command's own writes from all others, but
// is not to be had everywhere (older bubblewrap, machines without user namespaces), hides what a
// command writes until it ended, and a kill would lose it. So what somebody else changes while a
// command runs is told apart only as far as it can be: tools of ours hold (Keeper.Hold), other
// commands run at the same time and are named in the row's note, and what changed after the end
// of the command is not its own.
//
// It is bounded: of a folder over the bounds below, or one that takes too long to read, nothing is
// watched, and the answer says so. Not watched are git's own folder, which has its own way back,
// folders that programs fill and make again (node_modules, caches), and secret places and what
// rules of the person forbid, which commands do not see: of these nothing is read, and a copy from
// before a rule is thrown away. Links are never followed; of pipes, sockets and devices it is known
// only that they are there.
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

	"sextant/backend/guard/places"
	"sextant/backend/record/blobs"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds of what is watched. A larger file is watched, but what it held is not kept.
const (
	DefaultFiles = 20_000
	DefaultBytes = 256 << 20
	DefaultWait  = 10 * time.Second
	maxFile      = 16 << 20
	maxChanges   = 2_000
	maxFolders   = 4
	// keepWait bounds how long rows wait to be stored, and a question about a command that is being stopped.
	keepWait = 10 * time.Second
	// slowFor is how long nothing is watched of a folder that took longer than that.
	slowFor = 10 * time.Minute
)

// Blobs keeps contents; *blobs.Store is one.
type Blobs interface {
	PutAll(n int, content func(i int) ([]byte, error)) ([]string, error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

// Log keeps what was changed and what runs; *store.Store is one.
type Log interface {
	AddFileChanges(ctx context.Context, changes []wire.FileChange) error
	BeginCommand(ctx context.Context, c wire.Command) error
	EndCommand(ctx context.Context, call string) error
	Commands(ctx context.Context) ([]wire.Command, error)
}

// Config is what a Keeper stands on.
type Config struct {
	// Dir is where contents are put by, absolute; it is made when it is first needed.
	Dir    string
	Places *places.Places
	Blobs  Blobs
	Log    Log
	// Forbidden are the absolute paths that rules of the person keep from commands in a folder, its links
	// followed; it is asked for every walk, and they are not read. nil knows none.
	Forbidden func(ctx context.Context, folder string) ([]string, error)
	// Files and Bytes bound what is watched and Wait how long a walk may take; 0 takes DefaultFiles,
	// DefaultBytes and DefaultWait.
	Files  int
	Bytes  int64
	Wait   time.Duration
	Logger *slog.Logger
}

// Keeper watches folders for commands. Make it with New; safe for concurrent use.
type Keeper struct {
	cfg     Config
	mu      sync.Mutex
	folders map[string]*folder
	runs    []*Run
}

// New makes a Keeper; nothing is read before a command begins.
func New(cfg Config) *Keeper {
	if cfg.Files == 0 {
		cfg.Files = DefaultFiles
	}
	if cfg.Bytes == 0 {
		cfg.Bytes = DefaultBytes
	}
	if cfg.Wait == 0 {
		cfg.Wait = DefaultWait
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Keeper{cfg: cfg, folders: map[string]*folder{}}
}

// Close lets go of what is open. No command may run any more.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	for _, f := range k.folders {
		err = errors.Join(err, f.pack.close())
	}
	k.folders = map[string]*folder{}
	return err
}

// folder is one that is watched.
type folder struct {
	k    *Keeper
	path string
	dir  string

	mu   sync.Mutex
	pack pack
	// known is the state that the next walk is compared with, saved the one on disk.
	known, saved index
	// passed is what the last walk passed by as forbidden, by paths from the folder; barredCopy says
	// that the pack still holds something of such a place.
	passed     []string
	barredCopy bool
	// slow is when a walk took too long last.
	slow    time.Time
	running []*Run
}

// at is the folder with its links followed.
func (k *Keeper) at(path string) (*folder, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.folders[real]; f != nil {
		return f, nil
	}
	sum := sha256.Sum256([]byte(real))
	f := &folder{k: k, path: real, dir: filepath.Join(k.cfg.Dir, hex.EncodeToString(sum[:8]))}
	k.folders[real] = f
	return f, nil
}

// Changes is what came of a command.
type Changes struct {
	// Files are the rows, in order of their paths.
	Files []wire.FileChange
	// Why says why changes cannot be undone, "" when they can: "the workspace is larger than …".
	Why string
	// Others changed after the command had ended, so that it was not the command; Unwatched were
	// made, removed or written to and are not watched. Both are paths from the folder.
	Others, Unwatched []string
}

// Run is one command that is watched. End must be called, and not by two at once.
type Run struct {
	k     *Keeper
	f     *folder
	row   wire.Command
	done  Changes
	ended time.Time
	note  string
	// stopped is closed when the command is to end, over when what it did is known.
	stopped <-chan struct{}
	over    chan struct{}
}

// Begin notes what the folder holds before the command of call runs, which ends by itself or because
// ctx does. It fails never: what stands in the way is in the Changes of End.
func (k *Keeper) Begin(ctx context.Context, call toolspec.Call, path string) *Run {
	r := &Run{k: k, stopped: ctx.Done(), over: make(chan struct{}), row: wire.Command{
		Call: call.ID, Tool: call.Tool, Turn: call.From.Turn, Conversation: call.From.Conversation, Owner: call.From.Owner(), Time: time.Now(),
	}}
	k.mu.Lock()
	k.runs = append(k.runs, r)
	k.mu.Unlock()
	f, err := k.at(path)
	if err == nil {
		r.row.Folder = f.path
		err = f.begin(ctx, r)
	}
	r.fail(k, err)
	return r
}

// fail keeps the reason why a run's changes cannot be undone.
func (r *Run) fail(k *Keeper, err error) {
	var large *tooLarge
	switch {
	case err == nil || r.done.Why != "":
	case errors.As(err, &large), errors.Is(err, errSlow), errors.Is(err, errBarred):
		r.done.Why = err.Error()
	default:
		k.cfg.Logger.Warn("what a command changes is not watched", "folder", r.row.Folder, "err", err)
		r.done.Why = "what the workspace held before could not be kept: " + err.Error()
	}
}

func (f *folder) begin(ctx context.Context, r *Run) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.slow.IsZero() && time.Since(f.slow) < slowFor {
		return errSlow
	}
	if err := f.ready(ctx); err != nil {
		return err
	}
	if err := f.save(); err != nil {
		return err
	}
	if err := f.k.cfg.Log.BeginCommand(ctx, r.row); err != nil {
		return err
	}
	r.f = f
	f.running = append(f.running, r)
	return nil
}

// ready knows what the folder holds now.
func (f *folder) ready(ctx context.Context) error {
	if err := f.open(); err != nil {
		return err
	}
	err := f.walk(ctx, nil)
	if err != nil || !f.barredCopy || len(f.running) > 0 {
		return err
	}
	// Here is a copy of what a rule came to forbid: all goes, and the rest is read again.
	if err := errors.Join(f.forget(), f.open()); err != nil {
		return err
	}
	return f.walk(ctx, nil)
}

// End notes what is different now that the command ended, whatever became of ctx. Again it only says so
// again.
func (r *Run) End(ctx context.Context) Changes {
	if !r.ended.IsZero() {
		return r.done
	}
	r.ended = time.Now()
	defer func() {
		r.k.mu.Lock()
		defer r.k.mu.Unlock()
		r.k.runs = slices.DeleteFunc(r.k.runs, func(o *Run) bool { return o == r })
		close(r.over)
	}()
	f := r.f
	if f == nil {
		return r.done
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.k.cfg.Wait+keepWait)
	defer cancel()
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.done.Why == "" {
		r.fail(f.k, f.walk(ctx, r))
	}
	f.running = slices.DeleteFunc(f.running, func(o *Run) bool { return o == r })
	if len(f.running) > 0 {
		r.fail(f.k, f.save())
	}
	r.fail(f.k, f.k.cfg.Log.EndCommand(ctx, r.row.Call))
	slices.SortStableFunc(r.done.Files, func(a, b wire.FileChange) int { return compareNames(a.Path, b.Path) })
	return r.done
}

// Settled waits until of every command that was stopped before is known what it did: the answer to the
// stop does not wait for that. ctx ends the wait, and so does time.
func (k *Keeper) Settled(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.cfg.Wait+keepWait)
	defer cancel()
	k.mu.Lock()
	runs := slices.Clone(k.runs)
	k.mu.Unlock()
	for _, r := range runs {
		select {
		case <-r.stopped:
		default:
			continue // it runs
		}
		select {
		case <-r.over:
		case <-ctx.Done():
			return
		}
	}
}

// Recover finds what commands did that ran when Sextant ended, before any other begins.
func (k *Keeper) Recover(ctx context.Context) error {
	open, err := k.cfg.Log.Commands(ctx)
	for _, c := range open {
		if err != nil {
			break
		}
		if found := k.recover(ctx, c); found != nil {
			k.cfg.Logger.Warn("what an interrupted command changed is not known", "folder", c.Folder, "err", found)
		}
		err = k.cfg.Log.EndCommand(ctx, c.Call)
	}
	return err
}

// interrupted is the note of what an interrupted command did.
const interrupted = "Sextant ended while the command ran; what else happened until the next start is in it too"

func (k *Keeper) recover(ctx context.Context, c wire.Command) error {
	f, err := k.at(c.Folder)
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
	r := &Run{f: f, row: c, note: interrupted}
	f.running = []*Run{r}
	err = f.walk(ctx, r)
	f.running = nil
	if err == nil {
		err = f.save()
	}
	return err
}
