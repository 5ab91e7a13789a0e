package verb

import (
	"errors"
	"fmt"
	"os"

	"sextant/backend/store/sqlite"
)

// Explain adds advice to errors of OpenSystem that a person can fix, and "starting:" to others. An sqlite.OpenError
// already has advice.
func Explain(err error) error {
	var known *sqlite.OpenError
	switch {
	case errors.Is(err, sqlite.ErrDamaged):
		return Failure(ExitFailed, "%v Run: sextant backups, or sextant doctor --fresh", err)
	case errors.As(err, &known):
		return Failure(ExitFailed, "%v", known)
	case errors.Is(err, os.ErrPermission):
		return Failure(ExitFailed,
			"%v. Nothing was changed. Check who owns the folder, or use another one with --data.", err)
	}
	return fmt.Errorf("starting: %w", err)
}
