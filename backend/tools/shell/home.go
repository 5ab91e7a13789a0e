package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/sandbox/confine"
)

// homeFolders are files and folders in the home folder that programs need, and that hold code and settings.
var homeFolders = []string{
	".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes", ".rustup", ".cargo/registry",
	"go/pkg/mod", ".m2/repository", ".local/lib",
}

// closeHome closes the home folder to a command, and other folders outside of the workspace and the system. A command
// may read more than its text shows.
func (t *Tools) closeHome(p run, spec *confine.Spec) {
	spec.Restricted = confine.PrivateFolders(t.cfg.Home)
	for _, name := range homeFolders {
		if path := filepath.Join(t.cfg.Home, name); !hasCredentials(path) {
			spec.Visible = append(spec.Visible, path)
		}
	}
	for _, c := range p.reading.Commands {
		if !strings.Contains(c.Program, "/") { // a program named by its path may be in any folder
			spec.Visible = append(spec.Visible, confine.ToolchainFolders(c.Program, spec.Restricted)...)
		}
	}
}

// closeHomeExceptReads closes the home folder except for what the command was found to read.
func (t *Tools) closeHomeExceptReads(p run, spec *confine.Spec) {
	reads := append([]string{p.dir}, p.reading.Folders...)
	for _, f := range p.reading.Files {
		reads = append(reads, f.Path)
	}
	for i, path := range reads {
		if at := strings.IndexAny(path, "*?"); at >= 0 {
			reads[i] = filepath.Dir(path[:at] + "x")
		}
	}
	if slices.Contains(reads, "/") {
		return
	}
	t.closeHome(p, spec)
	spec.Visible = append(spec.Visible, reads...)
}

// hasCredentials reports whether a settings file of git contains a password or token.
func hasCredentials(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := os.ReadFile(path)
	return err != nil || credentials.Match(text)
}

var credentials = regexp.MustCompile(`(?i)://[^/\s]*@|extraheader|token|password|passwd|secret`)
