//go:build !desktop

package app

import (
	"context"
	"errors"
)

// windowBuilt is false in builds without the desktop tag: they need no GTK.
const windowBuilt = false

// openWindow never runs in this build.
func openWindow(context.Context, *System) error {
	return errors.New("this build has no window")
}
