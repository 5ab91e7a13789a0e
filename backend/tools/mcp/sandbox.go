package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/egress"
	"sextant/backend/guard/places"
	"sextant/backend/guard/policy"
	"sextant/backend/tools/mcp/grants"
	"sextant/backend/tools/panels/child"
)

// Sandbox is what the programs of servers run behind.
type Sandbox struct {
	Confine *confine.Confine
	// Homes is the folder that holds a home for each server, kept from one start to the next.
	Homes string
	// Home is the person's, "" for not known; Own are Sextant's own folders, which no server is granted.
	Home string
	Own  []string
	// Open are folders in Own that servers may be granted, Bundles the one with programs of bundles.
	Open    []string
	Bundles string
	Places  *places.Places
	// Forbidden are the paths that rules of the person keep from servers; nil for none.
	Forbidden func(ctx context.Context) ([]string, error)
	// Egress is the way out of servers that were granted hosts; nil lets those reach none.
	Egress *egress.Guard
	// Ready is closed when Sextant's own ports are known, which no server may reach; nil is now.
	Ready <-chan struct{}
	// Outside asks the person whether a server may run where there is no sandbox, and why there is none;
	// nil has nobody to ask, so that none may.
	Outside func(ctx context.Context, server, line, why string) (bool, error)
}

// program is a server that runs here, behind walls or not.
type program interface {
	// Dead is closed as soon as it has ended, Done when all it started is gone; Exit says after that
	// how it ended.
	Dead() <-chan struct{}
	Done() <-chan struct{}
	Exit() string
	// Stop closes its input, asks it to end after half of grace, and kills all of it after grace.
	Stop(grace time.Duration)
}

// errStays ends the tries to start a server: another one would end as this one.
var errStays = errors.New("")

// Limits of a server's program, as of a panel's but for what package managers need.
const serverMemory = 4 << 30

// held is what the entry of a server lets it touch.
func (s *Servers) held(e Entry) grants.Held { return s.cfg.Sandbox.held(e, s.cfg.Dir) }

func (b *Sandbox) held(e Entry, workspace string) grants.Held {
	if b == nil {
		b = &Sandbox{}
	}
	m := grants.Machine{Home: b.Home, Path: searchPath(os.Getenv("PATH"), b.Home), Places: b.Places, Own: b.Own, Open: b.Open, Bundles: b.Bundles}
	if b.Confine != nil {
		m.Keeps = b.Confine.Keeps
	}
	if path := e.Env["PATH"]; path != "" {
		m.Path = path
	}
	return grants.Of(grants.Server{Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, Workspace: workspace, Written: e.Sextant, Roots: is(e.Roots, true)}, m)
}

// May is what a server with that entry may touch on this machine, for a person who decides about it.
func (s *Servers) May(e Entry) May { return s.cfg.Sandbox.May(e, s.cfg.Dir) }

// May says what a server may touch.
type May struct {
	// Words are sentences; none for a server at an address.
	Words []string `json:"words"`
	// Outside is true where it would run without the sandbox, as the person.
	Outside bool `json:"outside"`
}

// May is what a server with that entry may touch here, started in the folder workspace.
func (b *Sandbox) May(e Entry, workspace string) May {
	if e.Command == "" {
		return May{Words: []string{}}
	}
	h := b.held(e, workspace)
	if why := b.missing(h); why != "" && !h.Off && h.Container == "" {
		return May{Words: append([]string{"There is no sandbox on this machine (" + why + "), so that it runs as you, with all your files. You are asked before it starts."}, h.Notes...), Outside: true}
	}
	return May{Words: h.Words(), Outside: h.Off}
}

// missing says why a server cannot be held to its grants here, "" when it can.
func (b *Sandbox) missing(h grants.Held) string {
	if b == nil || b.Confine == nil {
		return "it was not set up"
	}
	ok, _, why := b.Confine.Available()
	switch {
	case !ok:
		return why
	case len(h.Network) > 0 && !h.Everywhere() && !b.Confine.Limits():
		return "the sandbox of this machine cannot hold a program to some hosts"
	}
	return ""
}

// begun starts the server's program, behind walls where it has some.
func (v *server) begun(ctx context.Context, path string, env []string) (program, io.WriteCloser, io.ReadCloser, error) {
	box := v.owner.cfg.Sandbox
	name := programFile(home(v.entry.Command), path)
	if box == nil || box.Confine == nil {
		return v.free(name, env)
	}
	h := v.owner.held(v.entry)
	v.set(func() { v.may = h })
	if h.Off || h.Container != "" {
		return v.free(name, env)
	}
	if why := box.missing(h); why != "" {
		if err := v.agreed(ctx, why); err != nil {
			return nil, nil, nil, err
		}
		return v.free(name, env)
	}
	if err := findable(name, h.Dir, v.owner.cfg.Dir); err != nil {
		return nil, nil, nil, err
	}
	if h.Everywhere() && box.Ready != nil {
		select {
		case <-box.Ready:
		case <-ctx.Done():
			return nil, nil, nil, ctx.Err()
		}
	}
	return v.behind(ctx, box, h, name, env)
}

// free starts the program without walls.
func (v *server) free(name string, env []string) (program, io.WriteCloser, io.ReadCloser, error) {
	dir := v.entry.Cwd
	if dir == "" {
		dir = v.owner.cfg.Dir
	}
	p, err := child.Start(child.Spec{Name: name, Args: v.entry.Args, Dir: home(dir), Env: child.Environment(env...), Log: v.tail, Pipes: true})
	if err != nil {
		return nil, nil, nil, err
	}
	return p, p.Stdin, p.Stdout, nil
}

