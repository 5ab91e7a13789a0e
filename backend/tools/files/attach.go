package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
)

const (
	// maxAttachedNames and listedDepth limit the list of a folder that is attached.
	maxAttachedNames = 1000
	listedDepth      = 3
)

// ReadForAttachment returns the name and content of a file that the person attaches to a message, or a list of what is
// in a folder. It fails for a file of more than maxBytes.
func (t *Tools) ReadForAttachment(ctx context.Context, path string, maxBytes int64) (name string, data []byte,
	err error,
) {
	a, err := t.fs.Locate(path)
	if err != nil {
		return "", nil, err
	}
	if info, err := os.Lstat(a.Real); err == nil && info.IsDir() {
		data, err = t.listForAttachment(ctx, a)
		return filepath.Base(a.Real) + " (folder).txt", data, err
	}
	file, info, err := t.fs.OpenFile(a)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = file.Close() }()
	if info.Size() > maxBytes {
		return "", nil, toolkit.UserError(fmt.Sprintf("%s is larger than %s, so it cannot be attached", a.DisplayPath,
			humanize.IBytes(uint64(maxBytes))), "The assistant can read it in parts in the workspace.")
	}
	data, err = io.ReadAll(io.LimitReader(toolkit.ContextReader(ctx, file), maxBytes))
	return filepath.Base(a.Real), data, err
}

func (t *Tools) listForAttachment(ctx context.Context, a safefs.Target) ([]byte, error) {
	var list bytes.Buffer
	fmt.Fprintf(&list, "Folder %s\n", a.DisplayPath)
	n := 0
	w := t.walk(ctx, "list_directory")
	w.Depth, w.RespectGitIgnore = listedDepth, true
	w.Visit = func(e safefs.Entry) error {
		if n++; n > maxAttachedNames {
			return safefs.ErrStop
		}
		fmt.Fprintf(&list, "%s%s\n", e.Rel, map[bool]string{true: "/"}[e.IsDir()])
		return nil
	}
	if err := w.Run(a); err != nil {
		return nil, t.notAFolder(a, err)
	}
	if n > maxAttachedNames {
		fmt.Fprintf(&list, "… only the first %d names\n", maxAttachedNames)
	}
	return list.Bytes(), nil
}
