// Package verb contains what the verbs of the command line share: their flags, streams, failures and exit codes, and
// how they open Sextant or join the running one.
package verb

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sextant/app/config"
)

// The exit codes.
const (
	ExitDone    = 0
	ExitFailed  = 1
	ExitUsage   = 2
	ExitRefused = 3
)

// Error is a failure with its exit code. Text is what is printed.
type Error struct {
	Code int
	Text string
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Failure returns an *Error.
func Failure(code int, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Streams are the input and outputs of a verb. Out receives results, and Err receives progress and questions.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Global contains the flags of all verbs.
type Global struct {
	Data       string   `help:"Folder for data (SEXTANT_DATA)." placeholder:"DIR"`
	Config     string   `help:"Folder with config.toml and mcp-config.json (SEXTANT_CONFIG)." placeholder:"DIR"`
	Workspace  string   `help:"Folder the assistant works in." placeholder:"DIR"`
	AllowHosts []string `help:"Loopback and private hosts that may be reached, e.g. 127.0.0.1,localhost." placeholder:"HOST"`
	DenyHosts  []string `help:"Hosts that are never reached, e.g. ads.example; * is every host that --allow-hosts does not name." placeholder:"HOST"`
	PanelDirs  []string `name:"panels" help:"Additional folders with panels." placeholder:"DIR"`
	Profile    *string  `help:"Browser profile in the data folder, \"\" for a temporary one." placeholder:"NAME"`
	Chromium   string   `help:"Chromium or Chrome to control." placeholder:"PATH"`
	LogLevel   string   `help:"debug, info, warn or error." placeholder:"LEVEL"`
}

// Flags returns the global flags for config.Load. An empty value counts as not set, others override the rest of the
// configuration.
func (g *Global) Flags() map[string]string {
	f := map[string]string{
		"data": g.Data, "config": g.Config, "workspace": g.Workspace, "chromium": g.Chromium, "log_level": g.LogLevel,
	}
	if len(g.AllowHosts) > 0 {
		f["allow_hosts"] = joinList(g.AllowHosts)
	}
	if g.Profile != nil {
		f["profile"] = cmp.Or(*g.Profile, config.TemporaryProfile)
	}
	if len(g.DenyHosts) > 0 {
		f["deny_hosts"] = joinList(g.DenyHosts)
	}
	if len(g.PanelDirs) > 0 {
		f["panels"] = joinPaths(g.PanelDirs)
	}
	return f
}

func joinList(list []string) string { return strings.Join(list, ",") }

func joinPaths(list []string) string { return strings.Join(list, string(filepath.ListSeparator)) }

// PrintJSON prints v, indented.
func PrintJSON(io Streams, v any) error {
	enc := json.NewEncoder(io.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Confirm asks a question that y or yes answers. It fails only if ctx ends.
func Confirm(ctx context.Context, io Streams, question string) (bool, error) {
	_, _ = fmt.Fprint(io.Err, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.In).ReadString('\n') // on an error, line is empty
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case line := <-answer:
		word := strings.ToLower(strings.TrimSpace(line))
		return word == "y" || word == "yes", nil
	}
}

// IsTerminal reports whether w, an input or output, is a character device other than /dev/null.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != "null"
}
