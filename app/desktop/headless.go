//go:build !desktop

package desktop

import (
	"context"
	"errors"

	"sextant/app"
)

// Built is false in builds without the desktop tag: they need no GTK.
const Built = false

// Open never runs in this build.
func Open(context.Context, *app.System) error {
	return errors.New("this build has no window")
}
