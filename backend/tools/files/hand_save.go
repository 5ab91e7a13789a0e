package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
)

// The names of the tools that built-in panels are done by.
const (
	HandSave    = "hand_save"
	HandFolder  = "hand_folder"
	HandMove    = "hand_move"
	HandTrash   = "hand_trash"
	HandRestore = "hand_restore"
)

// hand makes the definition of a tool that is offered by no list of this room.
func hand(name string) toolspec.Definition { return toolspec.Definition{Name: name, Group: Group} }

// handSaveParams are those of hand_save. Version is what the text came from, as FileText has it,
// "" for a file that is not to be there; without it the caller must know the file as write_file
// asks. Private makes a new file its owner's alone. Append adds the content on a line of its own
// at the end instead; what is there stays, so nothing has to be known of it.
type handSaveParams struct {
	Path    string  `json:"path"`
	Content string  `json:"content"`
	Version *string `json:"version"`
	Private bool    `json:"private"`
	Append  bool    `json:"append"`
}

// handSaved is the result of hand_save.
type handSaved struct {
	written
	// Version is what the file holds now.
	Version string `json:"version"`
}

func handSave() tool {
	return build(hand(HandSave), parts[handSaveParams]{
		uses: func(_ *Tools, _ toolspec.Call, p handSaveParams) ([]use, error) {
			return []use{{path: p.Path, use: toolspec.UseWrite}}, nil
		},
		say: func(t *Tools, p handSaveParams, at []target) toolspec.Description {
			over := ""
			if _, err := t.look(at[0]); errors.Is(err, fs.ErrNotExist) {
				over = "the new file "
			}
			return toolspec.Description{Present: fmt.Sprintf("Saving %s to %s%s", counted(lineCount(p.Content), "line"), over, called(at)), Data: p.Content}
		},
		run: runHandSave,
	})
}

func runHandSave(ctx context.Context, t *Tools, j job[handSaveParams]) (toolspec.Result, error) {
	a := j.at[0]
	var before current
	var content []byte
	changed, err := t.change(ctx, j.call, a, func(now current) (next, error) {
		before = now
		text, err := j.p.text(a, now)
		if err != nil {
			return next{}, err
		}
		if content, err = inForm(a, now, text); err != nil {
			return next{}, err
		}
		switch {
		case j.p.Append:
		case now.exists && bytes.Equal(now.content, content):
			return next{content: now.content}, nil
		case j.p.Version == nil:
			err = t.fresh(j.call, a, now)
		case *j.p.Version != now.hash():
			err = &fault{
				toolspec.UserError, a.shown + " has changed since it was read, so it was not written to",
				"Read it again and put the change into what it holds now.",
			}
		}
		to := next{content: content}
		if j.p.Private && !now.exists {
			to.mode = 0o600
		}
		return to, err
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	d := diffOf(a.shown, before.content, content)
	r := toolspec.OK(handSaved{
		written{a.shown, !before.exists, lineCount(j.p.Content), len(content), d.added, d.removed, 0}, hashOf(content),
	})
	if !changed {
		r.Text, r.Sentence = a.shown+" holds exactly that already.", called(j.at)+" holds exactly that already"
		return r, nil
	}
	r.Sentence = fmt.Sprintf("Saved %s to %s", counted(lineCount(j.p.Content), "line"), called(j.at))
	r.Text = fmt.Sprintf("Saved %s: %s, %s.", a.shown, counted(lineCount(j.p.Content), "line"), sized(int64(len(content))))
	r.Preview = previewOf(j.p.Content)
	if before.exists {
		r.Preview = d.preview()
	}
	r.Changed = []string{a.real}
	return r, nil
}

// text is what the file is to hold.
func (p handSaveParams) text(a target, now current) (string, error) {
	if !p.Append || len(now.content) == 0 {
		return p.Content, nil
	}
	is, _, err := decoded(now.content, a)
	if err == nil && !strings.HasSuffix(is, "\n") {
		is += "\n"
	}
	return is + p.Content, err
}

// inForm is text as the file at a holds its text: in its encoding, with its byte order mark.
func inForm(a target, now current, text string) ([]byte, error) {
	if !now.exists || len(now.content) == 0 {
		return []byte(text), nil
	}
	_, form, err := textOf(bytes.NewReader(now.content), "", a, int64(len(now.content)))
	if err != nil {
		return nil, err
	}
	content, err := form.encode(text)
	if err != nil {
		return nil, &fault{toolspec.UserError, fmt.Sprintf("%s is %s, which cannot hold this text", a.shown, form), "Use other characters, or save it under another name."}
	}
	return content, nil
}

type handPathParams struct {
	Path string `json:"path"`
}

func handFolder() tool {
	return build(hand(HandFolder), parts[handPathParams]{
		uses: func(_ *Tools, _ toolspec.Call, p handPathParams) ([]use, error) {
			return []use{{path: p.Path, use: toolspec.UseWrite, entry: true}}, nil
		},
		say: func(_ *Tools, _ handPathParams, at []target) toolspec.Description {
			return toolspec.Description{Present: "Making the folder " + called(at)}
		},
		run: runHandFolder,
	})
}

func runHandFolder(ctx context.Context, t *Tools, j job[handPathParams]) (toolspec.Result, error) {
	a := j.at[0]
	_, err := t.change(ctx, j.call, a, func(now current) (next, error) {
		if now.exists {
			return next{}, taken(a)
		}
		mode := fs.FileMode(0o755)
		if in, err := os.Lstat(filepath.Dir(a.real)); err == nil {
			mode = in.Mode().Perm()
		}
		return next{mode: fs.ModeDir | mode}, nil
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	r := toolspec.OK(map[string]any{"path": a.shown})
	r.Sentence, r.Text, r.Changed = "Made the folder "+called(j.at), "Made the folder "+a.shown+".", []string{a.real}
	return r, nil
}

// taken is the fault of a name that is to be new.
func taken(a target) error {
	return &fault{toolspec.UserError, a.shown + " is there already, so nothing was done", "Send another name."}
}

// entryAt is what lies at a target itself, and a handle of its folder, which the caller closes.
func (t *Tools) entryAt(a target) (*os.Root, fs.FileInfo, error) {
	root, err := t.openDir(a, filepath.Dir(a.real))
	if err != nil {
		return nil, nil, err
	}
	info, err := root.Lstat(filepath.Base(a.real))
	if err != nil {
		_ = root.Close()
		return nil, nil, t.cannot(a, err)
	}
	return root, info, nil
}
