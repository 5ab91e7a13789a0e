// Package cli is the command line: the verbs (subcommands) with their flags, output and exit codes. Some verbs connect
// to the running Sextant over loopback if there is one. The others open an app.System or the files that they need.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/sandbox/confine"
)

const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
)

type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

func failure(code int, format string, args ...any) error {
	return &exitError{code: code, text: fmt.Sprintf(format, args...)}
}

// Streams are the input and outputs of a verb. Out receives results, and Err receives progress and questions.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	confine.RunStep() // does not return in a process that is a step of a sandboxed run
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Model returns the verbs and flags, for the manual page and the completions.
func Model() (*kong.Application, error) {
	parser, err := kong.New(&commands{}, kong.Name("sextant"))
	if err != nil {
		return nil, err
	}
	return parser.Model, nil
}

// Run runs the verb in args and returns the exit code. Unlike Main, it does not touch the signals and streams of the
// process, so that tests can call it.
func Run(ctx context.Context, args []string, io Streams) (code int) {
	var cli commands
	exited := false
	parser, err := kong.New(&cli,
		kong.Name("sextant"),
		kong.Description("A desktop assistant that acts: panels, tools and a browser driven by numbers."),
		kong.Writers(io.Out, io.Err),
		kong.Exit(func(c int) { code, exited = c, true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(io, &cli.Global),
	)
	if err != nil {
		_, _ = fmt.Fprintln(io.Err, "sextant:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if exited {
		return code
	}
	if err != nil {
		_, _ = fmt.Fprintf(io.Err, "sextant: %v\nRun sextant --help to list the commands.\n", err)
		return exitUsage
	}
	if err := parsed.Run(); err != nil {
		var wrong *config.FlagError
		if errors.As(err, &wrong) {
			_, _ = fmt.Fprintln(io.Err, "sextant:", wrong)
			return exitUsage
		}
		var e *exitError
		if errors.As(err, &e) {
			if e.text != "" {
				_, _ = fmt.Fprintln(io.Err, "sextant:", e.text)
			}
			return e.code
		}
		_, _ = fmt.Fprintln(io.Err, "sextant:", err)
		return exitFailed
	}
	return exitDone
}

type commands struct {
	Global

	Window        windowVerb        `cmd:"" default:"withargs" help:"Open the window (default)."`
	Serve         serveVerb         `cmd:"" help:"Serve the same interface on loopback, without a window."`
	Open          openVerb          `cmd:"" help:"Open another window of the running Sextant in a browser."`
	MCP           mcpVerb           `cmd:"" name:"mcp" help:"Offer the tools to an MCP client over stdin and stdout."`
	Run           runVerb           `cmd:"" help:"Do one task and print the answer."`
	Tools         toolsVerb         `cmd:"" help:"List, show and call tools."`
	Panels        panelsVerb        `cmd:"" help:"List, check and create panels."`
	MCPServers    mcpServersVerb    `cmd:"" name:"mcp-servers" help:"List, add and import MCP servers."`
	Secrets       secretsVerb       `cmd:"" help:"List, save and delete secrets, which are used as {{secret:name}}."`
	Audit         auditVerb         `cmd:"" help:"Show, verify and export the audit log of all calls."`
	Conversations conversationsVerb `cmd:"" help:"List, export and import conversations."`
	Recipes       recipesVerb       `cmd:"" help:"Run what was done once again, without a model."`
	Backups       backupsVerb       `cmd:"" help:"List the daily backups, or restore one."`
	Doctor        doctorVerb        `cmd:"" help:"Check this machine and report what is missing."`
	Version       versionVerb       `cmd:"" help:"Print the version."`
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

// flags returns the global flags for config.Load. An empty value counts as not set, others override the rest of the
// configuration.
func (g *Global) flags() map[string]string {
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

type versionVerb struct{}

// Run prints the version.
func (versionVerb) Run(io Streams) error {
	_, err := fmt.Fprintln(io.Out, "sextant", app.Version)
	return err
}
