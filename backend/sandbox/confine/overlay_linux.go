package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sextant/backend/sandbox/overlay"
	"sextant/shared/subpath"
)

// overlayMount shows Folder through an overlay file system, with changes in Upper.
type overlayMount struct{ Folder, Upper, Work string }

// overlayPlan is what the overlay step does: it mounts and then executes Args.
type overlayPlan struct {
	Mounts []overlayMount
	Args   []string
}

// NewLayer returns an empty layer for Spec.Layers. The caller must remove it. If Sextant is killed, a later Sextant
// removes it.
func (s *Sandbox) NewLayer() (*overlay.Layer, error) {
	folders, err := makeRunFolders(s.cfg.TempDir)
	remove := func() {
		if folders.base != "" {
			_ = RemoveAll(folders.base)
		}
		if folders.lock != nil {
			_ = folders.lock.Close()
		}
	}
	if err != nil {
		remove()
		return nil, err
	}
	l, err := overlay.New(folders.base, remove)
	if err != nil {
		remove()
		return nil, err
	}
	return l, nil
}

func (s Spec) overlayMounts(m mechanisms, f fileAccess) ([]overlayMount, error) {
	if len(s.Layers) == 0 {
		return nil, nil
	}
	if m.Bubblewrap == "" || s.Unconfined {
		return nil, errors.New("overlays need bubblewrap")
	}
	var all []overlayMount
	for folder, layer := range s.Layers {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return nil, fmt.Errorf("opening the folder of an overlay: %w", err)
		}
		if !slices.Contains(f.writable, real) {
			return nil, fmt.Errorf("%s is not writable, so it cannot have an overlay", folder)
		}
		inner, err := mountsInside(real)
		if err != nil {
			return nil, err
		}
		if len(inner) > 0 {
			return nil, fmt.Errorf("%s contains another file system at %s", folder, inner[0])
		}
		all = append(all, overlayMount{Folder: real, Upper: layer.Upper(), Work: layer.Work()})
	}
	return all, nil
}

// mountsInside returns the mount points below folder, which an overlay does not show.
func mountsInside(folder string) (all []string, err error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("listing the mounts: %w", err)
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		if at := unescape.Replace(fields[4]); at != folder && subpath.IsWithin(at, folder) {
			all = append(all, at)
		}
	}
	return all, nil
}

// withOverlays makes argv start in a user namespace with its own mounts, in which the overlay step mounts overlays and
// then executes argv.
func withOverlays(mounts []overlayMount, argv []string, sys *syscall.SysProcAttr) ([]string, error) {
	text, err := json.Marshal(overlayPlan{mounts, argv})
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	sys.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	// Until bubblewrap starts. The file system keeps them for its own work on files of this user.
	sys.AmbientCaps = []uintptr{
		unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_CHOWN, unix.CAP_FSETID, unix.CAP_MKNOD,
	}
	return []string{"/proc/self/exe", stepArg, overlayStep, string(text)}, nil
}

func mountOverlays(text string) error {
	var p overlayPlan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separating the mounts: %w", err)
	}
	for _, m := range p.Mounts {
		// Options cannot contain every path, but every descriptor.
		var options []string
		for _, part := range []struct{ name, path string }{
			{"lowerdir", m.Folder}, {"upperdir", m.Upper}, {"workdir", m.Work},
		} {
			fd, err := unix.Open(part.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				return fmt.Errorf("opening %s: %w", part.path, err)
			}
			options = append(options, fmt.Sprintf("%s=/proc/self/fd/%d", part.name, fd))
		}
		options = append(options, "userxattr")
		if err := unix.Mount("overlay", m.Folder, "overlay", 0, strings.Join(options, ",")); err != nil {
			return fmt.Errorf("mounting an overlay: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up capabilities: %w", err)
	}
	return fmt.Errorf("starting %s: %w", p.Args[0], syscall.Exec(p.Args[0], p.Args, os.Environ()))
}

// probeOverlay runs a program that writes into a folder, and checks that only the layer has its file.
func (s *Sandbox) probeOverlay() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	layer, err := s.NewLayer()
	if err != nil {
		return err
	}
	defer layer.Remove()
	folder, err := os.MkdirTemp(s.cfg.TempDir, "sextant-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	exit, err := s.Run(ctx, Spec{
		Args: []string{"/bin/sh", "-c", "echo ok > probe"}, Workspace: folder,
		Layers: map[string]*overlay.Layer{folder: layer},
	})
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(folder, "probe")); err == nil {
		return errors.New("the folder was changed")
	}
	changes, err := layer.Read(ctx, folder, func(string) bool { return false })
	if err != nil {
		return err
	}
	if exit.Code != 0 || len(changes) != 1 || changes[0].Path != "probe" {
		return fmt.Errorf("a test program ended with exit code %d and changed %v", exit.Code, changes)
	}
	return nil
}
