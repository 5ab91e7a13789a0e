package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// profile is the folder Chromium keeps its data in, and how to leave it behind.
type profile struct {
	dir       string
	throwaway bool
	// holder is who lives on the profile that was asked for, "" when nobody does.
	holder string
}

// openProfile makes dir ready for a new Chromium: a lock left by one that died is removed;
// when another one lives on it, or dir is empty, a throw-away folder is used instead.
func openProfile(dir string) (profile, error) {
	holder := ""
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return profile{}, fmt.Errorf("making the browser's profile folder: %w: %w", err, ErrProfile)
		}
		if holder = lockHolder(dir); holder == "" {
			for _, name := range []string{"SingletonLock", "SingletonCookie", "SingletonSocket"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
					return profile{}, fmt.Errorf("removing a stale profile lock: %w: %w", err, ErrProfile)
				}
			}
			return profile{dir: dir}, nil
		}
	}
	tmp, err := os.MkdirTemp("", "sextant-profile-")
	if err != nil {
		return profile{}, fmt.Errorf("making a throw-away profile: %w", err)
	}
	return profile{dir: tmp, throwaway: true, holder: holder}, nil
}

// lockHolder reads Chromium's SingletonLock, a symbolic link to "host-pid", and says who holds
// the profile, "" when nobody does. A lock of another machine counts as held: nobody here
// can see whether that process is alive.
func lockHolder(dir string) (holder string) {
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return ""
	}
	cut := strings.LastIndexByte(target, '-')
	if cut < 0 {
		return ""
	}
	host, err := os.Hostname()
	if err != nil || host != target[:cut] {
		return "a process on " + target[:cut]
	}
	pid, err := strconv.Atoi(target[cut+1:])
	if err != nil || pid <= 0 || !isBrowserProcess(pid) {
		return ""
	}
	return "process " + target[cut+1:]
}

// ErrProfile is in the chain of a start that failed because of the profile's folder.
var ErrProfile = errors.New("the profile cannot be used")

// SetAside moves a profile that no Chromium starts with out of the way and says where it is
// kept; the folder is empty then. Nothing is deleted.
func SetAside(dir string, now time.Time) (kept string, err error) {
	kept = dir + ".broken-" + now.UTC().Format("20060102-150405.000")
	if err := os.Rename(dir, kept); err != nil {
		return "", fmt.Errorf("setting the broken profile aside: %w", err)
	}
	return kept, nil
}

// PutBack undoes SetAside.
func PutBack(kept, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("putting the profile back: %w", err)
	}
	if err := os.Rename(kept, dir); err != nil {
		return fmt.Errorf("putting the profile back: %w", err)
	}
	return nil
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
