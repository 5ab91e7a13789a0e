package app

import (
	"context"
	"net/http"
	"os"
	"path/filepath"

	"sextant/backend/tools/shell"
	codeeditor "sextant/panels/code-editor"
	filespanel "sextant/panels/files"
	notespanel "sextant/panels/notes"
	"sextant/panels/terminal"
	"sextant/shared/toolspec"
)

// openPanels opens the Go side of built-in panels: floor 4. What they need of other wings of that
// floor is handed over as functions.
func (s *System) openPanels() error {
	s.Editor = codeeditor.New(s.Files, codeeditor.Open(filepath.Join(s.Config.DataDir, "editor"), s.editorChanged))
	var err error
	if s.Notes, err = notespanel.New(s.Files, filepath.Join(s.Config.DataDir, "notes")); err != nil {
		return err
	}
	s.Terminals = terminal.New(terminal.Config{
		Confine: s.Confine, Shell: ownShell(), Folder: s.Workspace, Bash: s.onScreen, Log: s.Log,
	})
	return nil
}

// panelHandlers answer the endpoints of built-in panels, by panel id.
func (s *System) panelHandlers() map[string]http.Handler {
	return map[string]http.Handler{
		"terminal":  s.Terminals.Handler(),
		editorPanel: s.Editor,
		"files":     filespanel.New(s.Files),
		"notes":     s.Notes,
	}
}

// inertTools are tools of built-in panels that change nothing by themselves: they make calls of other
// tools, or end what their caller began.
func inertTools() []string { return []string{"terminal_run", "terminal_stop"} }

// ownShell is the person's shell.
func ownShell() string {
	for _, path := range []string{os.Getenv("SHELL"), "/bin/bash", "/bin/sh"} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return "/bin/sh"
}

// commandTool is the one tool that runs commands; a terminal of the assistant's is a place for its
// calls and no tool beside it.
const commandTool = "bash"

// onScreen makes a call of the shell tool that runs in a terminal: judged, asked for, confined and
// recorded as every one is.
func (s *System) onScreen(ctx context.Context, r terminal.Run) toolspec.Result {
	ctx = shell.OnScreen(ctx, &shell.Screen{Columns: r.Columns, Rows: r.Rows, Begun: r.Begun, Output: printing(r.Output)})
	return s.Pipeline.Do(ctx, toolspec.Call{Tool: commandTool, Args: r.Args, Panel: r.From.Panel, From: r.From.From})
}

// printing is a function as a writer.
type printing func([]byte)

// Write implements io.Writer.
func (p printing) Write(b []byte) (int, error) {
	p(b)
	return len(b), nil
}
