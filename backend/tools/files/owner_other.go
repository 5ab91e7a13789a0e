//go:build !unix

package files

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to do where a new file has its folder's owner.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// syncFolder has nothing to do: folders cannot be flushed here.
func syncFolder(*os.File) error { return nil }
