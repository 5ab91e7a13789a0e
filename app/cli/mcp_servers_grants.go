package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/mcp/access"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/excerpt"
)

type mcpGrantsVerb struct {
	Name    string   `arg:"" help:"Name of the server."`
	Network []string `help:"Hosts it may reach, replacing the current list; * allows the whole network, none allows nothing." placeholder:"HOST"`
	Read    []string `help:"Paths it may read, replacing the current list; none allows nothing." placeholder:"PATH"`
	Write   []string `help:"Paths it may read and write, replacing the current list; none allows nothing." placeholder:"PATH"`
	Sandbox string   `help:"off runs it as you, with access to all your files; on runs it in the sandbox again." enum:"on,off,unchanged" default:"unchanged"`
	Reset   bool     `help:"Remove what was granted: access follows from the entry again."`
}

// Run applies the changes to mcp-config.json and prints what the server may access.
func (v *mcpGrantsVerb) Run(io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	path := filepath.Join(config.ConfigDir, mcpconfig.FileName)
	servers := mcpclient.New(mcpclient.Config{Path: path, Sandbox: sandboxOf(config), Folder: workingFolder})
	entry, err := servers.EntryInFile(v.Name)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if entry.Command == "" {
		return verb.Failure(verb.ExitUsage, "%s is a remote server and has no access to this machine",
			excerpt.Escape(v.Name))
	}
	if v.change(&entry) {
		if err := servers.SetAccess(v.Name, entry.Sextant); err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		_, _ = fmt.Fprintf(io.Err, "Saved in %s. A running Sextant restarts %s.\n", path,
			excerpt.Escape(v.Name))
	}
	printAccess(io.Out, servers.Access(entry))
	return nil
}

func (v *mcpGrantsVerb) change(entry *mcpconfig.Entry) bool {
	now := access.Override{}
	if entry.Sextant != nil {
		now = *entry.Sextant
	}
	lists := access.GrantLists{}
	if now.Grants != nil {
		lists = *now.Grants
	}
	changed := v.Reset
	if v.Reset {
		now, lists = access.Override{}, access.GrantLists{}
	}
	for _, one := range []struct{ to, from *[]string }{
		{&lists.Network, &v.Network},
		{&lists.Read, &v.Read},
		{&lists.Write, &v.Write},
	} {
		if len(*one.from) == 0 {
			continue
		}
		*one.to, changed = []string{}, true
		for _, item := range *one.from {
			if item != "none" {
				*one.to = append(*one.to, item)
			}
		}
	}
	if lists.Network != nil || lists.Read != nil || lists.Write != nil {
		now.Grants = &lists
	}
	if v.Sandbox != "unchanged" {
		now.Confine, changed = "", true
		if v.Sandbox == "off" {
			now.Confine = "off"
		}
	}
	if entry.Sextant = &now; now.Grants == nil && now.Confine == "" {
		entry.Sextant = nil
	}
	return changed
}

func sandboxOf(config *config.Config) *launch.Sandbox {
	home, _ := os.UserHomeDir() // if it is unknown, protected paths are recognized only by their names
	own := []string{config.DataDir, config.ConfigDir}
	return &launch.Sandbox{
		Confine: confine.New(confine.Config{Home: home, SecretPaths: own}), Home: home, OwnFolders: own,
		Places:           protectedpaths.New(protectedpaths.OwnFolders{Home: home, Data: own[0], Config: own[1]}),
		GrantableFolders: []string{filepath.Join(own[0], "downloads"), filepath.Join(own[0], "notes")},
		Bundles:          filepath.Join(own[0], "bundles"),
	}
}

// workingFolder returns the current folder, "" if it was deleted.
func workingFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

func printAccess(out io.Writer, a launch.Access) {
	for _, word := range a.Sentences {
		_, _ = fmt.Fprintf(out, "  %s\n", excerpt.Escape(word))
	}
}
