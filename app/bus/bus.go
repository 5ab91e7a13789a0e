// Package bus connects to the session bus of the desktop.
package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// Connect connects to the session bus, where there is one: it starts none. The connection ends with ctx.
func Connect(ctx context.Context, options ...dbus.ConnOption) (*dbus.Conn, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(append(options, dbus.WithContext(ctx))...)
	if err != nil {
		return nil, fmt.Errorf("reaching the session bus: %w", err)
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reaching the session bus: %w", err), conn.Close())
	}
	return conn, nil
}
