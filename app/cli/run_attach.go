package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"sextant/app/cli/verb"
	httpapi "sextant/backend/api/http"
	"sextant/backend/attachment"
	"sextant/shared/chat"
)

// maxAttached is how many files a message can have, and uploadTimeout the time to store one, with the first PDF.
const (
	maxAttached   = 8
	uploadTimeout = 2 * time.Minute
)

type localFile struct {
	name string
	data []byte
}

// readAttachments reads the files of --attach, so that a wrong path is reported before anything starts.
func (v *runVerb) readAttachments() ([]localFile, error) {
	if len(v.Attach) > maxAttached {
		return nil, verb.Failure(verb.ExitUsage, "--attach is used %d times; a message can have %d files",
			len(v.Attach),
			maxAttached)
	}
	if v.Attach != nil && v.answerFormat != nil {
		return nil, verb.Failure(verb.ExitUsage, "--attach cannot be used together with --format")
	}
	var files []localFile
	for _, path := range v.Attach {
		data, err := attachment.ReadFile(path)
		if err != nil {
			return nil, verb.Failure(verb.ExitUsage, "%v", err)
		}
		switch {
		case len(data) == 0:
			return nil, verb.Failure(verb.ExitUsage, "%s is empty, so there is nothing to attach", path)
		case len(data) > attachment.MaxBytes:
			return nil, verb.Failure(verb.ExitUsage, "%s is larger than 20 MB, so it cannot be attached", path)
		}
		files = append(files, localFile{filepath.Base(path), data})
	}
	return files, nil
}

func attachTo(ctx context.Context, store *attachment.Store, files []localFile) ([]chat.Attachment, error) {
	var out []chat.Attachment
	for _, f := range files {
		stored, err := store.Add(ctx, f.name, f.data)
		if err != nil {
			return nil, verb.Failure(verb.ExitUsage, "%v", err)
		}
		a, err := store.Attach(ctx, stored.Blob, f.name, "")
		if err != nil {
			return nil, verb.Failure(verb.ExitFailed, "%v", err)
		}
		out = append(out, a)
	}
	return out, nil
}

// uploadTo stores files in the running Sextant.
func uploadTo(ctx context.Context, i verb.RunningInstance, files []localFile) ([]httpapi.AttachedFile, error) {
	var out []httpapi.AttachedFile
	for _, f := range files {
		body, err := i.Send(ctx, http.MethodPost, "/api/attachments?name="+url.QueryEscape(f.name),
			bytes.NewReader(f.data), uploadTimeout)
		if err != nil {
			return nil, verb.Failure(verb.ExitUsage, "%v", err)
		}
		var stored chat.File
		if err := json.Unmarshal(body, &stored); err != nil {
			return nil, verb.Failure(verb.ExitFailed, "the running Sextant gave an unknown answer: %v", err)
		}
		out = append(out, httpapi.AttachedFile{Blob: stored.Blob, Name: f.name})
	}
	return out, nil
}
