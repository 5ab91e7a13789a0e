package files

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/toolspec"
)

// Names of the tools that carry out the file operations of built-in panels. They are not in the catalog.
const (
	PanelSaveTool    = "hand_save"
	PanelFolderTool  = "hand_folder"
	PanelMoveTool    = "hand_move"
	PanelTrashTool   = "hand_trash"
	PanelRestoreTool = "hand_restore"
)

func definePanelTool(name string) toolspec.Definition {
	return toolspec.Definition{Name: name, Group: Group}
}

type panelSaveParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// Version is that of the wire.FileText from which the content was edited, or "" for a new file. If it is nil, the
	// caller must know the file, as for write_file.
	Version *string `json:"version"`
	Private bool    `json:"private"`
	// Append adds the content at the end, on new lines. Version is ignored, and the caller need not know the file.
	Append bool `json:"append"`
}

type panelSaved struct {
	written
	Version string `json:"version"`
}

func panelSave() tool {
	return build(definePanelTool(PanelSaveTool), handler[panelSaveParams]{
		paths: func(_ *Tools, _ toolspec.Call, p panelSaveParams) ([]pathUse, error) {
			return follow(p.Path, toolspec.UseWrite), nil
		},
		describe: func(t *Tools, p panelSaveParams, at []safefs.Target) toolspec.Description {
			d := toolspec.Description{Sentence: "Saving " + t.linesTo(p.Content, at), Data: p.Content}
			return t.describeChange(d, at[0], "", func(before []byte) ([]byte, error) {
				now := history.State{Exists: true, Content: before}
				text, err := p.newText(at[0], now)
				if err != nil {
					return nil, err
				}
				return encodeLike(at[0], now, text)
			})
		},
		run: runPanelSave,
	})
}

func runPanelSave(ctx context.Context, t *Tools, r request[panelSaveParams]) (toolspec.Result, error) {
	a := r.at[0]
	var before history.State
	var content []byte
	changed, err := t.history.Change(ctx, r.call, a, func(now history.State) (history.Edit, error) {
		before = now
		text, err := r.p.newText(a, now)
		if err != nil {
			return history.Edit{}, err
		}
		if content, err = encodeLike(a, now, text); err != nil {
			return history.Edit{}, err
		}
		switch {
		case r.p.Append:
		case now.Exists && bytes.Equal(now.Content, content):
			return history.Edit{Content: now.Content}, nil
		case r.p.Version == nil:
			err = t.history.RequireKnown(r.call, a, now)
		case *r.p.Version != now.Hash():
			err = toolkit.UserError(a.DisplayPath+" has changed since it was read, so it was not written to",
				"Read it again and put the change into what it holds now.")
		}
		to := history.Edit{Content: content}
		if r.p.Private && !now.Exists {
			to.Mode = 0o600
		}
		return to, err
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	v := written{Path: a.DisplayPath, Lines: textfile.CountLines(r.p.Content), Size: len(content)}
	result := v.result(a, before, content, r.p.Content)
	if saved, ok := result.Value.(written); ok {
		result.Value = panelSaved{saved, history.HashOf(content)}
	}
	if !changed {
		result.Text, result.Sentence = a.DisplayPath+" holds exactly that already.",
			shownNames(r.at)+" holds exactly that already"
		result.Preview, result.Changed = nil, nil
		return result, nil
	}
	result.Sentence = fmt.Sprintf("Saved %s to %s", lineCount(r.p.Content), shownNames(r.at))
	result.Text = fmt.Sprintf("Saved %s: %s, %s.", a.DisplayPath, lineCount(r.p.Content),
		humanize.Bytes(uint64(len(content))))
	return result, nil
}

func (p panelSaveParams) newText(a safefs.Target, now history.State) (string, error) {
	if !p.Append || len(now.Content) == 0 {
		return p.Content, nil
	}
	text, _, err := textfile.Decode(now.Content, a.DisplayPath)
	if err == nil && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + p.Content, err
}

func encodeLike(a safefs.Target, now history.State, text string) ([]byte, error) {
	if !now.Exists || len(now.Content) == 0 {
		return []byte(text), nil
	}
	_, format, err := textfile.NewReader(bytes.NewReader(now.Content), "", a.DisplayPath, int64(len(now.Content)))
	if err != nil {
		return nil, err
	}
	content, err := format.Encode(text)
	if err != nil {
		return nil, toolkit.UserError(fmt.Sprintf("%s is %s, which has no code for a character of this text",
			a.DisplayPath,
			format),
			"Use other characters, or save it under another name.")
	}
	return content, nil
}

type panelPathParams struct {
	Path string `json:"path"`
}

func panelFolder() tool {
	return build(definePanelTool(PanelFolderTool), handler[panelPathParams]{
		paths: func(_ *Tools, _ toolspec.Call, p panelPathParams) ([]pathUse, error) {
			return entry(p.Path, toolspec.UseWrite), nil
		},
		describe: func(_ *Tools, _ panelPathParams, at []safefs.Target) toolspec.Description {
			return toolspec.Description{Sentence: "Creating the folder " + shownNames(at)}
		},
		run: runPanelFolder,
	})
}

func runPanelFolder(ctx context.Context, t *Tools, r request[panelPathParams]) (toolspec.Result, error) {
	a := r.at[0]
	_, err := t.history.Change(ctx, r.call, a, func(now history.State) (history.Edit, error) {
		if now.Exists {
			return history.Edit{}, nameTaken(a)
		}
		mode := fs.FileMode(0o755)
		if parent, err := os.Lstat(filepath.Dir(a.Real)); err == nil {
			mode = parent.Mode().Perm()
		}
		return history.Edit{Mode: fs.ModeDir | mode}, nil
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	result := toolspec.OK(map[string]any{"path": a.DisplayPath})
	result.Sentence, result.Text = "Created the folder "+shownNames(r.at), "Created the folder "+a.DisplayPath+"."
	result.Changed = []string{a.Real}
	return result, nil
}

func nameTaken(a safefs.Target) error {
	return toolkit.UserError(a.DisplayPath+" exists already, so nothing was done", "Send another name.")
}
