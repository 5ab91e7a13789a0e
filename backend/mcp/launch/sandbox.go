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

// Sandbox runs the programs of servers. A nil Sandbox runs them unconfined.
type Sandbox struct {
	Confine *confine.Sandbox
	// Homes is the folder with a home for each server.
	Homes string
	// Home is the person's home, "" if unknown. OwnFolders are Sextant's own folders.
	Home       string
	OwnFolders []string
	// GrantableFolders are folders in OwnFolders that servers may be granted; Bundles is the one with the
	// programs of bundles.
	GrantableFolders []string
	Bundles          string
	Places           *protectedpaths.Classifier
	// ForbiddenPaths returns the paths that the person's rules hide from servers. It is required with Confine.
	ForbiddenPaths func(ctx context.Context) ([]string, error)
	// Egress carries the requests of servers that were granted single hosts; if it is nil, they reach no host.
	Egress *egress.Guard
	// PortsKnown is closed when Sextant's own ports are known, which no server may reach; nil does not wait.
	PortsKnown <-chan struct{}
	// ConfirmUnsandboxed asks the person whether a server may run although there is no sandbox; why says why
	// there is none. If it is nil, no server may.
	ConfirmUnsandboxed func(ctx context.Context, server, line, why string) (bool, error)
}

// memoryLimit is what package managers need.
const memoryLimit = 4 << 30

// Permissions returns what the entry of a server lets its program access, started in the folder workspace. s
// may be nil.
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
		Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, Workspace: workspace, Override: e.Sextant,
		RootsAllowed: config.DecidedAs(e.Roots, true),
	}, m)
}

// Access describes in words what a server may access.
type Access struct {
	// Sentences is empty for a remote server.
	Sentences []string `json:"words"`
	// Unsandboxed is true if the server would run without the sandbox, with the rights of the person.
	Unsandboxed bool `json:"outside"`
}

// Access describes what a server with that entry may access on this machine, started in the folder workspace.
func (s *Sandbox) Access(e config.Entry, workspace string) Access {
	if e.Command == "" {
		return Access{Sentences: []string{}}
	}
	p := s.Permissions(e, workspace)
	if why := s.missing(p); why != "" && !p.Unsandboxed && p.Container == "" {
		return Access{
			Sentences: append([]string{
				"There is no sandbox on this machine (" + why + "). It runs as you and can read and change all your " +
					"files. You are asked before it starts.",
			}, p.Notes...),
			Unsandboxed: true,
		}
	}
	return Access{Sentences: p.Sentences(), Unsandboxed: p.Unsandboxed}
}

// missing says why the sandbox cannot limit a program to p, or returns "".
func (s *Sandbox) missing(p access.Permissions) string {
	if s == nil || s.Confine == nil {
		return "it was not set up"
	}
	ok, _, why := s.Confine.Available()
	switch {
	case !ok:
		return why
	case len(p.Network) > 0 && !p.AllowsAnyHost() && !s.Confine.IsolatesNetwork():
		return "the sandbox of this machine cannot limit a program to some hosts"
	}
	return ""
}

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
	if spec.Hidden, err = s.ForbiddenPaths(ctx); err != nil {
		err = fmt.Errorf("reading the forbidden paths: %w", err)
	}
	var process *confine.Process
	if err == nil {
		process, err = s.Confine.Start(life, spec)
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

func (s *Sandbox) defaultDir(home string, permissions access.Permissions) string {
	if s.Home == "" || !s.Confine.IsolatesNetwork() || permissions.ReadsAll(s.Home) {
		return home
	}
	return s.Home
}

func (s *Sandbox) proxy(ctx context.Context, hosts []string) func(net.Listener) (stop func()) {
	allow := func(_ context.Context, host string) error {
		if policy.HostMatches(host, hosts) {
			return nil
		}
		return errors.New("sextant.grants.network of this MCP server does not include it")
	}
	return func(ln net.Listener) func() { return s.Egress.StartProxyOn(ctx, ln, allow, nil) }
}

type confinedProgram struct {
	process *confine.Process
	cancel  context.CancelFunc
	stdin   *os.File
	done    chan struct{}
	exit    confine.Exit
	err     error
}

// Exited returns the same channel as Done.
func (p *confinedProgram) Exited() <-chan struct{} { return p.done }

// Done is closed when the program and its child processes have ended.
func (p *confinedProgram) Done() <-chan struct{} { return p.done }

// ExitStatus says how the program ended, or that it still runs.
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

// Stop closes the program's input, terminates it after half of grace, and kills it after grace.
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
