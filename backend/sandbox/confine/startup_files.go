package confine

import (
	"path/filepath"
	"slices"

	"sextant/shared/subpath"
)

// startupFiles are files and folders in a home folder that programs read or run when they start.
var startupFiles = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin",
	".config/fish", ".config/environment.d", ".config/autostart", ".config/systemd", ".local/bin", "bin", ".gitconfig",
	".config/git",
	".vimrc", ".config/nvim", ".vim", ".emacs", ".emacs.d", ".inputrc", ".pam_environment", ".xinitrc", ".xprofile",
	".xsession",
	".cargo/bin", ".cargo/config.toml", ".local/share/applications", ".config/Code/User", ".pyenv", ".nvm",
}

// ForcesReadOnly reports whether workspace is read-only for runs in the sandbox: it is the home folder, contains it, or
// is a folder such as .config that contains startup files. Otherwise a run could create a startup file that does not
// exist yet.
func (s *Sandbox) ForcesReadOnly(workspace string) bool {
	home, err := filepath.EvalSymlinks(s.cfg.Home)
	if err != nil || s.cfg.Home == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return false // a run in it would fail
	}
	return slices.ContainsFunc(startupFiles, func(name string) bool {
		path := filepath.Join(home, name)
		return path != real && subpath.IsWithin(path, real)
	})
}
