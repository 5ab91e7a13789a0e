// Package process runs the program that answers the endpoints of a panel. A call starts the program, in the sandbox if
// there is one, with the rights that its manifest was granted. After a crash, a later call starts it again, with
// increasing pauses between starts. It is stopped after some time without calls.
//
// Requests go to the program over HTTP on a loopback port, as lines of JSON on its standard input and output, or over
// MCP. Answers are untrusted; the caller must limit the size of an HTTP body.
//
// The pipeline decides whether a program may start. This package describes what would run and what it may access.
package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/sandbox/procgroup"
)

const (
	tokenHeader = "X-Sextant-Token"
	maxAnswer   = 5 << 20
	// startLimit is the maximum time until a started program answers. The handshake with an MCP server is extra.
	startLimit  = 15 * time.Second
	healthPause = 50 * time.Millisecond
	stopGrace   = 2 * time.Second
	// stableAfter is the run time after which the next failure counts as the first one.
	stableAfter = 30 * time.Second
	maxBackOff  = time.Minute
	// exitWait is how long to wait for the exit status that explains a broken connection.
	exitWait = 2 * time.Second
	// maxBackOffWait is the longest pause before a start for which a call waits instead of failing.
	maxBackOffWait = 3 * time.Second
	// defaultIdle is how long a program runs without a call if its manifest does not say.
	defaultIdle = 5 * time.Minute
)

// ErrRemoved reports that the Runner was closed, because the panel was removed or its program replaced.
var ErrRemoved = errors.New("was removed")

// Config is the configuration that the programs of all panels share.
type Config struct {
	// Confine is the sandbox. If it is nil, programs run unconfined and the user is asked before every start.
	Confine *confine.Sandbox
	// Egress gives programs access to the hosts that they were granted. If it is nil, programs in the whole sandbox
	// have no network access.
	Egress *egress.Guard
	// Data is the folder that contains one writable folder for each program.
	Data string
	// Home is the user's home folder, "" if unknown. Places knows the paths that no program may access or write.
	Home   string
	Places *protectedpaths.Classifier
	// ForbiddenPaths returns the paths that the user's rules forbid to panels' programs. It must not be nil with
	// Confine.
	ForbiddenPaths func(ctx context.Context) ([]string, error)
	// MemoryLimit is the memory limit of each process in bytes; 0 means 2 GB.
	MemoryLimit uint64
	Log         *slog.Logger
}

// Panel describes the panel that owns a program. Dir is the absolute path of its folder.
type Panel struct {
	ID, Title, Dir string
	Backend        manifest.Backend
	Permissions    manifest.Permissions
	// Settings returns the panel's settings as a JSON object. It is nil if the panel has none.
	Settings func() (string, error)
}

// Runner starts and stops the program of one panel. It is safe for concurrent use.
type Runner struct {
	cfg   Config
	panel Panel
	log   *procgroup.Tail
	tasks sync.WaitGroup

	// starting is held during a start. It is a channel, so that a waiting call can be canceled.
	starting chan struct{}

	mu       sync.Mutex
	up       *running
	users    int
	idle     *time.Timer
	failures int
	notUntil time.Time
	lastExit string
	ended    bool
	stop     chan struct{}
}

type running struct {
	program
	since  time.Time
	port   int
	token  string
	client *http.Client
	// lines is set instead of client for a program that uses lines of JSON, and server for an MCP server.
	lines  *lines
	server *server
}

// New returns the Runner of a panel. It does not start the program.
func New(cfg Config, panel Panel) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{
		cfg: cfg, panel: panel, log: &procgroup.Tail{}, starting: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
}

// CommandLine returns the command as it would be typed in a shell.
func (r *Runner) CommandLine() string {
	return procgroup.CommandLine(r.panel.Backend.Command, r.panel.Backend.Args)
}

// Access describes what the program may access besides its own folders, "" for nothing.
func (r *Runner) Access() string {
	return accessText(r.panel.Permissions, r.cfg.grants(r.panel.Permissions.FS))
}

// Identity returns a text of what an approval covers: the command line, the folder and Access.
func (r *Runner) Identity() string { return r.CommandLine() + "\n" + r.panel.Dir + "\n" + r.Access() }

// Dir returns the absolute path of the panel's folder.
func (r *Runner) Dir() string { return r.panel.Dir }

// Output returns the end of the program's output, without its messages to Sextant.
func (r *Runner) Output() string { return r.log.String() }

// IsRunning reports whether the program is running and has answered.
func (r *Runner) IsRunning() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up != nil && !hasEnded(r.up)
}

func hasEnded(up *running) bool {
	var broken chan struct{}
	if up.lines != nil {
		broken = up.lines.done
	}
	select {
	case <-up.Done():
		return true
	case <-broken:
		return true
	default:
		return false
	}
}

