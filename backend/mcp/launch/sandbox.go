package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"sextant/backend/mcp/access"
	"sextant/backend/mcp/config"
	"sextant/backend/policy"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
)

// Sandbox is where the programs of servers run.
type Sandbox struct {
	Confine *confine.Sandbox
	// Homes holds a home for each server, kept from one start to the next.
	Homes string
	// Home is the person's home, "" if unknown; Own are Sextant's own folders, which no server is granted.
	Home       string
	OwnFolders []string
	// GrantableFolders are folders in Own that servers may be granted, Bundles the one that holds programs of bundles.
	GrantableFolders []string
	Bundles          string
	Places           *protectedpaths.Places
	// Forbidden are the paths that rules of the person keep from servers; nil is none.
	Forbidden func(ctx context.Context) ([]string, error)
	// Egress carries the requests of servers that were granted hosts; without it those reach none.
	Egress *egress.Guard
	// PortsKnown is closed when Sextant's own ports are known, which no server may reach; nil is at once.
	PortsKnown <-chan struct{}
	// Outside asks the person whether a server may run where there is no sandbox, and why there is none.
	// Nil can ask nobody, so that no server may.
	ConfirmUnsandboxed func(ctx context.Context, server, line, why string) (bool, error)
}

// memoryLimit bounds a server's program; package managers need that much.
const memoryLimit = 4 << 30

// Permissions is what the entry of a server lets its program touch, started in the folder workspace.
func (s *Sandbox) Permissions(e config.Entry, workspace string) access.Permissions {
	if s == nil {
		s = &Sandbox{}
	}
	m := access.Machine{
		Home: s.Home, Path: SearchPath(os.Getenv("PATH"),
			s.Home), Places: s.Places, OwnFolders: s.OwnFolders, GrantableFolders: s.GrantableFolders,
		Bundles: s.Bundles,
	}
	if s.Confine != nil {
		m.IsProtected = s.Confine.ForcesReadOnly
	}
	if path := e.Env["PATH"]; path != "" {
		m.Path = path
	}
	return access.Resolve(access.Server{
		Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, Workspace: workspace, Written: e.Sextant,
		Roots: config.Is(e.Roots, true),
	}, m)
}

// Access is what a server may touch, in words.
type Access struct {
	// Words are sentences; none for a remote server.
	Words []string `json:"words"`
	// Unsandboxed is true if the server would run without the sandbox, as the person.
	Unsandboxed bool `json:"outside"`
}

// Access says what a server with that entry may touch on this machine, started in the folder workspace.
func (s *Sandbox) Access(e config.Entry, workspace string) Access {
	if e.Command == "" {
		return Access{Words: []string{}}
	}
	h := s.Permissions(e, workspace)
	if why := s.missing(h); why != "" && !h.Unsandboxed && h.Container == "" {
		return Access{
			Words: append([]string{
				"There is no sandbox on this machine (" + why + "). It runs as you and can read and change all your " +
					"files. You are asked before it starts.",
			}, h.Notes...),
			Unsandboxed: true,
		}
	}
	return Access{Words: h.Sentences(), Unsandboxed: h.Unsandboxed}
}

// missing says why a program cannot be limited to its grants here, "" if it can.
func (s *Sandbox) missing(h access.Permissions) string {
	if s == nil || s.Confine == nil {
		return "it was not set up"
	}
	ok, _, why := s.Confine.Available()
	switch {
	case !ok:
		return why
	case len(h.Network) > 0 && !h.AllowsAnyHost() && !s.Confine.IsolatesNetwork():
		return "the sandbox of this machine cannot limit a program to some hosts"
	}
	return ""
}

// startInside starts the program in the sandbox.
func (s *Sandbox) startInside(
	ctx context.Context, r Request, permissions access.Permissions, name string,
) (Program, io.WriteCloser, io.ReadCloser, error) {
	home, err := s.prepareHome(r.Server, r.Entry)
	if err != nil {
		return nil, nil, nil, err
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("opening a pipe: %w", err)
	}
	stdout, out := io.Pipe()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	spec := confine.Spec{
		Args: append([]string{name}, r.Entry.Args...), Dir: permissions.Dir, Home: home, Env: r.Env,
		Stdin: in, Stdout: out, Stderr: r.Log,
		Readable: append(permissions.Program, permissions.Read...), Writable: permissions.Write,
		Restricted: confine.PrivateFolders(s.Home), Network: permissions.AllowsAnyHost(), AllowBlockedPorts: true,
		Limits: confine.Limits{Memory: memoryLimit},
	}
	if permissions.Package != "" {
		spec.Writable = append(spec.Writable, permissions.Package)
	}
	if len(permissions.Network) > 0 && !permissions.AllowsAnyHost() && s.Egress != nil {
		spec.Proxy = s.proxy(life, permissions.Network)
	}
	if spec.Dir == "" {
		spec.Dir = s.defaultDir(home, permissions)
	}
	if s.Forbidden != nil {
		if spec.Hidden, err = s.Forbidden(ctx); err != nil {
			err = fmt.Errorf("reading which places are forbidden: %w", err)
		}
	}
	var process *confine.Process
	if err == nil {
		process, err = s.Confine.Command(life, spec)
	}
	_ = in.Close()
	if err != nil {
		cancel()
		_ = stdin.Close()
		return nil, nil, nil, err
	}
	p := &confinedProgram{process: process, cancel: cancel, stdin: stdin, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.exit, p.err = process.Wait()
		_ = out.Close()
		cancel()
	}()
	return p, stdin, stdout, nil
}

// defaultDir is where a program starts whose entry names no folder.
func (s *Sandbox) defaultDir(home string, permissions access.Permissions) string {
	if s.Home == "" || !s.Confine.IsolatesNetwork() || permissions.ReadsAll(s.Home) {
		return home
	}
	return s.Home
}

// proxy serves the network of a program that was granted hosts: those and no others.
func (s *Sandbox) proxy(ctx context.Context, hosts []string) func(net.Listener) (stop func()) {
	allow := func(_ context.Context, host string) error {
		if policy.HostMatches(host, hosts) {
			return nil
		}
		return errors.New("sextant.grants.network of this MCP server does not include it")
	}
	return func(ln net.Listener) func() { return s.Egress.ServeProxy(ctx, ln, allow, nil) }
}

// confinedProgram is a program in the sandbox.
type confinedProgram struct {
	process *confine.Process
	cancel  context.CancelFunc
	stdin   *os.File
	done    chan struct{}
	exit    confine.Exit
	err     error
}

// Exited is closed when the program has ended.
func (p *confinedProgram) Exited() <-chan struct{} { return p.done }

// Done is closed when everything it started is gone.
func (p *confinedProgram) Done() <-chan struct{} { return p.done }

// ExitStatus says how it ended.
func (p *confinedProgram) ExitStatus() string {
	select {
	case <-p.done:
	default:
		return "still running"
	}
	switch {
	case p.err != nil:
		return strings.TrimPrefix(p.err.Error(), confine.ErrSetup.Error()+": ")
	case p.exit.Code > 128 && p.exit.Code < 128+65:
		return "ended by signal " + syscall.Signal(p.exit.Code-128).String()
	}
	return fmt.Sprintf("exit %d", p.exit.Code)
}

// Stop ends it.
func (p *confinedProgram) Stop(grace time.Duration) {
	_ = p.stdin.Close()
	for range 2 {
		timer := time.NewTimer(grace / 2)
		select {
		case <-p.done:
			timer.Stop()
			return
		case <-timer.C:
			p.process.Terminate()
		}
	}
	p.cancel()
	<-p.done
}
