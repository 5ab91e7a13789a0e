package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/panels/manifest"
	"sextant/backend/policy"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
)

const (
	memory    = 2 << 30
	fileSize  = 1 << 30
	processes = 256
	openFiles = 1024
	// sockets is the maximum number of simultaneous connections to a program with its own network.
	sockets = 32
)

type grant struct {
	// written is the entry of the manifest without ":rw" or ":ro". path is the same cleaned, with the home folder for
	// "~".
	written, path string
	write         bool
}

// grants parses permissions.fs. An entry "path" or "path:ro" allows reading, "path:rw" also writing. At the beginning,
// "~" is the home folder.
func (c Config) grants(entries []string) []grant {
	var all []grant
	for _, entry := range entries {
		path, write := strings.CutSuffix(entry, ":rw")
		path = strings.TrimSuffix(path, ":ro")
		g := grant{written: path, path: path, write: write}
		if c.Home != "" && (path == "~" || strings.HasPrefix(path, "~/")) {
			g.path = filepath.Join(c.Home, strings.TrimPrefix(path, "~"))
		}
		g.path = filepath.Clean(g.path)
		all = append(all, g)
	}
	return all
}

func (c Config) refusal(g grant) string {
	if !filepath.IsAbs(g.path) || g.path == "/" {
		return fmt.Sprintf("permissions.fs names %q; name a folder or file, absolute or below ~", g.written)
	}
	switch place := c.Places.Classify(g.path); {
	case place.Kind == protectedpaths.KindSecret:
		return fmt.Sprintf("permissions.fs names %s, %s, which no panel's program may access", g.written,
			place.Description)
	case place.Kind == protectedpaths.KindSensitive && g.write:
		return fmt.Sprintf("permissions.fs names %s, %s, which no panel's program may write", g.written,
			place.Description)
	}
	return ""
}

func accessText(p manifest.Permissions, all []grant) string {
	var reads, writes, parts []string
	for _, g := range all {
		if g.write {
			writes = append(writes, g.written)
		} else {
			reads = append(reads, g.written)
		}
	}
	for what, paths := range map[string][]string{"read ": reads, "write ": writes} {
		if len(paths) > 0 {
			parts = append(parts, what+strings.Join(paths, ", "))
		}
	}
	slices.Sort(parts)
	switch {
	case p.Net.Any:
		parts = append(parts, "reach any host of the internet")
	case len(p.Net.List) > 0:
		parts = append(parts, "reach "+strings.Join(p.Net.List, ", "))
	}
	return strings.Join(parts, "; ")
}

func wantsNetwork(p manifest.Permissions) bool { return p.Net.Any || len(p.Net.List) > 0 }

func (r *Runner) spec(ctx context.Context, command, dir, data string, env []string) (confine.Spec, error) {
	closed := confine.PrivateFolders(r.cfg.Home)
	spec := confine.Spec{
		Args: append([]string{command}, r.panel.Backend.Args...), Dir: dir, Env: env,
		Readable: append([]string{dir}, confine.ToolchainFolders(command, closed)...),
		Writable: []string{data}, Restricted: closed,
		Limits: confine.Limits{
			Memory: cmp.Or(r.cfg.MemoryLimit, memory), FileSize: fileSize, Processes: processes,
			Files: openFiles,
		},
	}
	for _, g := range r.cfg.grants(r.panel.Permissions.FS) {
		if why := r.cfg.refusal(g); why != "" {
			return spec, errors.New(why)
		}
		if _, err := os.Stat(g.path); err != nil {
			continue // a missing path cannot be mounted
		}
		if g.write {
			if r.cfg.Confine.ForcesReadOnly(g.path) {
				return spec, fmt.Errorf("permissions.fs names %s to be written, where programs' start-up files are; "+
					"name a folder inside it", g.written)
			}
			spec.Writable = append(spec.Writable, g.path)
		} else {
			spec.Readable = append(spec.Readable, g.path)
		}
	}
	hidden, err := r.cfg.ForbiddenPaths(ctx)
	if err != nil {
		return spec, fmt.Errorf("reading which places are forbidden: %w", err)
	}
	spec.Hidden = hidden
	return spec, nil
}

func (r *Runner) proxyHosts(ctx context.Context) func(net.Listener) (stop func()) {
	hosts := r.panel.Permissions.Net
	may := func(_ context.Context, host string) error {
		if hosts.Any || policy.HostMatches(host, hosts.List) {
			return nil
		}
		return fmt.Errorf("permissions.net of the panel %s does not name it", r.panel.ID)
	}
	return func(ln net.Listener) func() { return r.cfg.Egress.StartProxyOn(ctx, ln, may, nil) }
}
