//go:build !linux

package authoring

import "errors"

// exchange is not available on this system.
func exchange(string, string) error { return errors.ErrUnsupported }
