package confine

import (
	"path/filepath"
	"slices"
)

// startUps are files and folders of a home that programs read and run when they start.
var startUps = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin",
	".config/fish", ".config/environment.d", ".config/autostart", ".config/systemd", ".local/bin", "bin", ".gitconfig",
	".config/git",
	".vimrc", ".config/nvim", ".vim", ".emacs", ".emacs.d", ".inputrc", ".pam_environment", ".xinitrc", ".xprofile",
	".xsession",
	".cargo/bin", ".cargo/config.toml", ".local/share/applications", ".config/Code/User", ".pyenv", ".nvm",
}

// Keeps reports whether runs behind walls write nothing in workspace: it is the home, lies above
// it, or is a folder of it, like .config, where start-up files have their places. One that is not
// there yet cannot be kept from being made in any other way.
func (c *Confine) Keeps(workspace string) bool {
	home, err := filepath.EvalSymlinks(c.cfg.Home)
	if err != nil || c.cfg.Home == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return false // a run in it fails
	}
	return slices.ContainsFunc(startUps, func(name string) bool {
		path := filepath.Join(home, name)
		return path != real && within(path, real)
	})
}
