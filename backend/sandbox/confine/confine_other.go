//go:build !linux

package confine

import (
	"context"
	"errors"
	"net"
)

// Enter does nothing: on this system there are no steps.
func Enter() {}

// Process is a run that was started.
type Process struct{}

// Command says that there is no sandbox.
func (c *Confine) Command(context.Context, Spec) (*Process, error) {
	return nil, errors.Join(ErrSetup, errors.New("Sextant has no sandbox for this system yet"))
}

// Dial reaches nothing.
func (p *Process) Dial(context.Context, int) (net.Conn, error) { return nil, ErrSetup }

// Wait waits for nothing.
func (p *Process) Wait() (Exit, error) { return Exit{}, ErrSetup }

// Terminate asks nobody.
func (p *Process) Terminate() {}

func (c *Confine) tryWalls() (walls, string) {
	return walls{}, "Sextant has no sandbox for this system yet"
}
