package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"sextant/shared/toolspec"
)

//go:embed file_info.md
var fileInfoDoc string

type fileInfoParams struct {
	Path string `json:"path"`
}

// infoOf is the result of file_info.
type infoOf struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Type   string `json:"type,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Modified is RFC 3339 in UTC; Mode as ls writes it.
	Modified string `json:"modified,omitempty"`
	Mode     string `json:"mode,omitempty"`
	// MIME is read from the first bytes of a file.
	MIME string `json:"mime,omitempty"`
	// Target is where the path leads when it is a link.
	Target string `json:"target,omitempty"`
	// Sensitive says what the place is when it asks even inside of the workspace.
	Sensitive string `json:"sensitive,omitempty"`
}

func fileInfo() tool {
	return build(
		define("file_info", fileInfoDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"In the workspace, or absolute."}},"required":["path"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"path":"notes.txt"}`),
		parts[fileInfoParams]{
			uses: func(_ *Tools, _ toolspec.Call, p fileInfoParams) ([]use, error) { return reads(p.Path), nil },
			say: func(_ *Tools, _ fileInfoParams, at []target) toolspec.Description {
				return toolspec.Description{Present: "Looking at " + shownFolder(at[0])}
			},
			run: runFileInfo,
		})
}

// look is what lies at a target, with its links followed already.
func (t *Tools) look(a target) (fs.FileInfo, error) {
	root, err := t.openDir(a, filepath.Dir(a.real))
	if err != nil {
		// The folder of a missing path may be missing too, or be a file.
		info, statErr := os.Lstat(filepath.Dir(a.real))
		if errors.Is(statErr, fs.ErrNotExist) || errors.Is(statErr, syscall.ENOTDIR) || statErr == nil && !info.IsDir() {
			return nil, fs.ErrNotExist
		}
		return nil, err
	}
	defer func() { _ = root.Close() }()
	base := filepath.Base(a.real)
	if base == string(filepath.Separator) {
		base = "."
	}
	info, err := root.Lstat(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, t.cannot(a, err)
	}
	return info, err
}

func runFileInfo(_ context.Context, t *Tools, j job[fileInfoParams]) (toolspec.Result, error) {
	a := j.at[0]
	info, err := t.look(a)
	if errors.Is(err, fs.ErrNotExist) {
		r := toolspec.OK(infoOf{Path: a.shown})
		r.Text, r.Sentence = a.shown+" does not exist.", "Looked for "+shownFolder(a)+": it does not exist"
		return r, nil
	}
	if err != nil {
		return toolspec.Result{}, err
	}
	out := infoOf{
		Path: a.shown, Exists: true, Type: kindOf(info.Mode()), Size: info.Size(), Sensitive: a.place.What,
		Modified: info.ModTime().UTC().Format(time.RFC3339), Mode: info.Mode().String(),
	}
	if given := j.p.Path; !filepath.IsAbs(given) || filepath.Clean(given) != a.real {
		if written := filepath.Join(a.folder, filepath.FromSlash(given)); a.folder != "" && written != a.real && filepath.IsLocal(given) {
			out.Target = a.real
		}
	}
	if info.Mode().IsRegular() {
		out.MIME = t.mime(a)
	}
	r := toolspec.OK(out)
	r.Text = fmt.Sprintf("%s: %s, %s, changed %s, %s", a.shown, out.Type, sized(out.Size), out.Modified, out.Mode)
	if out.MIME != "" {
		r.Text += ", " + out.MIME
	}
	if out.Sensitive != "" {
		r.Text += "; it is " + out.Sensitive
	}
	r.Sentence = "Looked at " + shownFolder(a)
	return r, nil
}

// mime reads what a file holds from its first bytes, "" when it cannot be opened.
func (t *Tools) mime(a target) string {
	f, _, err := t.openFile(a)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 512)
	n, _ := f.Read(head) // nothing read is an empty file
	return http.DetectContentType(head[:n])
}
