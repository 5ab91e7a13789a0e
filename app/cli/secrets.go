package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/sandbox/secrets"
)

// secretsVerb manages the person's secrets. It can be used while Sextant is running, which notices changes immediately.
type secretsVerb struct {
	List   secretsListVerb   `cmd:"" default:"1" help:"List the secrets, without their values."`
	Set    secretsSetVerb    `cmd:"" help:"Save a secret, or replace the one of that name; the value is read from stdin."`
	Delete secretsDeleteVerb `cmd:"" help:"Delete a secret and its value."`
}

type secretsListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the secrets without their values.
func (v *secretsListVerb) Run(io verb.Streams, g *verb.Global) error {
	vault, _, err := openVault(g, io)
	if err != nil {
		return err
	}
	all := vault.List()
	if v.JSON {
		return verb.PrintJSON(io, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(io.Out,
			"No secrets yet. Save one: sextant secrets set NAME --host api.example.com < FILE")
		return err
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, s := range all {
		used := "never used"
		if s.LastUsed != nil {
			used = "used " + s.LastUsed.Format("2006-01-02 15:04") + ", " + english.Plural(s.Uses, "time", "")
		}
		if s.Missing {
			used = "its value cannot be read"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\n", s.Name, s.Host, s.Places, s.Storage, used)
	}
	return w.Flush()
}

type secretsSetVerb struct {
	Name string   `arg:"" help:"Name: lower-case letters, digits, _ and -."`
	Host string   `required:"" help:"The only host it may be sent to, e.g. api.example.com or localhost:8080; mcp:NAME for an MCP server that is a program." placeholder:"HOST"`
	In   []string `help:"Where it may be used: header, query, body, field; by default all." placeholder:"PLACE"`
}

// Run stores the text from stdin without its last line break.
func (v *secretsSetVerb) Run(_ context.Context, in verb.Streams, g *verb.Global) error {
	vault, config, err := openVault(g, in)
	if err != nil {
		return err
	}
	value, err := io.ReadAll(io.LimitReader(in.In, secrets.MaxValueBytes+3))
	if err != nil {
		return verb.Failure(verb.ExitFailed, "reading the value from stdin: %v", err)
	}
	one := secrets.Secret{Name: v.Name, Host: v.Host}
	for _, p := range v.In {
		one.Places = append(one.Places, secrets.Place(p))
	}
	if server, is := secrets.ServerName(v.Host); is {
		one.Command = mcpconfig.CommandOf(filepath.Join(config.ConfigDir, mcpconfig.FileName), server)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(value), "\n"), "\r")
	saved, err := vault.Put(one, text)
	if errors.Is(err, secrets.ErrInvalid) {
		return verb.Failure(verb.ExitUsage, "%v", err)
	}
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(
		in.Out,
		"Saved %s for %s in the %s.\n",
		secrets.Reference(saved.Name),
		saved.Host,
		saved.Storage,
	)
	return err
}

type secretsDeleteVerb struct {
	Name string `arg:"" help:"Name of the secret."`
}

// Run deletes the secret.
func (v *secretsDeleteVerb) Run(io verb.Streams, g *verb.Global) error {
	vault, _, err := openVault(g, io)
	if err != nil {
		return err
	}
	if err := vault.Delete(v.Name); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(io.Out, "Deleted %s.\n", v.Name)
	return err
}

func openVault(g *verb.Global, io verb.Streams) (*secrets.Vault, *config.Config, error) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return nil, nil, err
	}
	vault, err := app.OpenVault(config, verb.Logger(config, io))
	if err != nil {
		return nil, nil, verb.Failure(verb.ExitFailed, "%v", err)
	}
	return vault, config, nil
}
