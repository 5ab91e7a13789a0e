//go:build !linux

package confine

import (
	"context"
	"errors"
	"net"
)

// Enter does nothing: this system has no sandbox.
func Enter() {}

// Process is a started run.
type Process struct{}

// Command returns ErrSetup: this system has no sandbox.
func (c *Sandbox) Command(context.Context, Spec) (*Process, error) {
	return nil, errors.Join(ErrSetup, errors.New("Sextant has no sandbox for this system yet"))
}

// Dial returns ErrSetup.
func (p *Process) Dial(context.Context, int) (net.Conn, error) { return nil, ErrSetup }

// Wait returns ErrSetup.
func (p *Process) Wait() (Exit, error) { return Exit{}, ErrSetup }

// Terminate does nothing.
func (p *Process) Terminate() {}

func (c *Sandbox) detect() (mechanisms, string) {
	return mechanisms{}, "Sextant has no sandbox for this system yet"
}
