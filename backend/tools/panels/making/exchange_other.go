//go:build !linux

package making

import "errors"

// exchange is not available on this system.
func exchange(string, string) error { return errors.ErrUnsupported }
