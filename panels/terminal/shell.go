package terminal

import "os"

// UserShell returns the path of the user's shell: $SHELL if that is a program, else /bin/bash or /bin/sh.
func UserShell() string {
	for _, path := range []string{os.Getenv("SHELL"), "/bin/bash", "/bin/sh"} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return "/bin/sh"
}