// acquire returns the running program and starts it if necessary. Unless it returns an error, the caller must call done
// after reading the answer.
func (r *Runner) acquire(ctx context.Context, output func(stream, text string)) (up *running, done func(), err error) {
	r.mu.Lock()
	r.users++
	if r.idle != nil {
		r.idle.Stop()
	}
	r.mu.Unlock()
	done = sync.OnceFunc(r.release)
	if up, err = r.ready(ctx, output); err != nil {
		done()
		return nil, nil, err
	}
	return up, done, nil
}

func (r *Runner) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users--
	if r.users > 0 || r.up == nil || r.ended {
		return
	}
	up, limit := r.up, defaultIdle
	if s := r.panel.Backend.IdleSeconds; s > 0 {
		limit = time.Duration(s) * time.Second
	}
	r.idle = time.AfterFunc(limit, func() { r.stopIdle(up) })
}

// Restart stops the program, so that the next call starts a new one. Calls in progress fail.
func (r *Runner) Restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if up := r.up; up != nil && !r.ended {
		r.up = nil
		r.tasks.Go(up.end)
	}
}

func (r *Runner) stopIdle(up *running) {
	r.mu.Lock()
	if r.users > 0 || r.up != up || r.ended {
		r.mu.Unlock()
		return
	}
	r.up = nil
	r.tasks.Add(1) // while mu is locked, so that Close waits for it
	r.mu.Unlock()
	defer r.tasks.Done()
	r.cfg.Log.Info("panel program was idle", "panel", r.panel.ID)
	up.end()
}

func (r *running) end() {
	r.Stop(stopGrace)
	if r.client != nil {
		r.client.CloseIdleConnections()
	}
	if r.lines != nil {
		r.lines.close()
	}
	if r.server != nil {
		r.server.close()
	}
}

func (r *Runner) ready(ctx context.Context, output func(stream, text string)) (*running, error) {
	select {
	case r.starting <- struct{}{}:
		defer func() { <-r.starting }()
	case <-ctx.Done():
		return nil, fmt.Errorf("the %s panel's program is still starting", r.panel.Title)
	}
	if up := r.current(); up != nil {
		return up, nil
	}
	if err := r.pause(ctx); err != nil {
		return nil, err
	}
	output("progress", "Starting "+r.CommandLine()+"\n")
	up, err := r.launch(ctx)
	if err != nil {
		r.failed(err.Error())
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		up.end()
		return nil, fmt.Errorf("the %s panel %w", r.panel.Title, ErrRemoved)
	}
	r.up = up
	return up, nil
}

// current records the exit of a program that has ended.
func (r *Runner) current() *running {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil || !hasEnded(up) {
		return up
	}
	up.end()
	<-up.Done()
	if time.Since(up.since) > stableAfter {
		r.mu.Lock()
		r.failures = 0
		r.mu.Unlock()
	}
	r.failed(r.exit(up.program))
	return nil
}

// failed counts an exit or a failed start. The next start may follow immediately after the first failure, and 1, 2, 4 …
// 60 seconds after later ones.
func (r *Runner) failed(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up, r.lastExit = nil, why
	r.failures++
	pause := time.Duration(0)
	if r.failures > 1 {
		pause = min(time.Second<<min(r.failures-2, 10), maxBackOff)
	}
	r.notUntil = time.Now().Add(pause)
	r.cfg.Log.Warn("panel program failed", "panel", r.panel.ID, "reason", why, "pause", pause)
}

func (r *Runner) pause(ctx context.Context) error {
	r.mu.Lock()
	left, why := time.Until(r.notUntil), r.lastExit
	r.mu.Unlock()
	if left <= 0 {
		return nil
	}
	if left > maxBackOffWait {
		return fmt.Errorf("the %s panel's program is not running: %s. Next start in %d s", r.panel.Title, why,
			int(left.Seconds()+1))
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the %s panel's program is not running: %s", r.panel.Title, why)
	case <-r.stop:
		// The caller tries again with the program that replaces this one.
		return fmt.Errorf("the %s panel %w", r.panel.Title, ErrRemoved)
	}
}

// ExitReason says how the current program ended, "" if there is none or it still runs. It waits up to 2 seconds for the
// end, because a connection breaks shortly before the exit status is known.
func (r *Runner) ExitReason() string {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil {
		return ""
	}
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-up.Done():
		return r.exit(up.program)
	case <-timer.C:
		return ""
	}
}

func (r *Runner) exit(p program) string {
	if last := r.log.LastLine(); last != "" {
		return p.ExitStatus() + ": " + last
	}
	return p.ExitStatus()
}

// Close stops the program permanently and waits until it has ended.
func (r *Runner) Close() {
	r.mu.Lock()
	up, first := r.up, !r.ended
	r.ended, r.up = true, nil
	if first {
		close(r.stop)
	}
	if r.idle != nil {
		r.idle.Stop()
	}
	r.mu.Unlock()
	if up != nil {
		up.end()
	}
	// A start in progress notices that stop is closed, and ends its program.
	r.starting <- struct{}{}
	<-r.starting
	r.tasks.Wait()
}

func lookPath(name string) error {
	_, err := exec.LookPath(name)
	return err
}
