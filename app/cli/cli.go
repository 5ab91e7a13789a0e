// Package cli is the command line: the verbs (subcommands) with their flags, output and exit codes. Some verbs connect
// to the running Sextant over loopback if there is one. The others open an app.System or the files that they need.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"sextant/app"
	"sextant/app/cli/panelverbs"
	"sextant/app/cli/scheduleverbs"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/sandbox/confine"
)

// Main runs the command line and returns the exit code.
func Main(args []string) int {
	confine.RunStep() // does not return in a process that is a step of a sandboxed run
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
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
func Run(ctx context.Context, args []string, io verb.Streams) (code int) {
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
		return verb.ExitFailed
	}
	parsed, err := parser.Parse(withTarget(args))
	if exited {
		return code
	}
	if err != nil {
		_, _ = fmt.Fprintf(io.Err, "sextant: %v\nRun sextant --help to list the commands.\n", err)
		return verb.ExitUsage
	}
	if err := parsed.Run(); err != nil {
		var wrong *config.FlagError
		if errors.As(err, &wrong) {
			_, _ = fmt.Fprintln(io.Err, "sextant:", wrong)
			return verb.ExitUsage
		}
		var e *verb.Error
		if errors.As(err, &e) {
			if e.Text != "" {
				_, _ = fmt.Fprintln(io.Err, "sextant:", e.Text)
			}
			return e.Code
		}
		_, _ = fmt.Fprintln(io.Err, "sextant:", err)
		return verb.ExitFailed
	}
	return verb.ExitDone
}

type commands struct {
	verb.Global

	Window        windowVerb              `cmd:"" default:"withargs" help:"Open the window (default)."`
	Serve         serveVerb               `cmd:"" help:"Serve the same interface on loopback, without a window."`
	Ask           askVerb                 `cmd:"" help:"Open the window with a new message; bind it to a key of the desktop."`
	Open          openVerb                `cmd:"" help:"Open another window of the running Sextant in a browser."`
	MCP           mcpVerb                 `cmd:"" name:"mcp" help:"Offer the tools to an MCP client over stdin and stdout."`
	Run           runVerb                 `cmd:"" help:"Do one task and print the answer."`
	Tools         toolsVerb               `cmd:"" help:"List, show and call tools."`
	Panels        panelverbs.Verb         `cmd:"" help:"List, check and create panels."`
	MCPServers    mcpServersVerb          `cmd:"" name:"mcp-servers" help:"List, add and import MCP servers."`
	Secrets       secretsVerb             `cmd:"" help:"List, save and delete secrets, which are used as {{secret:name}}."`
	Audit         auditVerb               `cmd:"" help:"Show, verify and export the audit log of all calls."`
	Conversations conversationsVerb       `cmd:"" help:"List, export and import conversations."`
	Recipes       recipesVerb             `cmd:"" help:"Run what was done once again, without a model."`
	Schedules     scheduleverbs.Schedules `cmd:"" help:"Let recipes and prompts run by themselves."`
	Runs          scheduleverbs.Runs      `cmd:"" help:"Run a recipe for each row of a table."`
	Worker        scheduleverbs.Worker    `cmd:"" help:"Run rows of a queue that several computers share."`
	Service       scheduleverbs.Service   `cmd:"" help:"Run Sextant without a window, with your session."`
	Backups       backupsVerb             `cmd:"" help:"List the daily backups, or restore one."`
	Doctor        doctorVerb              `cmd:"" help:"Check this machine and report what is missing."`
	Version       versionVerb             `cmd:"" help:"Print the version."`
}

type versionVerb struct{}

// Run prints the version.
func (versionVerb) Run(io verb.Streams) error {
	_, err := fmt.Fprintln(io.Out, "sextant", app.Version)
	return err
}