// agreed asks the person once, as long as Sextant runs, whether the server may run without a sandbox.
func (v *server) agreed(ctx context.Context, why string) error {
	line := child.Line(v.entry.Command, v.entry.Args)
	v.owner.mu.Lock()
	yes := v.owner.free[v.name+"\x00"+line]
	v.owner.mu.Unlock()
	if yes {
		return nil
	}
	goOn, reason := false, "nobody is here to be asked"
	if ask := v.owner.cfg.Sandbox.Outside; ask != nil {
		v.set(func() { v.err = "It waits for your answer: there is no sandbox here" })
		v.owner.publish()
		var err error
		goOn, err = ask(ctx, v.name, line, why)
		if reason = "the answer was no"; err != nil {
			reason = err.Error()
		}
		v.set(func() { v.err = "" })
	}
	if !goOn {
		return fmt.Errorf("it was not started: there is no sandbox on this machine (%s), and %s. Restart it to be asked again, or switch its sandbox off in mcp-config.json%w", why, reason, errStays)
	}
	v.set(func() { v.owner.free[v.name+"\x00"+line] = true })
	return nil
}

// behind starts the program in the sandbox.
func (v *server) behind(ctx context.Context, box *Sandbox, h grants.Held, name string, env []string) (program, io.WriteCloser, io.ReadCloser, error) {
	own, err := box.homeOf(v.name, v.entry)
	if err != nil {
		return nil, nil, nil, err
	}
	in, toIt, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("opening a pipe: %w", err)
	}
	fromIt, out := io.Pipe()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	spec := confine.Spec{
		Args: append([]string{name}, v.entry.Args...), Dir: h.Dir, Home: own, Env: env, Stdin: in, Stdout: out, Stderr: v.tail,
		Shown: append(h.Program, h.Read...), Writable: h.Write, Closed: confine.Private(box.Home),
		Network: h.Everywhere(), OwnPorts: true, Limits: confine.Limits{Memory: serverMemory},
	}
	if h.Package != "" {
		spec.Writable = append(spec.Writable, h.Package)
	}
	if len(h.Network) > 0 && !h.Everywhere() && box.Egress != nil {
		spec.Proxy = box.way(life, h.Network)
	}
	if spec.Dir == "" {
		spec.Dir = v.owner.startIn(box, own, h)
	}
	if box.Forbidden != nil {
		if spec.Hidden, err = box.Forbidden(ctx); err != nil {
			err = fmt.Errorf("reading which places are forbidden: %w", err)
		}
	}
	var run *confine.Process
	if err == nil {
		run, err = box.Confine.Command(life, spec)
	}
	_ = in.Close()
	if err != nil {
		cancel()
		_ = toIt.Close()
		return nil, nil, nil, err
	}
	p := &walled{run: run, cancel: cancel, in: toIt, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.exit, p.err = run.Wait()
		_ = out.Close()
		cancel()
	}()
	return p, toIt, fromIt, nil
}

// startIn is where a server begins whose entry names no folder: at home.
func (s *Servers) startIn(box *Sandbox, own string, h grants.Held) string {
	if box.Home == "" || !box.Confine.Limits() || h.ShowsHome(box.Home) {
		return own
	}
	return box.Home
}

// way is the way out of a server that was granted hosts: those and no others.
func (b *Sandbox) way(ctx context.Context, hosts []string) func(net.Listener) (stop func()) {
	may := func(_ context.Context, host string) error {
		if policy.Opened(host, hosts) {
			return nil
		}
		return errors.New("sextant.grants.network of this MCP server does not name it")
	}
	return func(ln net.Listener) func() { return b.Egress.ServeRun(ctx, ln, may, nil) }
}

// findable says why there is no such program, started in the folder dir, or else in the workspace.
func findable(name, dir, workspace string) error {
	file := name
	if !filepath.IsAbs(name) {
		if dir == "" {
			dir = workspace
		}
		file = filepath.Join(dir, name)
	}
	info, err := os.Stat(file)
	switch {
	case !strings.ContainsRune(name, '/'):
		return fmt.Errorf("there is no program %s", name)
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not a program", name)
	}
	return nil
}

// walled is a program behind walls.
type walled struct {
	run    *confine.Process
	cancel context.CancelFunc
	in     *os.File
	done   chan struct{}
	exit   confine.Exit
	err    error
}

func (w *walled) Dead() <-chan struct{} { return w.done }
func (w *walled) Done() <-chan struct{} { return w.done }

func (w *walled) Exit() string {
	select {
	case <-w.done:
	default:
		return "still running"
	}
	switch {
	case w.err != nil:
		return strings.TrimPrefix(w.err.Error(), confine.ErrSetup.Error()+": ")
	case w.exit.Code > 128 && w.exit.Code < 128+65:
		return "ended by signal " + syscall.Signal(w.exit.Code-128).String()
	}
	return fmt.Sprintf("exit %d", w.exit.Code)
}

func (w *walled) Stop(grace time.Duration) {
	_ = w.in.Close()
	for range 2 {
		timer := time.NewTimer(grace / 2)
		select {
		case <-w.done:
			timer.Stop()
			return
		case <-timer.C:
			w.run.Terminate()
		}
	}
	w.cancel()
	<-w.done
}
