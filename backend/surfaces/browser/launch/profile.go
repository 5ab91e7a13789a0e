package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// profile is the folder Chromium keeps its data in, and how to leave it behind.
type profile struct {
	dir       string
	throwaway bool
}

// openProfile makes dir ready for a new Chromium: a lock left by one that died is removed;
// when another one lives on it, or dir is empty, a throw-away folder is used instead.
func openProfile(dir string) (profile, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return profile{}, fmt.Errorf("making the browser's profile folder: %w", err)
		}
		if !taken(dir) {
			for _, name := range []string{"SingletonLock", "SingletonCookie", "SingletonSocket"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
					return profile{}, fmt.Errorf("removing a stale profile lock: %w", err)
				}
			}
			return profile{dir: dir}, nil
		}
	}
	tmp, err := os.MkdirTemp("", "sextant-profile-")
	if err != nil {
		return profile{}, fmt.Errorf("making a throw-away profile: %w", err)
	}
	return profile{dir: tmp, throwaway: true}, nil
}

// taken reads Chromium's SingletonLock, a symbolic link to "host-pid". A lock of another
// machine counts as taken: nobody here can tell whether that one lives.
func taken(dir string) bool {
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return false
	}
	cut := strings.LastIndexByte(target, '-')
	if cut < 0 {
		return false
	}
	host, err := os.Hostname()
	if err != nil || host != target[:cut] {
		return true
	}
	pid, err := strconv.Atoi(target[cut+1:])
	return err == nil && pid > 0 && holds(pid)
}

func (p profile) remove() error {
	if !p.throwaway {
		return nil
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("removing the throw-away profile: %w", err)
	}
	return nil
}
