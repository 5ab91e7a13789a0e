package terminal

import "os"

// UserShell returns the absolute path of the user's shell.
func UserShell() string {
	for _, path := range []string{os.Getenv("SHELL"), "/bin/bash", "/bin/sh"} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return "/bin/sh"
}
