//go:build !unix

package history

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner of its folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// syncFolder does nothing: folders cannot be synced here.
func syncFolder(*os.File) error { return nil }
