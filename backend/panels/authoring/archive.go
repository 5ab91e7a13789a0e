package authoring

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/shared/excerpt"
)

// Extension is the file name extension of a panel archive, which is a zip file.
const Extension = ".sextant-panel"

const (
	// MaxArchive is the maximum size of the archive, maxUnpacked that of all its files together, in bytes. maxPacked is
	// the maximum number of files. maxDepth and maxName limit a name: the number of its parts, and their bytes.
	MaxArchive  = 32 << 20
	maxUnpacked = 64 << 20
	maxPacked   = 500
	maxDepth    = 16
	maxName     = 120
)

// InvalidPanelError reports that a panel cannot be packed or installed because of problems that manifest.Validate
// found. Problems also contains the warnings.
type InvalidPanelError struct {
	Panel    string
	Problems []manifest.Problem
}

// Error implements error.
func (e *InvalidPanelError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return fmt.Sprintf("%s is not a panel that can run: %s", excerpt.TruncateRunes(e.Panel, 60),
		strings.Join(lines, "; "))
}

type content struct {
	files       map[string][]byte
	executables []string
	// top is the top folder that stripTopFolder removed, "" for none.
	top string
}

// Pack returns the panel in the folder dir as an archive. The same files result in the same bytes. Pack skips names
// that begin with a dot. It returns an *InvalidPanelError for a panel that could not run. reserved contains the names
// of Sextant's own tools.
func Pack(dir string, reserved ...string) ([]byte, error) {
	report := manifest.Validate(dir, reserved...)
	if !report.OK {
		return nil, &InvalidPanelError{report.Panel, report.Problems}
	}
	contents, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range sorted(contents.files) {
		header := &zip.FileHeader{Name: report.Panel + "/" + name, Method: zip.Deflate, Modified: packedAt}
		header.SetMode(0o644)
		if slices.Contains(contents.executables, name) {
			header.SetMode(0o755)
		}
		file, err := w.CreateHeader(header)
		if err == nil {
			_, err = file.Write(contents.files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing %s: %w", report.Panel, err)
	}
	if archive.Len() > MaxArchive {
		return nil, fmt.Errorf("packing %s: the archive would have more than %d MB", report.Panel, MaxArchive>>20)
	}
	return archive.Bytes(), nil
}

// packedAt is the modification time of every file in an archive, so that equal files result in equal archives.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// readFolder skips names that begin with a dot.
func readFolder(dir string) (content, error) {
	contents := content{files: map[string][]byte{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return contents, fmt.Errorf("opening panel folder: %w", err)
	}
	defer root.Close()
	total := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file; replace it by the file itself", name)
		}
		if why := badName(name); why != "" {
			return fmt.Errorf("%s: %s", name, why)
		}
		if len(contents.files) == maxPacked {
			return fmt.Errorf("the folder has more than %d files; files whose name begins with a dot are left out",
				maxPacked)
		}
		text, mode, err := readFile(root, name, maxUnpacked-total)
		if err != nil {
			return err
		}
		total += len(text)
		contents.files[name] = text
		if mode&0o111 != 0 {
			contents.executables = append(contents.executables, name)
		}
		return nil
	})
	if err != nil {
		return contents, fmt.Errorf("packing %s: %w", dir, err)
	}
	return contents, nil
}

func readFile(root *os.Root, name string, room int) ([]byte, fs.FileMode, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(room)+1))
	if err == nil && len(text) > room {
		err = fmt.Errorf("the folder holds more than %d MB", maxUnpacked>>20)
	}
	return text, info.Mode(), err
}

func badName(name string) string {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return "the name leads out of the folder"
	case strings.ContainsAny(name, "\\:*?\"<>|") || strings.ContainsFunc(name,
		func(c rune) bool { return c < ' ' || c == 0x7f }):
		return "the name has a character that not every system allows"
	case strings.Count(name, "/") >= maxDepth:
		return fmt.Sprintf("it is more than %d folders deep", maxDepth)
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxName || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return "the name is too long, or ends with a dot or a space"
		}
	}
	return ""
}

