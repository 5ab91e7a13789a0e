// Package process runs the program that answers a panel's endpoints: started by the first call,
// behind the walls of guard/confine with what its manifest was granted and no more, started again
// when it died, with a growing pause, ended when nobody calls it for a while.
//
// A program is spoken to over HTTP on a port of loopback in a network of its own, or by lines of
// JSON on its standard input and output. Whichever it is, what it answers is text from outside and
// bounded, and with its end all that it started is gone.
//
// Whether it may be started is the Pipeline's matter; this package says exactly what would run and
// what it may touch.
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

	"sextant/backend/guard/confine"
	"sextant/backend/guard/egress"
	"sextant/backend/guard/places"
	"sextant/backend/tools/panels/child"
	"sextant/backend/tools/panels/manifest"
)

const (
	// TokenHeader carries the secret by which a panel's program knows our requests from
	// those of other programs on this machine.
	TokenHeader = "X-Sextant-Token"
	// MaxAnswer bounds an answer in bytes.
	MaxAnswer = 5 << 20
	// startLimit is how long a program may take until it answers.
	startLimit = 15 * time.Second
	// healthPause lies between two looks whether it answers.
	healthPause = 50 * time.Millisecond
	stopGrace   = 2 * time.Second
	// steady is how long a program must have run for its next failure to count as the first.
	steady     = 30 * time.Second
	maxBackOff = time.Minute
	// farewell is how long the death behind a broken connection may take to be known.
	farewell = 2 * time.Second
	// patience is how long a call waits for a back-off instead of failing at once.
	patience = 3 * time.Second
	// defaultIdle is how long a program runs on without a call.
	defaultIdle = 5 * time.Minute
)

// ErrRemoved ends the start of a program whose runner is no longer in use: its panel is gone,
// or an edited program has taken its place.
var ErrRemoved = errors.New("was removed")

// Config is what the programs of all panels share.
type Config struct {
	// Confine is the sandbox; nil runs programs without one, and then each start asks.
	Confine *confine.Confine
	// Egress is the way out of programs that were granted hosts; nil lets them reach none.
	Egress *egress.Guard
	// Data is the folder that holds a folder for each program to write to.
	Data string
	// Home is the person's home, "" for not known; Places what no program may touch.
	Home   string
	Places *places.Places
	// Forbidden are the paths that rules of the person keep from programs of panels; nil for none.
	Forbidden func(ctx context.Context) ([]string, error)
	// Memory in bytes that each process of a program may fill, 2 GB when 0.
	Memory uint64
	Log    *slog.Logger
}

// Panel is whose program it is. Dir is the panel's folder, absolute.
type Panel struct {
	ID, Title, Dir string
	Backend        manifest.Backend
	Permissions    manifest.Permissions
	// Settings is what the person set for the panel, as a JSON object; nil for none.
	Settings func() (string, error)
}

// Runner owns the program of one panel. Its methods may be called concurrently.
type Runner struct {
	cfg   Config
	panel Panel
	log   *child.Tail
	// tasks are what watches a program and ends it.
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
	// lines is set instead of client for a program that is spoken to by lines, server for one that
	// speaks MCP.
	lines  *lines
	server *server
}

// New makes the runner of a panel; nothing is started.
func New(cfg Config, panel Panel) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{cfg: cfg, panel: panel, log: &child.Tail{}, starting: make(chan struct{}, 1), stop: make(chan struct{})}
}

// Line is the command as a person would type it.
func (r *Runner) Line() string { return child.Line(r.panel.Backend.Command, r.panel.Backend.Args) }

// Touches says in words what the program may touch beside its own folders, "" for nothing.
func (r *Runner) Touches() string {
	return touches(r.panel.Permissions, r.cfg.grants(r.panel.Permissions.FS))
}

// Identity is what an approval is about: command line, folder and permissions.
func (r *Runner) Identity() string { return r.Line() + "\n" + r.panel.Dir + "\n" + r.Touches() }

// Dir is the panel's folder.
func (r *Runner) Dir() string { return r.panel.Dir }

// Output is the end of what the program has written.
func (r *Runner) Output() string { return r.log.String() }

// Running reports whether the program runs now.
func (r *Runner) Running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up != nil && !over(r.up)
}

// over reports whether it has ended, or cannot be spoken to any more.
func over(up *running) bool {
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

// use is the running program, after starting it when needed. done must be called once the answer is
// read; until then it is not ended for being idle.
func (r *Runner) use(ctx context.Context, output func(stream, text string)) (up *running, done func(), err error) {
	r.mu.Lock()
	r.users++
	if r.idle != nil {
		r.idle.Stop()
	}
	r.mu.Unlock()
	done = sync.OnceFunc(r.unused)
	if up, err = r.ready(ctx, output); err != nil {
		done()
		return nil, nil, err
	}
	return up, done, nil
}

// unused lets the program end when no call comes for a while.
func (r *Runner) unused() {
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
	r.idle = time.AfterFunc(limit, func() { r.rest(up) })
}

// Renew ends the program, so that the next call starts it anew. What it is asked meanwhile breaks off.
func (r *Runner) Renew() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if up := r.up; up != nil && !r.ended {
		r.up = nil
		r.tasks.Go(up.end)
	}
}

// rest ends a program that nobody has called for a while.
func (r *Runner) rest(up *running) {
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

func (up *running) end() {
	up.Stop(stopGrace)
	if up.client != nil {
		up.client.CloseIdleConnections()
	}
	if up.lines != nil {
		up.lines.close()
	}
	if up.server != nil {
		up.server.close()
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

// current is the program when it lives; it notes the death of one that does not.
func (r *Runner) current() *running {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil || !over(up) {
		return up
	}
	up.end()
	<-up.Done()
	if time.Since(up.since) > steady {
		r.mu.Lock()
		r.failures = 0
		r.mu.Unlock()
	}
	r.failed(r.exit(up.program))
	return nil
}

// failed counts a death or failed start: the first is followed by a start at once, the
// next ones by 1, 2, 4 … 60 seconds of pause.
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
	if left > patience {
		return fmt.Errorf("the %s panel's program does not run: %s. Next start in %d s", r.panel.Title, why, int(left.Seconds()+1))
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
	case <-r.stop:
	}
	return fmt.Errorf("the %s panel's program does not run: %s", r.panel.Title, why)
}

// Died says how the program ended if it did, "" while it lives. A connection breaks a
// moment before the death behind it is known, so it waits that moment, which is long on a
// machine that is busy.
func (r *Runner) Died() string {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil {
		return ""
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-up.Done():
		return r.exit(up.program)
	case <-timer.C:
		return ""
	}
}

func (r *Runner) exit(p program) string {
	if last := r.log.Last(); last != "" {
		return p.Exit() + ": " + last
	}
	return p.Exit()
}

// Close ends the program for good and waits until it is gone.
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
	// A start that is under way sees stop and ends its program itself.
	r.starting <- struct{}{}
	<-r.starting
	r.tasks.Wait()
}

func lookPath(name string) error {
	_, err := exec.LookPath(name)
	return err
}
