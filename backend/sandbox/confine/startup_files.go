package confine

import (
	"path/filepath"
	"slices"
)

// startupFiles are files and folders of a home that programs read or run when they start.
var startupFiles = []string{
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin",
	".config/fish", ".config/environment.d", ".config/autostart", ".config/systemd", ".local/bin", "bin", ".gitconfig",
	".config/git",
	".vimrc", ".config/nvim", ".vim", ".emacs", ".emacs.d", ".inputrc", ".pam_environment", ".xinitrc", ".xprofile",
	".xsession",
	".cargo/bin", ".cargo/config.toml", ".local/share/applications", ".config/Code/User", ".pyenv", ".nvm",
}

// ForcesReadOnly reports whether runs in the sandbox cannot write workspace: it is the home folder, contains it, or is
// a folder such as .config that contains startup files. This is the only way to keep one that does not exist yet from
// being created.
func (s *Sandbox) ForcesReadOnly(workspace string) bool {
	home, err := filepath.EvalSymlinks(s.cfg.Home)
	if err != nil || s.cfg.Home == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return false // a run in it fails
	}
	return slices.ContainsFunc(startupFiles, func(name string) bool {
		path := filepath.Join(home, name)
		return path != real && within(path, real)
	})
}
