package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/procgroup"
)

type program interface {
	// Done is closed when the program and everything it started have ended. ExitStatus then says how the program ended.
	Done() <-chan struct{}
	ExitStatus() string
	Stop(grace time.Duration)
	// Dial connects to a loopback port of the program.
	Dial(ctx context.Context, port int) (net.Conn, error)
}

type isolation int

const (
	fullSandbox isolation = iota
	sharedNetwork
	unconfinedProgram
)

// isolation returns the level at which the program would run, and why it is not the whole sandbox ("" if it is).
func (r *Runner) isolation() (isolation, string) {
	if r.cfg.Confine == nil {
		return unconfinedProgram, "no sandbox is set up"
	}
	ok, _, why := r.cfg.Confine.Available()
	switch {
	case !ok:
		return unconfinedProgram, why
	case r.cfg.Confine.IsolatesNetwork(), r.usesStdio() && !wantsNetwork(r.panel.Permissions):
		return fullSandbox, ""
	}
	return sharedNetwork, "the sandbox of this machine restricts files but not the network of a program that " +
		"listens or connects"
}

func (r *Runner) usesStdio() bool { return r.panel.Backend.Stdio || r.IsMCPServer() }

// UnconfinedReason says why the program would run outside of the sandbox or with an unrestricted network, "" if it
// would run in the whole sandbox.
func (r *Runner) UnconfinedReason() string {
	_, why := r.isolation()
	return why
}

// The port range of programs with their own network, below the ephemeral ports.
const (
	firstPort = 20_000
	ports     = 10_000
)

// in and out are nil unless the program communicates over them. in is closed when it is no longer needed.
func (r *Runner) start(env []string, in *os.File, out io.Writer) (_ program, port int, err error) {
	taken := false
	defer func() {
		if in != nil && !taken {
			_ = in.Close()
		}
	}()
	dir, err := filepath.EvalSymlinks(r.panel.Dir)
	if err != nil {
		return nil, 0, fmt.Errorf("opening its folder: %w", err)
	}
	data := filepath.Join(r.cfg.Data, r.panel.ID)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, 0, fmt.Errorf("making its data folder: %w", err)
	}
	command := r.panel.Backend.Command
	if strings.ContainsRune(command, '/') && !filepath.IsAbs(command) {
		if !filepath.IsLocal(command) {
			return nil, 0, fmt.Errorf("the command %s leads out of its folder", command)
		}
		command = filepath.Join(dir, command)
	}
	if err := checkCommand(command); err != nil {
		return nil, 0, err
	}
	behind, _ := r.isolation()
	port = firstPort + rand.IntN(ports)
	if behind != fullSandbox {
		if port, err = freePort(); err != nil {
			return nil, 0, err
		}
	}
	env = append(env, "SEXTANT_PANEL_DATA="+data)
	if !r.usesStdio() {
		env = append(env, "SEXTANT_PANEL_PORT="+strconv.Itoa(port))
	}
	if out == nil {
		out = r.log
	}
	if behind == unconfinedProgram {
		p, err := r.unconfined(command, dir, env, in, out)
		taken = err == nil
		return p, port, err
	}
	p, err := r.confined(behind, command, dir, data, env, in, out)
	return p, port, err
}

func (r *Runner) confined(
	behind isolation, command, dir, data string, env []string, in *os.File, out io.Writer,
) (program, error) {
	ctx, cancel := context.WithCancel(context.Background())
	spec, err := r.spec(ctx, command, dir, data, append(env, "HOME="+data))
	if err != nil {
		cancel()
		return nil, err
	}
	spec.Stdin, spec.Stdout, spec.Stderr = in, out, r.log
	switch {
	case behind == sharedNetwork:
		spec.Network = true
	case !r.usesStdio():
		spec.MaxConns = sockets
	}
	if behind == fullSandbox && wantsNetwork(r.panel.Permissions) && r.cfg.Egress != nil {
		spec.Proxy = r.proxyHosts(ctx)
	}
	run, err := r.cfg.Confine.Start(ctx, spec)
	if err != nil {
		cancel()
		return nil, err
	}
	c := &confined{run: run, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.exit, c.err = run.Wait()
		cancel()
	}()
	return c, nil
}

type confined struct {
	run    *confine.Process
	cancel context.CancelFunc
	done   chan struct{}
	exit   confine.Exit
	err    error
}

func (c *confined) Done() <-chan struct{} { return c.done }

func (c *confined) ExitStatus() string {
	select {
	case <-c.done:
	default:
		return "still running"
	}
	switch {
	case c.err != nil:
		return strings.TrimPrefix(c.err.Error(), confine.ErrSetup.Error()+": ")
	case c.exit.Code > 128:
		return "ended by signal " + strconv.Itoa(c.exit.Code-128)
	}
	return "exit " + strconv.Itoa(c.exit.Code)
}

// Stop immediately ends the program and everything it started, and waits for their end.
func (c *confined) Stop(time.Duration) {
	c.cancel()
	<-c.done
}

func (c *confined) Dial(ctx context.Context, port int) (net.Conn, error) {
	return c.run.Dial(ctx, port)
}

func (r *Runner) unconfined(command, dir string, env []string, in *os.File, out io.Writer) (program, error) {
	spec := procgroup.Spec{
		Name: command, Args: r.panel.Backend.Args, Dir: dir, Log: r.log,
		Env: procgroup.Environment(env...), Pipes: in != nil,
	}
	p, err := procgroup.Start(spec)
	if err != nil {
		return nil, err
	}
	if in != nil {
		r.tasks.Go(func() { _, _ = io.Copy(p.Stdin, in); _ = in.Close(); _ = p.Stdin.Close() })
		r.tasks.Go(func() { _, _ = io.Copy(out, p.Stdout); _ = p.Stdout.Close() })
	}
	return unconfined{p}, nil
}

type unconfined struct{ *procgroup.Process }

// Dial connects to a loopback port of this machine.
func (unconfined) Dial(ctx context.Context, port int) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

func checkCommand(command string) error {
	if !strings.ContainsRune(command, '/') {
		return lookPath(command)
	}
	info, err := os.Stat(command)
	switch {
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not a program", command)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("finding a port")
	}
	return address.Port, nil
}
