package importers

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	maxUnpacked = 512 << 20
	maxFiles    = 20_000
	maxManifest = 1 << 20
)

// Bundle is a server packaged with its program.
type Bundle struct {
	Title, Version, Author, Description string
	// Folder is the folder to unpack it to; Files and Bytes are its unpacked size.
	Folder string
	Files  int
	Bytes  int64

	archive *zip.Reader
}

// manifest contains the fields of a bundle's manifest.json that are used (MCPB specification, 0.1 to 0.4).
type manifest struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Author      struct {
		Name string `json:"name"`
	} `json:"author"`
	Server struct {
		Type       string `json:"type"`
		EntryPoint string `json:"entry_point"`
		Config     struct {
			command
			Platforms map[string]command `json:"platform_overrides"`
		} `json:"mcp_config"`
	} `json:"server"`
	UserConfig    map[string]userValue `json:"user_config"`
	Compatibility struct {
		Platforms []string `json:"platforms"`
	} `json:"compatibility"`
}

type command struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type userValue struct {
	Title     string          `json:"title"`
	Required  bool            `json:"required"`
	Sensitive bool            `json:"sensitive"`
	Default   json.RawMessage `json:"default"`
}

// namePattern is strict because the name becomes a folder's name.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (r Reader) bundle(data []byte) (List, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return List{}, fmt.Errorf("the bundle is not a valid zip file: %w", err)
	}
	b := &Bundle{archive: archive}
	for _, f := range archive.File {
		b.Files++
		if f.UncompressedSize64 > maxUnpacked {
			b.Bytes = maxUnpacked + 1
			break
		}
		b.Bytes += int64(f.UncompressedSize64)
	}
	if b.Files > maxFiles || b.Bytes > maxUnpacked {
		return List{}, fmt.Errorf("the bundle is larger than %d MB or %d files", maxUnpacked>>20, maxFiles)
	}
	m, err := readManifest(archive)
	if err != nil {
		return List{}, err
	}
	b.Title, b.Version, b.Author, b.Description = m.DisplayName, m.Version, m.Author.Name, m.Description
	if b.Title == "" {
		b.Title = m.Name
	}
	b.Folder = filepath.Join(r.Bundles, m.Name)
	return List{Format: "a bundle", Servers: []Server{r.serverOf(m, b.Folder)}, Bundle: b}, nil
}

func readManifest(archive *zip.Reader) (manifest, error) {
	var m manifest
	file, err := archive.Open("manifest.json")
	if err != nil {
		return m, errors.New("the bundle has no manifest.json at its top level")
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err != nil || len(text) > maxManifest {
		return m, errors.Join(errors.New("the bundle's manifest.json cannot be read, or is larger than 1 MB"), err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("the bundle's manifest.json: %w", err)
	}
	switch {
	case !namePattern.MatchString(m.Name):
		return m, fmt.Errorf("the bundle's name %.70q must begin with a letter or digit and may contain letters, "+
			"digits and . _ - (64 characters at most)", m.Name)
	case m.Server.Config.Command == "" && m.Server.Config.Platforms["linux"].Command == "":
		return m, errors.New("the bundle's manifest.json has no command in server.mcp_config")
	}
	return m, nil
}

func (r Reader) serverOf(m manifest, folder string) Server {
	how := m.Server.Config.command
	if own, ok := m.Server.Config.Platforms["linux"]; ok {
		if own.Command != "" {
			how.Command = own.Command
		}
		if own.Args != nil {
			how.Args = own.Args
		}
		if own.Env != nil {
			how.Env = own.Env
		}
	}
	s := Server{Name: m.Name, Command: how.Command, Env: how.Env, Cwd: folder}
	for _, arg := range how.Args {
		s.Args = append(s.Args, m.expandList(arg)...)
	}
	if on := m.Compatibility.Platforms; len(on) > 0 && !slices.Contains(on, "linux") {
		s.Notes = append(s.Notes, "It is made for "+strings.Join(on, ", ")+" only.")
	}
	folders := map[string]string{
		"__dirname": folder, "HOME": r.Home, "DESKTOP": filepath.Join(r.Home, "Desktop"),
		"DOCUMENTS": filepath.Join(r.Home, "Documents"), "DOWNLOADS": filepath.Join(r.Home, "Downloads"),
		"/": "/", "pathSeparator": "/",
	}
	r.fill(&s, func(name string) (string, string) {
		if dir, ok := folders[name]; ok {
			return dir, ""
		}
		key, ok := strings.CutPrefix(name, "user_config.")
		if !ok {
			return "", "${" + name + "} is unknown."
		}
		want := m.UserConfig[key]
		values := want.values()
		switch {
		case len(values) > 0:
			return strings.Join(values, " "), ""
		case want.Required || want.Sensitive:
			return "", "You must give ${" + name + "} (" + cmp.Or(want.Title, key) + "). Replace it by the value or " +
				"by a secret."
		}
		return "", ""
	})
	// A default value may contain one of the folder placeholders.
	r.fill(&s, func(name string) (string, string) {
		if dir, ok := folders[name]; ok {
			return dir, ""
		}
		return "${" + name + "}", ""
	})
	return s
}

func (u userValue) values() []string {
	var many []string
	if json.Unmarshal(u.Default, &many) == nil {
		return many
	}
	var one any
	number := json.NewDecoder(bytes.NewReader(u.Default))
	number.UseNumber() // keep the notation: 1000000, not 1e+06
	if number.Decode(&one) != nil || one == nil || one == "" {
		return nil
	}
	return []string{fmt.Sprint(one)}
}

func (m manifest) expandList(arg string) []string {
	key, ok := strings.CutPrefix(strings.TrimSuffix(arg, "}"), "${user_config.")
	if !ok || !strings.HasSuffix(arg, "}") {
		return []string{arg}
	}
	if values := m.UserConfig[key].values(); len(values) > 1 {
		return values
	}
	return []string{arg}
}

func (b *Bundle) unpack() (err error) {
	if err := os.MkdirAll(filepath.Dir(b.Folder), 0o700); err != nil {
		return fmt.Errorf("unpacking the bundle: %w", err)
	}
	if err := os.Mkdir(b.Folder, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s already exists. Remove the server and this folder to import the bundle again",
				b.Folder)
		}
		return fmt.Errorf("unpacking the bundle: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(b.Folder)
		}
	}()
	// A root prevents writes outside the folder, whatever the names or links.
	root, err := os.OpenRoot(b.Folder)
	if err != nil {
		return fmt.Errorf("unpacking the bundle: %w", err)
	}
	defer func() { _ = root.Close() }()
	left := int64(maxUnpacked)
	for _, f := range b.archive.File {
		if err := unpackOne(root, f, &left); err != nil {
			return fmt.Errorf("unpacking the bundle: %.200q: %w", f.Name, err)
		}
	}
	return nil
}

func unpackOne(root *os.Root, f *zip.File, left *int64) error {
	name := path.Clean(f.Name)
	switch {
	case !fs.ValidPath(name):
		return errors.New("the path leads out of the bundle")
	case strings.HasSuffix(f.Name, "/"):
		return root.MkdirAll(name, 0o700)
	case !f.Mode().IsRegular():
		return errors.New("a bundle may contain only files and folders")
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	mode := fs.FileMode(0o600) | f.Mode().Perm()&0o100
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, *left+1))
	if *left -= n; err == nil && *left < 0 {
		err = errors.New("the bundle is larger than it states")
	}
	return errors.Join(err, out.Close())
}
