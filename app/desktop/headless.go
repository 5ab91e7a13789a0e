//go:build !desktop

package desktop

import (
	"context"
	"errors"

	"sextant/app"
)

// Built is false in builds without the desktop tag, which do not need GTK.
const Built = false

// Open does not open a window in this build and is never called.
func Open(context.Context, *app.System, string, bool) error {
	return errors.New("this build has no window")
}
