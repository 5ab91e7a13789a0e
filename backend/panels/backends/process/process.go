// Package process runs the program that answers a panel's endpoints: started by the first call, in the
// sandbox of guard/confine with the rights that its manifest was granted, restarted after a crash with
// growing pauses, stopped after a while without calls.
//
// It talks to a program over HTTP on a loopback port, by lines of JSON on standard input and output,
// or over MCP. Answers are untrusted and bounded, and everything that a program started ends with it.
//
// Whether a program may start is decided by the pipeline; this package says exactly what would run and
// what it may access.
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
	// tokenHeader carries the secret by which a panel's program recognises our requests.
	tokenHeader = "X-Sextant-Token"
	// maxAnswer bounds an answer in bytes.
	maxAnswer = 5 << 20
	// startLimit is how long a program may take until it answers.
	startLimit = 15 * time.Second
	// healthPause is the interval between health checks at the start.
	healthPause = 50 * time.Millisecond
	stopGrace   = 2 * time.Second
	// stableAfter is how long a program must have run for its next failure to count as the first.
	stableAfter = 30 * time.Second
	maxBackOff  = time.Minute
	// exitWait is how long to wait for the exit that explains a broken connection.
	exitWait = 2 * time.Second
	// maxBackOffWait is the longest back-off that a call waits for instead of failing.
	maxBackOffWait = 3 * time.Second
	// defaultIdle is how long a program runs without a call.
	defaultIdle = 5 * time.Minute
)

// ErrRemoved reports that the runner is out of use because its panel was removed or its program replaced.
var ErrRemoved = errors.New("was removed")

// Config is shared by the programs of all panels.
type Config struct {
	// Confine is the sandbox; without it programs run unconfined, and every start asks.
	Confine *confine.Sandbox
	// Egress gives programs access to the hosts they were granted; nil gives none.
	Egress *egress.Guard
	// Data is the folder that has a writable folder for each program.
	Data string
	// Home is the user's home, "" if unknown; Places are what no program may access.
	Home   string
	Places *protectedpaths.Places
	// Forbidden are the paths that the user's rules keep from panels' programs.
	Forbidden func(ctx context.Context) ([]string, error)
	// Memory is the limit of each process of a program in bytes; 0 means 2 GB.
	Memory uint64
	Log    *slog.Logger
}

// Panel is the panel of a program. Dir is its folder, absolute.
type Panel struct {
	ID, Title, Dir string
	Backend        manifest.Backend
	Permissions    manifest.Permissions
	// Settings returns the panel's settings as a JSON object; nil for none.
	Settings func() (string, error)
}

// Runner owns the program of one panel. It is safe for concurrent use.
type Runner struct {
	cfg   Config
	panel Panel
	log   *procgroup.Tail
	// tasks are the goroutines that watch and stop the program.
	tasks sync.WaitGroup

	// starting serialises starts; it is a channel so that a waiting call can give up.
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

// running is a program that answers.
type running struct {
	program
	since  time.Time
	port   int
	token  string
	client *http.Client
	// lines is set instead of client for a program that uses lines of JSON, server for one that speaks
	// MCP.
	lines  *lines
	server *server
}

// New makes the runner of a panel; it starts nothing.
func New(cfg Config, panel Panel) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{
		cfg: cfg, panel: panel, log: &procgroup.Tail{}, starting: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
}

// Line is the command as typed in a shell.
func (r *Runner) Line() string {
	return procgroup.CommandLine(r.panel.Backend.Command, r.panel.Backend.Args)
}

// Access says what the program may access besides its own folders, "" for nothing.
func (r *Runner) Access() string {
	return accessText(r.panel.Permissions, r.cfg.grants(r.panel.Permissions.FS))
}

// Identity is what an approval covers: command line, folder and permissions.
func (r *Runner) Identity() string { return r.Line() + "\n" + r.panel.Dir + "\n" + r.Access() }

// Dir is the panel's folder.
func (r *Runner) Dir() string { return r.panel.Dir }

// Output is the end of what the program printed.
func (r *Runner) Output() string { return r.log.String() }

// Running reports whether the program is running.
func (r *Runner) Running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up != nil && !hasEnded(r.up)
}

// hasEnded reports whether it has ended or its connection is broken.
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

// acquire returns the running program, after starting it if needed. Call done once the answer is read; the
// program is not stopped as idle before.
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

// release lets the program stop if no call comes for a while.
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

// stopIdle stops a program that was idle.
func (r *Runner) stopIdle(up *running) {
	r.mu.Lock()
	if r.users > 0 || r.up != up || r.ended {
		r.mu.Unlock()
		return
	}
	r.up = nil
	r.tasks.Add(1) // under the lock, so that Close waits for it
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
	output("progress", "Starting "+r.Line()+"\n")
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

// current is the program if it runs; it records the exit of one that does not.
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

// failed counts an exit or a failed start: the next start follows at once after the first, then after
// 1, 2, 4 … 60 seconds.
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
	case <-r.stop:
	}
	return fmt.Errorf("the %s panel's program is not running: %s", r.panel.Title, why)
}

// ExitReason says how the program ended, "" while it runs. A connection breaks a moment before the exit is
// known, so it waits for that moment.
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

// Close stops the program for good and waits until it has ended.
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
	// A start in progress sees stop and ends its program itself.
	r.starting <- struct{}{}
	<-r.starting
	r.tasks.Wait()
}

func lookPath(name string) error {
	_, err := exec.LookPath(name)
	return err
}
