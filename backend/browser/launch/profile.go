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

type profile struct {
	dir       string
	throwaway bool
	// holder describes the process that uses the requested profile, "" when none does.
	holder string
}

// openProfile removes the lock of a Chromium that died. When another one uses dir, or dir is "", it creates a temporary
// folder instead.
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

// lockHolder describes the process that uses the profile, "" when none does, by Chromium's SingletonLock, a symbolic
// link to "host-pid". A lock of another machine counts as in use, because its process cannot be checked.
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

// ErrProfile is in the chain of an error that the profile may have caused.
var ErrProfile = errors.New("the profile cannot be used")

// BackUpProfile renames the folder of a broken profile and returns the new path, which is beside dir.
func BackUpProfile(dir string, now time.Time) (backup string, err error) {
	backup = dir + ".broken-" + now.UTC().Format("20060102-150405.000")
	if err := os.Rename(dir, backup); err != nil {
		return "", fmt.Errorf("backing up the broken profile: %w", err)
	}
	return backup, nil
}

// RestoreProfile replaces dir by a profile that BackUpProfile has renamed.
func RestoreProfile(backup, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("restoring the profile: %w", err)
	}
	if err := os.Rename(backup, dir); err != nil {
		return fmt.Errorf("restoring the profile: %w", err)
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
