package panels

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"sextant/backend/tools/panels/child"
	"sextant/backend/tools/panels/manifest"
)

const (
	// tokenHeader carries the secret by which a panel's program knows our requests from
	// those of other programs on this machine.
	tokenHeader = "X-Sextant-Token"
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
)

// errRemoved ends the start of a program whose runner is no longer in use: its panel is gone,
// or an edited program has taken its place.
var errRemoved = errors.New("was removed")

// runner owns the program of one panel: started by the first call, started again by a
// later one when it died, with a growing pause.
type runner struct {
	id, title, dir string
	backend        manifest.Backend
	log            *child.Tail
	logger         *slog.Logger

	// start serialises starting; it is a channel so that a waiting call can give up.
	start chan struct{}

	mu       sync.Mutex
	up       *running
	failures int
	notUntil time.Time
	lastExit string
	ended    bool
	stop     chan struct{}
}

// running is a program that answers.
type running struct {
	process *child.Process
	client  *http.Client
	url     string
	token   string
	since   time.Time
}

func newRunner(id, title, dir string, b manifest.Backend, logger *slog.Logger) *runner {
	return &runner{
		id: id, title: title, dir: dir, backend: b, log: &child.Tail{}, logger: logger,
		start: make(chan struct{}, 1), stop: make(chan struct{}),
	}
}

// line is the command as a person would type it.
func (r *runner) line() string { return child.Line(r.backend.Command, r.backend.Args) }

// command identifies what an approval is about: the command line and its folder.
func (r *runner) command() string { return r.line() + "\n" + r.dir }

// ready returns the running program, after starting it when needed.
func (r *runner) ready(ctx context.Context, output func(stream, text string)) (*running, error) {
	select {
	case r.start <- struct{}{}:
		defer func() { <-r.start }()
	case <-ctx.Done():
		return nil, fmt.Errorf("the %s panel's program is still starting", r.title)
	}
	if up := r.current(); up != nil {
		return up, nil
	}
	if err := r.pause(ctx); err != nil {
		return nil, err
	}
	output("progress", "Starting "+r.line()+"\n")
	up, err := r.launch(ctx)
	if err != nil {
		r.failed(err.Error())
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		up.process.Stop(stopGrace)
		up.client.CloseIdleConnections()
		return nil, fmt.Errorf("the %s panel %w", r.title, errRemoved)
	}
	r.up = up
	return up, nil
}

// current is the program when it lives; it notes the death of one that does not.
func (r *runner) current() *running {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil {
		return nil
	}
	select {
	case <-up.process.Done():
	default:
		return up
	}
	up.client.CloseIdleConnections()
	if time.Since(up.since) > steady {
		r.mu.Lock()
		r.failures = 0
		r.mu.Unlock()
	}
	r.failed(r.exit(up.process))
	return nil
}

// failed counts a death or failed start: the first is followed by a start at once, the
// next ones by 1, 2, 4 … 60 seconds of pause.
func (r *runner) failed(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up, r.lastExit = nil, why
	r.failures++
	pause := time.Duration(0)
	if r.failures > 1 {
		pause = min(time.Second<<min(r.failures-2, 10), maxBackOff)
	}
	r.notUntil = time.Now().Add(pause)
	r.logger.Warn("panel program failed", "panel", r.id, "reason", why, "pause", pause)
}

func (r *runner) pause(ctx context.Context) error {
	r.mu.Lock()
	left, why := time.Until(r.notUntil), r.lastExit
	r.mu.Unlock()
	if left <= 0 {
		return nil
	}
	if left > patience {
		return fmt.Errorf("the %s panel's program does not run: %s. Next start in %d s", r.title, why, int(left.Seconds()+1))
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
	case <-r.stop:
	}
	return fmt.Errorf("the %s panel's program does not run: %s", r.title, why)
}

// died says how the program ended if it did, "" while it lives. A connection breaks a
// moment before the death behind it is known, so it waits that moment, which is long on a
// machine that is busy.
func (r *runner) died() string {
	r.mu.Lock()
	up := r.up
	r.mu.Unlock()
	if up == nil {
		return ""
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-up.process.Done():
		return r.exit(up.process)
	case <-timer.C:
		return ""
	}
}

func (r *runner) exit(p *child.Process) string {
	if last := r.log.Last(); last != "" {
		return p.Exit() + ": " + last
	}
	return p.Exit()
}

func (r *runner) launch(ctx context.Context) (*running, error) {
	port, err := freePort()
	if err != nil {
		return nil, fmt.Errorf("finding a port for the %s panel's program: %w", r.title, err)
	}
	token := rand.Text()
	command := r.backend.Command
	if strings.ContainsRune(command, '/') && !filepath.IsAbs(command) {
		if !filepath.IsLocal(command) {
			return nil, fmt.Errorf("the %s panel's command %s leads out of its folder", r.title, command)
		}
		command = filepath.Join(r.dir, command)
	}
	process, err := child.Start(child.Spec{
		Name: command, Args: r.backend.Args, Dir: r.dir, Log: r.log,
		Env: child.Environment("SEXTANT_PANEL_PORT="+strconv.Itoa(port), "SEXTANT_PANEL_ID="+r.id, "SEXTANT_PANEL_TOKEN="+token),
	})
	if err != nil {
		return nil, fmt.Errorf("the %s panel's program cannot be started: %w", r.title, err)
	}
	up := &running{
		process: process, token: token, since: time.Now(), url: "http://127.0.0.1:" + strconv.Itoa(port),
		client: &http.Client{Transport: localTransport(), CheckRedirect: noRedirect},
	}
	if err := r.await(ctx, up); err != nil {
		process.Stop(stopGrace)
		up.client.CloseIdleConnections()
		return nil, err
	}
	r.logger.Info("panel program runs", "panel", r.id, "port", port)
	return up, nil
}

// await polls until the program answers.
func (r *runner) await(ctx context.Context, up *running) error {
	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(healthPause)
	defer tick.Stop()
	for {
		if r.healthy(limit, up) {
			return nil
		}
		select {
		case <-up.process.Done():
			return fmt.Errorf("the %s panel's program stopped at its start, %s", r.title, r.exit(up.process))
		case <-r.stop:
			return fmt.Errorf("the %s panel %w", r.title, errRemoved)
		case <-limit.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("the %s panel's program did not answer before the call ended", r.title)
			}
			return fmt.Errorf("the %s panel's program did not answer within %d s on SEXTANT_PANEL_PORT", r.title, int(startLimit.Seconds()))
		case <-tick.C:
		}
	}
}

func (r *runner) healthy(ctx context.Context, up *running) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if r.backend.Health == "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(up.url, "http://"))
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, up.url+r.backend.Health, http.NoBody)
	if err != nil {
		return false
	}
	req.Header.Set(tokenHeader, up.token)
	res, err := up.client.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode >= 200 && res.StatusCode < 300
}

// close ends the program for good and waits until it is gone.
func (r *runner) close() {
	r.mu.Lock()
	up, first := r.up, !r.ended
	r.ended, r.up = true, nil
	if first {
		close(r.stop)
	}
	r.mu.Unlock()
	if up != nil {
		up.process.Stop(stopGrace)
		up.client.CloseIdleConnections()
	}
	// A start that is under way sees stop and ends its program itself.
	r.start <- struct{}{}
	<-r.start
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
