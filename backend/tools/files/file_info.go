package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
)

//go:embed file_info.md
var fileInfoDoc string

type fileInfoParams struct {
	Path string `json:"path"`
}

type fileDetails struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Type   string `json:"type,omitempty"`
	Size   int64  `json:"size,omitempty"`
	// Modified is in RFC 3339 and UTC; Mode is that of fs.FileMode.String.
	Modified string `json:"modified,omitempty"`
	Mode     string `json:"mode,omitempty"`
	MIME     string `json:"mime,omitempty"`
	// Target is the real path if a relative path leads through a link to another place in the workspace.
	Target    string `json:"target,omitempty"`
	Sensitive string `json:"sensitive,omitempty"`
}

func fileInfo() tool {
	return build(
		define("file_info", fileInfoDoc, `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"In the workspace, or absolute."}`+
			`},"required":["path"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, Idempotent: true}, `{"path":"notes.txt"}`, `{"path":"docs"}`,
			`{"path":"/home/ana/Pictures/lamp.jpg"}`),
		handler[fileInfoParams]{
			paths: func(_ *Tools, _ toolspec.Call, p fileInfoParams) ([]pathUse, error) {
				return readsFrom(p.Path), nil
			},
			describe: func(_ *Tools, _ fileInfoParams, at []safefs.Target) toolspec.Description {
				return toolspec.Description{Sentence: "Checking " + shownFolder(at[0])}
			},
			run: runFileInfo,
		})
}

func runFileInfo(_ context.Context, t *Tools, r request[fileInfoParams]) (toolspec.Result, error) {
	a := r.at[0]
	info, err := t.fs.Lstat(a)
	if errors.Is(err, fs.ErrNotExist) {
		result := toolspec.OK(fileDetails{Path: a.DisplayPath})
		result.Text, result.Sentence = a.DisplayPath+" does not exist.", "Checked "+shownFolder(a)+": it does not exist"
		return result, nil
	}
	if err != nil {
		return toolspec.Result{}, err
	}
	out := fileDetails{
		Path: a.DisplayPath, Exists: true, Type: safefs.Kind(info.Mode()), Size: info.Size(),
		Sensitive: a.Place.Description,
		Modified:  info.ModTime().UTC().Format(time.RFC3339), Mode: info.Mode().String(),
	}
	if a.Workspace != "" && filepath.IsLocal(r.p.Path) &&
		filepath.Join(a.Workspace, filepath.FromSlash(r.p.Path)) != a.Real {
		out.Target = a.Real
	}
	if info.Mode().IsRegular() {
		out.MIME = t.contentType(a)
	}
	result := toolspec.OK(out)
	result.Text = fmt.Sprintf("%s: %s, %s, changed %s, %s",
		a.DisplayPath, out.Type, humanize.Bytes(uint64(out.Size)), out.Modified, out.Mode)
	if out.MIME != "" {
		result.Text += ", " + out.MIME
	}
	if out.Sensitive != "" {
		result.Text += "; it is " + out.Sensitive
	}
	result.Sentence = "Checked " + shownFolder(a)
	return result, nil
}

func (t *Tools) contentType(a safefs.Target) string {
	f, _, err := t.fs.OpenFile(a)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 512)
	n, _ := f.Read(head) // an empty file reads nothing
	return http.DetectContentType(head[:n])
}
