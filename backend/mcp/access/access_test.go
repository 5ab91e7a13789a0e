package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/subpath"
)

// machine is a person's machine; paths of tests begin with "~/" for the home.
type machine struct {
	t    *testing.T
	home string
	m    Machine
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	base := resolveLinks(t.TempDir())
	home := base + "/ada"
	a := &machine{t: t, home: home, m: Machine{
		Home: home, Path: base + "/bin", OwnFolders: []string{home + "/.local/share/sextant"},
		Places:      protectedpaths.New(protectedpaths.OwnFolders{Home: home, Data: home + "/.local/share/sextant"}),
		IsProtected: confine.New(confine.Config{Home: home}).ForcesReadOnly,
	}}
	a.file("~/.ssh/id_ed25519", "~/.bashrc", "~/Documents/tax/a.txt", "~/proj/server.py", "~/proj/pyproject.toml")
	return a
}

func (m *machine) path(text string) string {
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		return m.home + rest
	}
	return text
}

func (m *machine) file(names ...string) {
	m.t.Helper()
	for _, name := range names {
		path := m.path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *machine) link(name, to string) {
	m.t.Helper()
	path := m.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := os.Symlink(m.path(to), path); err != nil {
		m.t.Fatal(err)
	}
}

// is compares paths, of which have may hold more.
func (m *machine) is(description string, have []string, want ...string) {
	m.t.Helper()
	all := []string{}
	for _, w := range want {
		all = append(all, m.path(w))
	}
	if slices.Sort(all); !slices.Equal(have, all) {
		m.t.Errorf("%s: got %q, not %q", description, have, all)
	}
}

func (m *machine) shows(h Permissions, path string) bool {
	return slices.ContainsFunc(slices.Concat(h.Read, h.Write, h.Program, []string{h.Package}), func(p string) bool {
		return p != "" && (subpath.IsWithin(m.path(path), p) || subpath.IsWithin(m.path(path), resolveLinks(p)))
	})
}

func TestServerCannotWriteItsTools(t *testing.T) {
	a := newMachine(t)
	npm := "~/.nvm/versions/node/v22/lib/node_modules/npm"
	a.file(npm+"/bin/npx-cli.js", "~/.nvm/versions/node/v22/bin/node", "~/custom/lib/node_modules/tool/cli.js",
		"~/go/bin/tool", "~/.local/bin/x")
	a.link("~/.nvm/versions/node/v22/bin/npx", npm+"/bin/npx-cli.js")
	a.link("~/custom/bin/tool", "~/custom/lib/node_modules/tool/cli.js")
	for name, s := range map[string]Server{
		"npx":             {Command: "npx", Args: []string{"-y", "a-server"}},
		"npx by path":     {Command: a.path("~/.nvm/versions/node/v22/bin/npx")},
		"npx as a script": {Command: "node", Args: []string{a.path(npm + "/bin/npx-cli.js")}},
		"outside node":    {Command: a.path("~/custom/bin/tool")},
		"package script":  {Command: "node", Args: []string{a.path("~/custom/lib/node_modules/tool/cli.js")}},
		"PATH": {
			Command: "npx", Env: map[string]string{"PATH": a.path("~/.nvm/versions/node/v22/bin")},
		},
		"NVM_DIR":               {Command: "npx", Env: map[string]string{"NVM_DIR": a.path("~/.nvm")}},
		"GOPATH":                {Command: "npx", Env: map[string]string{"GOPATH": "~/go"}},
		"VIRTUAL_ENV":           {Command: "npx", Env: map[string]string{"VIRTUAL_ENV": a.path("~/proj")}},
		"JAVA_HOME":             {Command: "npx", Env: map[string]string{"JAVA_HOME": a.path("~/custom")}},
		"any variable":          {Command: "npx", Env: map[string]string{"TOOLS": a.path("~/.nvm")}},
		"argument above GOPATH": {Command: "npx", Args: []string{"--dir", a.path("~/go")}},
		"HOME": {Command: "npx", Env: map[string]string{
			"HOME":            a.home,
			"XDG_CONFIG_HOME": a.path("~/.config"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := a.m
			m.Path = a.path("~/.nvm/versions/node/v22/bin")
			h := Resolve(s, m)
			if len(h.Write) > 0 || h.Package != "" {
				t.Errorf("%s: it writes %q, %q", name, h.Write, h.Package)
			}
			if a.shows(h, "~/Documents") {
				t.Errorf("%s: it reads the home", name)
			}
			if name == "npx" && !a.shows(h, npm) {
				t.Error("npx is not there")
			}
		})
	}
	a.file("~/app/node_modules/memory/dist/index.js", "~/app/node_modules/.bin/x")
	if h := Resolve(Server{Command: "node", Args: []string{a.path("~/app/node_modules/memory/dist/index.js")}},
		a.m); h.Package != a.path("~/app/node_modules/memory") {
		t.Errorf("its own package is %q", h.Package)
	}
	if h := Resolve(Server{Command: "node", Args: []string{a.path("~/app/node_modules/.bin/x")}},
		a.m); h.Package != "" {
		t.Errorf("it writes %q", h.Package)
	}
}

func TestServerLinkGrantsNothing(t *testing.T) {
	for name, made := range map[string]struct {
		s        Server
		at, to   string
		writable string
	}{
		"script in a writable folder": {Server{Command: "uv", Args: []string{
			"--directory", "~/proj", "run",
			"~/proj/server.py",
		}}, "~/proj/server.py", "~/Documents/tax/a.txt", "~/proj"},
		"link to a package": {
			Server{Command: "node", Args: []string{"~/proj", "~/proj/server.py"}},
			"~/proj/server.py", "~/other/node_modules/lodash/x.js", "~/proj",
		},
		"script behind a linked folder": {
			Server{Command: "node", Args: []string{"~/proj", "~/way/server.py"}},
			"~/proj/server.py", "~/Documents/tax/a.txt", "~/proj",
		},
		"command in a writable folder": {
			Server{Command: "~/proj/bin/run", Args: []string{"~/proj"}},
			"~/proj/bin/run",
			"~/Documents/tax/a.txt", "~/proj",
		},
		"python beside the command": {
			Server{Command: "~/proj/bin/other", Args: []string{"~/proj"}},
			"~/proj/bin/python",
			"~/Documents/tax/a.txt", "~/proj",
		},
		"command behind a linked folder": {
			Server{Command: "~/way/server.py", Args: []string{"~/proj"}},
			"~/proj/server.py",
			"~/Documents/tax/a.txt", "~/proj",
		},
		"folder in a writable folder": {
			Server{Command: "uv", Args: []string{"~/proj", "~/way/data"}},
			"~/proj/data",
			"~/Documents", "~/proj",
		},
		"settings in a writable folder": {
			Server{Command: "uv", Args: []string{"~/proj", "--config", "~/way/settings.json"}},
			"~/proj/settings.json", "~/Documents/tax/a.txt", "~/proj",
		},
		"file of its package": {
			Server{Command: "node", Args: []string{"~/app/node_modules/memory/index.js"}},
			"~/app/node_modules/memory/index.js", "~/Documents/tax/a.txt", "",
		},
		"user override": {Server{
			Command: "uv", Args: []string{"~/proj/server.py"},
			Override: &Override{Grants: &GrantLists{Write: []string{"~/proj"}}},
		}, "~/proj/server.py", "~/Documents/tax/a.txt", "~/proj"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newMachine(t)
			a.file("~/other/node_modules/lodash/x.js", "~/proj/bin/other", "~/proj/bin/run",
				"~/app/node_modules/memory/index.js")
			a.link("~/way", "~/proj")
			a.link(made.at, made.to)
			s := made.s
			s.Command = a.path(s.Command)
			for i := range s.Args {
				s.Args[i] = a.path(s.Args[i])
			}
			h := Resolve(s, a.m)
			if a.shows(h, "~/Documents/tax/a.txt") || a.shows(h, "~/other/node_modules/lodash/x.js") ||
				h.Package != "" {
				t.Errorf("it chose what it is shown: read %q, write %q, program %q, package %q", h.Read, h.Write,
					h.Program, h.Package)
			}
			if made.writable != "" {
				a.is("written", h.Write, made.writable)
			}
		})
	}
}

func TestWorkingFolderNeedsGrant(t *testing.T) {
	a := newMachine(t)
	h := Resolve(Server{Command: "uv", Args: []string{"run", "server.py"}, Cwd: "~/proj"}, a.m)
	a.is("written", h.Write)
	if !a.shows(h, "~/proj/server.py") || h.Dir != a.path("~/proj") ||
		!strings.Contains(strings.Join(h.Sentences(), " "),
			a.path("~/proj")) {
		t.Errorf("got %+v, %q", h, h.Sentences())
	}
	h = Resolve(Server{Command: "uv", Args: []string{"run", "server.py", "."}, Cwd: "~/proj"}, a.m)
	a.is("written", h.Write, "~/proj")
	h = Resolve(Server{Command: "uv", Cwd: "~"}, a.m)
	if a.shows(h, "~/Documents") || h.Dir != a.home || len(h.Notes) != 1 {
		t.Errorf("all of the home is shown: %+v", h)
	}
}

func TestPathBelowWorkspaceStartsThere(t *testing.T) {
	a := newMachine(t)
	a.file("~/ws/dist/index.js", "~/ws/.venv/bin/python", "~/ws/.venv/pyvenv.cfg", "~/ws/server.py")
	for _, c := range []struct {
		s   Server
		dir string
	}{
		{Server{Command: "node", Args: []string{"./dist/index.js"}}, "~/ws"},
		{Server{Command: "node", Args: []string{"dist/index.js"}}, "~/ws"},
		{Server{Command: "python", Args: []string{"server.py"}}, "~/ws"},
		{Server{Command: ".venv/bin/python", Args: []string{"-m", "server"}}, "~/ws"},
		{Server{Command: ".venv/bin/python", Args: []string{"server.py"}, Cwd: "~/proj"}, "~/proj"},
		{Server{Command: "node", Args: []string{"."}}, "~/ws"},
		{Server{Command: "node", Args: []string{"~/ws/dist/index.js"}}, ""},
		{Server{Command: "npx", Args: []string{"-y", "@a/server"}}, ""},
	} {
		t.Run(strings.Join(append([]string{c.s.Command}, c.s.Args...), " "), func(t *testing.T) {
			c.s.Workspace = a.path("~/ws")
			if h := Resolve(c.s, a.m); h.Dir != a.path(c.dir) {
				t.Errorf("%s %q starts in %q; it has %q", c.s.Command, c.s.Args, h.Dir, h.Program)
			}
		})
	}
}

func TestScriptIsVisibleWithoutItsSiblings(t *testing.T) {
	a := newMachine(t)
	a.file("~/Downloads/mcp.py", "~/Downloads/helper.py", "~/Downloads/letter.pdf", "~/Downloads/lib/__init__.py",
		"~/Downloads/photos/1.jpg")
	h := Resolve(Server{Command: "python", Args: []string{a.path("~/Downloads/mcp.py")}}, a.m)
	for name, want := range map[string]bool{
		"mcp.py": true, "helper.py": true, "lib/__init__.py": true,
		"letter.pdf": false, "photos/1.jpg": false,
	} {
		t.Run(name, func(t *testing.T) {
			if a.shows(h, "~/Downloads/"+name) != want {
				t.Errorf("%s: %v; it has %q", name, !want, h.Program)
			}
		})
	}
	h = Resolve(Server{Command: "python", Args: []string{"--db", a.path("~/notes.db")}}, a.m)
	if a.shows(h, "~/Documents") {
		t.Errorf("it reads the home for the sake of %q: %q", "notes.db", h.Read)
	}
}

func TestSystemPaths(t *testing.T) {
	a := newMachine(t)
	for path, want := range map[string]string{
		"/run/media/u/disk": "write", "/run/media": "", "/etc/hosts": "",
		"/dev/null": "", "/dev/ptmx": "note",
	} {
		t.Run(path, func(t *testing.T) {
			g := &resolver{Machine: a.m, server: Server{}, perms: Permissions{}}
			g.closed = confine.PrivateFolders(a.home)
			if g.grantPath(path, ""); want == "note" &&
				(len(g.perms.Notes) != 1 || !strings.Contains(g.perms.Notes[0], "confine")) ||
				want == "" && len(g.perms.Notes) > 0 {
				t.Errorf("%s: %q", path, g.perms.Notes)
			}
			if isSystem(path) != (want != "write") {
				t.Errorf("%s: %v", path, isSystem(path))
			}
		})
	}
}

func TestContainerOptions(t *testing.T) {
	a := newMachine(t)
	h := a.home
	for line, closed := range map[string]bool{
		"run -i --rm image": true,
		"run --rm -it -e KEY=1 --name=x image --privileged -v /:/h":               true,
		"run -i -v " + h + "/proj:/work image":                                    true,
		"run -iv" + h + "/proj:/work image":                                       true,
		"run -v data:/work image":                                                 true,
		"run --mount type=bind,src=" + h + "/proj,dst=/work,ro image":             true,
		"run --network bridge --security-opt no-new-privileges image":             true,
		"run -v /etc/localtime:/etc/localtime:ro image":                           true,
		"--context x run -i image":                                                true,
		"container run -i image":                                                  true,
		"exec -i box server --privileged":                                         true,
		"mcp gateway run --servers=a,b":                                           true,
		"run --privileged image":                                                  false,
		"run -v/:/host image":                                                     false,
		"run -iv /:/h image":                                                      false,
		"run -v=/:/h image":                                                       false,
		"run --volume=" + h + ":/h image":                                         false,
		"run -v " + h + "/.ssh:/h image":                                          false,
		"run -v ../..:/h image":                                                   false,
		"run -v /var/run/docker.sock:/s image":                                    false,
		"run -v /var/spool:/s image":                                              false,
		"run --mount type=volume,volume-opt=o=bind,volume-opt=device=/home image": false,
		"run --mount type=bind,source=/,target=/h image":                          false,
		"run --env-file " + h + "/.aws/credentials image":                         false,
		"run --network host image":                                                false,
		"run --net=host image":                                                    false,
		"run --network=container:other image":                                     false,
		"run --security-opt seccomp=unconfined image":                             false,
		"run --unheard-of image":                                                  false,
		"exec -i --privileged box sh":                                             false,
		"-H tcp://there run image":                                                false,
		"compose run it":                                                          false,
		"mcp gateway run --catalog " + h + "/x":                                   false,
	} {
		t.Run(line, func(t *testing.T) {
			g := &resolver{Machine: a.m, server: Server{Command: "docker", Workspace: h + "/proj/deep"}}
			g.closed = confine.PrivateFolders(h)
			if why := g.whyNotIsolated(strings.Fields(line)); (why == "") != closed {
				t.Errorf("docker %s: %q", line, why)
			}
		})
	}
	a.file("~/bin/docker")
	m := a.m
	m.Path = a.path("~/bin")
	held := Resolve(Server{Command: "docker", Args: []string{"run", "image"}}, m)
	if held.Container != "" || !strings.Contains(held.MissingGrant("Cannot connect to the Docker daemon"),
		"~/bin/docker"[1:]) {
		t.Errorf("a docker that anyone may change is trusted: %+v", held)
	}
}

func TestMissingGrantFromStderr(t *testing.T) {
	h := Permissions{Network: []string{anyHost}}
	for output, want := range map[string]string{
		"Error: listen EPERM: operation not permitted /tmp/tsx-1000/12.pipe":   "local sockets",
		"[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!":        `confine "off"`,
		"Error: EROFS: read-only file system, open '/home/ada/x'":              "does not let it write /home/ada/x",
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock":   "control of the whole machine",
		"Error: listen EADDRINUSE: address already in use 127.0.0.1:3000 /tmp": "",
	} {
		t.Run(output, func(t *testing.T) {
			if got := h.MissingGrant(output); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s: %q", output, got)
			}
		})
	}
}
