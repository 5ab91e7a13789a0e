package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sextant/app/config"
	"sextant/backend/mcp/access"
	"sextant/backend/mcp/client"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/launch"
	"sextant/backend/panels/acceptance"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
)

// mcpGrantsVerb shows and changes what the program of a server may touch.
type mcpGrantsVerb struct {
	Name    string   `arg:"" help:"Name of the server."`
	Network []string `help:"Hosts it may reach in place of what it may now; * is all of the network, none is none." placeholder:"HOST"`
	Read    []string `help:"Paths it may read in place of those it may now; none is none." placeholder:"PATH"`
	Write   []string `help:"Paths it may read and write in place of those it may now; none is none." placeholder:"PATH"`
	Sandbox string   `help:"off runs it as you, with all your files; on puts it back into the sandbox." enum:"on,off,unchanged" default:"unchanged"`
	Reset   bool     `help:"Forget what was granted: all of it follows from the entry again."`
}

// Run changes what was asked for in mcp-config.json and says what the server may touch then.
func (v *mcpGrantsVerb) Run(io Streams, g *Global) error {
	config, err := config.Load(g.flags())
	if err != nil {
		return err
	}
	path := filepath.Join(config.ConfigDir, mcpconfig.FileName)
	servers := mcp.New(mcp.Config{Path: path, Sandbox: sandboxOf(config), Dir: here()})
	entry, err := servers.EntryInFile(v.Name)
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	if entry.Command == "" {
		return failure(exitUsage, "%s is at an address; it touches nothing of this machine", acceptance.Escaped(v.Name))
	}
	if v.change(&entry) {
		if err := servers.SetAccess(v.Name, entry.Sextant); err != nil {
			return failure(exitFailed, "%v", err)
		}
		_, _ = fmt.Fprintf(io.Err, "Written to %s. A running Sextant starts %s anew.\n", path,
			acceptance.Escaped(v.Name))
	}
	sayMay(io.Out, servers.Access(entry))
	return nil
}

// change makes of the entry what was asked for, and reports whether that is anything.
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

// sandboxOf is the sandbox of servers as far as words need it, where nothing runs.
func sandboxOf(config *config.Config) *launch.Sandbox {
	home, _ := os.UserHomeDir() // without one no place is known as the person's
	own := []string{config.DataDir, config.ConfigDir}
	return &launch.Sandbox{
		Confine: confine.New(confine.Config{Home: home, SecretPaths: own}), Home: home, OwnFolders: own,
		Places:           protectedpaths.New(protectedpaths.OwnFolders{Home: home, Data: own[0], Config: own[1]}),
		GrantableFolders: []string{filepath.Join(own[0], "downloads"), filepath.Join(own[0], "notes")},
		Bundles:          filepath.Join(own[0], "bundles"),
	}
}

// here is the folder that the verb was started in, "" where it is gone.
func here() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// sayMay prints what a server may touch.
func sayMay(out io.Writer, may launch.Access) {
	for _, word := range may.Words {
		_, _ = fmt.Fprintf(out, "  %s\n", acceptance.Escaped(word))
	}
}
