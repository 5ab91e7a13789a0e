package page

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type uploadParams struct {
	ID    int      `json:"annotationId" required:"true" min:"1"`
	Path  string   `json:"path"`
	Paths []string `json:"paths"`
}

func (t *Tools) uploadFile() tool {
	x := build(tool{
		name: "upload_file", hints: toolspec.Hints{OpenWorld: true, Confirm: true},
		examples: []string{
			`{"annotationId":7,"path":"reports/june.pdf"}`,
			`{"annotationId":7,"paths":["a.png","b.png"]}`,
			`{"annotationId":12,"path":"/home/ana/Pictures/lamp.jpg"}`,
		},
	}, func(s session, p uploadParams) toolspec.Description {
		d := describeElement(s, "Uploading to", p.ID)
		paths, err := t.uploadPaths(p)
		if err != nil {
			return d
		}
		d.Sentence = "Uploading " + baseNames(paths) + " to " + nameOf(s, p.ID)
		d.Data = strings.Join(paths, ", ")
		if len(d.Hosts) > 0 {
			d.Question = "Upload " + baseNames(paths) + " to " + strings.Join(d.Hosts, ", ") + "?"
		}
		return d
	}, func(ctx context.Context, s session, p uploadParams) (toolspec.Result, error) {
		paths, err := t.uploadPaths(p)
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := "Uploaded " + baseNames(paths) + " to " + nameOf(s, p.ID)
		return t.answer(sentence)(s.Upload(ctx, p.ID, paths))
	})
	x.onDescribe = func(call toolspec.Call) {
		// If the paths cannot be resolved now, the upload is refused even if they can be resolved later.
		var paths []string
		if p, err := read[uploadParams](call.Args); err == nil {
			if paths, err = t.uploadPaths(p); err != nil {
				paths = nil
			}
		}
		t.resolved.Set(call.ID, paths)
	}
	upload := x.run
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		p, err := read[uploadParams](call.Args)
		if was, judged := t.resolved.Take(call.ID); judged && err == nil {
			if paths, err := t.uploadPaths(p); err == nil && !slices.Equal(paths, was) {
				return toolspec.Fail(toolspec.PermissionError,
					"the path now leads to another file than the one that was asked about, so nothing was uploaded",
					"Check the file, then send the path of the file itself."), nil
			}
		}
		return upload(ctx, s, call)
	}
	return x
}

func (t *Tools) uploadPaths(p uploadParams) ([]string, error) {
	all := p.Paths
	if p.Path != "" {
		all = append([]string{p.Path}, all...)
	}
	if len(all) == 0 {
		return nil, &argumentError{"path is missing", `send {"annotationId":7,"path":"reports/june.pdf"}`}
	}
	paths := make([]string, len(all))
	for i, f := range all {
		if strings.ContainsRune(f, 0) || strings.HasPrefix(f, "~") || f == "" {
			return nil, &argumentError{"the path " + annotation.Clean(f, 100) +
				" is neither absolute nor in the workspace", "send an absolute path"}
		}
		if !filepath.IsAbs(f) {
			folder := t.opts.Folder()
			if folder == "" || !filepath.IsLocal(f) {
				return nil, &argumentError{
					"the path " + annotation.Clean(f, 100) + " leads out of the workspace",
					"send an absolute path",
				}
			}
			f = filepath.Join(folder, f)
		}
		// The question names the file itself, not a link to the file.
		if real, err := filepath.EvalSymlinks(f); err == nil {
			f = real
		}
		paths[i] = filepath.Clean(f)
	}
	return paths, nil
}

func baseNames(paths []string) string {
	if len(paths) > 1 {
		return english.Plural(len(paths), "file", "")
	}
	return annotation.Clean(filepath.Base(paths[0]), 60)
}