func unpack(archive []byte) (contents content, left []string, err error) {
	contents.files = map[string][]byte{}
	if len(archive) > MaxArchive {
		return contents, nil, fmt.Errorf("it is larger than %d MB", MaxArchive>>20)
	}
	// Each directory entry begins with these four bytes. Counting them is cheaper than reading a directory with a
	// million entries.
	if bytes.Count(archive, []byte("PK\x01\x02")) > 4*maxPacked {
		return contents, nil, fmt.Errorf("it lists more than %d files", maxPacked)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		return contents, nil, fmt.Errorf("it is not a zip archive: %w", err)
	}
	seen, total := map[string]string{}, 0
	for _, f := range r.File {
		name := strings.TrimSuffix(f.Name, "/")
		folder := f.Mode().IsDir()
		switch why := badName(name); {
		case why != "":
			return contents, nil, fmt.Errorf("%q: %s", excerpt.TruncateRunes(f.Name, 120), why)
		case !folder && (!f.Mode().IsRegular() || name != f.Name):
			return contents, nil, fmt.Errorf("%q is not a regular file", excerpt.TruncateRunes(f.Name, 120))
		case f.Flags&1 != 0:
			return contents, nil, fmt.Errorf("%q is encrypted", excerpt.TruncateRunes(f.Name, 120))
		case folder:
			continue
		case hidden(name):
			left = append(left, name)
			continue
		}
		// Some file systems do not distinguish upper and lower case.
		if other, twice := seen[strings.ToLower(name)]; twice {
			return contents, nil, fmt.Errorf("%q and %q are the same name", excerpt.TruncateRunes(other, 120),
				excerpt.TruncateRunes(name, 120))
		}
		seen[strings.ToLower(name)] = name
		if len(contents.files) == maxPacked {
			return contents, nil, fmt.Errorf("it holds more than %d files", maxPacked)
		}
		text, err := inflate(f, maxUnpacked-total)
		if err != nil {
			return contents, nil, fmt.Errorf("%q: %w", excerpt.TruncateRunes(name, 120), err)
		}
		total += len(text)
		contents.files[name] = text
		if f.Mode()&0o111 != 0 {
			contents.executables = append(contents.executables, name)
		}
	}
	return contents, left, contents.stripTopFolder()
}

// hidden reports whether a file of an archive is skipped: its name or the name of a folder around it begins with a dot,
// or macOS added it.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "__MACOSX"
	})
}

// inflate does not trust the size that the archive states for f.
func inflate(f *zip.File, room int) ([]byte, error) {
	file, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(room)+1))
	switch {
	case len(text) > room:
		return nil, fmt.Errorf("unpacked, the archive has more than %d MB", maxUnpacked>>20)
	case err != nil:
		return nil, err
	}
	return text, nil
}

// stripTopFolder removes the folder that contains everything in the archive, if manifest.json is not at the top.
func (c *content) stripTopFolder() error {
	if _, ok := c.files[manifest.FileName]; ok {
		return c.fileFolderConflict()
	}
	top := ""
	for name := range c.files {
		first, _, below := strings.Cut(name, "/")
		if !below || top != "" && first != top {
			return fmt.Errorf("there is no %s at its top or in a single top-level folder", manifest.FileName)
		}
		top = first
	}
	files := map[string][]byte{}
	for name, text := range c.files {
		files[strings.TrimPrefix(name, top+"/")] = text
	}
	c.files, c.top = files, top
	for i, name := range c.executables {
		c.executables[i] = strings.TrimPrefix(name, top+"/")
	}
	if _, ok := files[manifest.FileName]; !ok {
		return fmt.Errorf("there is no %s in it", manifest.FileName)
	}
	return c.fileFolderConflict()
}

func (c *content) fileFolderConflict() error {
	for name := range c.files {
		for up := path.Dir(name); up != "."; up = path.Dir(up) {
			if _, file := c.files[up]; file {
				return fmt.Errorf("%q is a file and a folder", excerpt.TruncateRunes(up, 120))
			}
		}
	}
	return nil
}
