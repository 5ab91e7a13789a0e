package authoring

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/panels/acceptance"
	"sextant/backend/panels/manifest"
	"sextant/backend/toolprovider/pinning"
	"sextant/shared/excerpt"
	"sextant/shared/wire"
)

// Package is the checked content of a panel archive in memory. left contains the names of the skipped files.
type Package struct {
	id, hash string
	content  content
	left     []string
	plan     manifest.Plan
	problems []manifest.Problem
}

// PackageOffer describes what installing a Package would do, so that the user can approve it. Invisible characters in
// its texts are escaped.
type PackageOffer struct {
	// Hash identifies the archive and, for an update, the accepted manifest with which it was compared, as SHA-256 in
	// hexadecimal. The approval contains it.
	Hash        string `json:"hash"`
	Panel       string `json:"panel"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
	// IsUpdate is true if a panel with the same id is installed. PreviousVersion is the version in its accepted
	// manifest.
	IsUpdate        bool   `json:"update"`
	PreviousVersion string `json:"was,omitempty"`
	// Rights contains sentences about what the panel may do and run. For an update of an accepted panel, it contains
	// only new rights.
	Rights []string `json:"rights"`
	// Diff is the unified diff from the accepted manifest to the new one, "" if none was accepted.
	Diff  string        `json:"diff,omitempty"`
	Tools []OfferedTool `json:"tools"`
	Files []OfferedFile `json:"files"`
	// RemovedFiles contains the files of the installed panel that would be deleted, or a phrase if they cannot be
	// listed.
	RemovedFiles []string `json:"gone,omitempty"`
	// SkippedFiles contains the files of the archive that are not installed: those in a path with a name that begins
	// with a dot, and those that macOS adds.
	SkippedFiles []string `json:"left,omitempty"`
	// Problems contains the warnings about the panel. A panel with errors does not become a Package.
	Problems []manifest.Problem `json:"problems,omitempty"`
}

// OfferedTool is a tool of the offered panel.
type OfferedTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// OfferedFile is a file that would be installed. Bytes is its size.
type OfferedFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// ReadPackage reads and checks an archive that Pack made, or another zip file of a panel's folder. It returns an
// *InvalidPanelError if the panel could not run. reserved contains the names of Sextant's own tools.
func ReadPackage(archive []byte, reserved ...string) (*Package, error) {
	contents, left, err := unpack(archive)
	if err != nil {
		return nil, fmt.Errorf("the archive is refused: %w", err)
	}
	id := panelID(contents.files[manifest.FileName], contents.top)
	dir, err := os.MkdirTemp("", "sextant-panel-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the check: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := writePanel(dir, id, contents, keepAll); err != nil {
		return nil, err
	}
	report := manifest.Validate(filepath.Join(dir, id), reserved...)
	found := manifest.Parse(contents.files[manifest.FileName], id, false)
	if !report.OK || found.Plan == nil {
		return nil, &InvalidPanelError{id, report.Problems}
	}
	sum := sha256.Sum256(archive)
	return &Package{
		id: id, hash: hex.EncodeToString(sum[:]), content: contents, left: left, plan: *found.Plan,
		problems: report.Problems,
	}, nil
}

// If neither id is valid, panelID returns a placeholder, so that the manifest's problems can be reported.
func panelID(text []byte, top string) string {
	var m struct {
		PanelID string `json:"panel_id"`
	}
	_ = json.Unmarshal(text, &m) // the check reports problems
	for _, id := range []string{m.PanelID, top} {
		if manifest.CheckID(id) == nil {
			return id
		}
	}
	return "panel"
}

// Panel returns the id of the panel.
func (p *Package) Panel() string { return p.id }

// Manifest returns the text of manifest.json.
func (p *Package) Manifest() []byte { return p.content.files[manifest.FileName] }

// Hash returns the SHA-256 of the archive in hexadecimal.
func (p *Package) Hash() string { return p.hash }

// Offer returns what installing the panel into the folder dir would do, or an error if it cannot be installed there. It
// compares the panel with the manifest that accepted returns. The manifest in the folder does not count, because it may
// be pending or declined.
func (p *Package) Offer(dir string, accepted func(panel string) (wire.AcceptedPanel, bool)) (PackageOffer, error) {
	m := p.plan.Manifest
	o := PackageOffer{
		Hash: p.hash, Panel: p.id, Title: excerpt.Escape(m.Title), Description: excerpt.Escape(m.Description),
		Version: excerpt.Escape(m.Version),
		Tools:   []OfferedTool{}, Rights: []string{},
	}
	for _, problem := range p.problems {
		o.Problems = append(o.Problems, shown(problem))
	}
	for _, t := range p.plan.Tools {
		o.Tools = append(o.Tools, OfferedTool{
			Name: t.Name,
			Description: excerpt.Escape(excerpt.TruncateRunes(t.Description,
				400)),
		})
	}
	for _, name := range sorted(p.content.files) {
		o.Files = append(o.Files, OfferedFile{Name: excerpt.Escape(name), Bytes: len(p.content.files[name])})
	}
	for _, name := range p.left {
		o.SkippedFiles = append(o.SkippedFiles, excerpt.Escape(name))
	}
	// All tools of a new panel are new and are listed separately.
	was, known := manifest.Plan{}, acceptance.MergeKnownTools(nil, p.plan)
	folder := filepath.Join(dir, p.id)
	switch info, err := os.Lstat(folder); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return o, fmt.Errorf("finding the installed panel: %w", err)
	case !info.IsDir():
		return o, fmt.Errorf("%s is not a folder; remove it before you install a panel of that name", folder)
	default:
		o.IsUpdate = true
		o.RemovedFiles = p.removedFiles(folder)
		was, known = p.compareAccepted(accepted, &o)
	}
	for _, reason := range acceptance.Compare(was, p.plan, known) {
		o.Rights = append(o.Rights, reason.Text)
	}
	return o, nil
}

// LoadAccepted returns a function for Package.Offer that finds accepted manifests in list. It is for use while Sextant
// is not running. A panel in dir that is not in list counts as accepted, as it will when the program starts.
func LoadAccepted(dir string, list []wire.AcceptedPanel) func(panel string) (wire.AcceptedPanel, bool) {
	return func(panel string) (wire.AcceptedPanel, bool) {
		if at := slices.IndexFunc(list, func(p wire.AcceptedPanel) bool { return p.Panel == panel }); at >= 0 {
			return list[at], true
		}
		text, err := manifest.ReadFile(dir, panel)
		if err != nil {
			return wire.AcceptedPanel{}, false
		}
		known := wire.AcceptedPanel{Panel: panel, Hash: pinning.Hash(text), Manifest: string(text)}
		if plan := manifest.Parse(text, panel, false).Plan; plan != nil {
			known.Tools = acceptance.MergeKnownTools(nil, *plan)
		}
		return known, true
	}
}

// If no manifest was accepted, everything that the panel may do is new.
func (p *Package) compareAccepted(
	accepted func(panel string) (wire.AcceptedPanel, bool), o *PackageOffer,
) (was manifest.Plan, known map[string]string) {
	known = acceptance.MergeKnownTools(nil, p.plan)
	before, ok := accepted(p.id)
	sum := sha256.Sum256([]byte(p.hash + " " + before.Hash))
	o.Hash = hex.EncodeToString(sum[:])
	if !ok {
		return was, known
	}
	text := []byte(before.Manifest)
	known = before.Tools
	o.Diff = pinning.Diff(manifest.FileName, text, p.Manifest())
	found := manifest.Parse(text, p.id, false).Plan
	if found == nil {
		return was, known
	}
	o.PreviousVersion = excerpt.Escape(found.Manifest.Version)
	return *found, known
}

// shown returns p with invisible characters escaped, because it quotes the archive.
func shown(p manifest.Problem) manifest.Problem {
	for _, text := range []*string{&p.File, &p.Pointer, &p.Expected, &p.Found, &p.Nearest, &p.Fix, &p.Text, &p.Tool} {
		lines := strings.Split(*text, "\n")
		for i, line := range lines {
			lines[i] = excerpt.Escape(line)
		}
		*text = strings.Join(lines, "\n")
	}
	return p
}

func (p *Package) removedFiles(folder string) []string {
	old, err := readFolder(folder)
	if err != nil {
		// The folder has too many files or contains a link.
		return []string{excerpt.Escape(fmt.Sprintf("everything else in the folder (it could not be listed: %v)",
			err))}
	}
	var names []string
	for _, name := range sorted(old.files) {
		if _, stays := p.content.files[name]; !stays {
			names = append(names, excerpt.Escape(name))
		}
	}
	return names
}

// Install writes the panel into the folder dir, which it creates if necessary, and returns the panel's folder. Of an
// existing panel it keeps the entries at the top with names that begin with a dot. The panel then counts as made by the
// user.
func (p *Package) Install(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making panels folder: %w", err)
	}
	folder := filepath.Join(dir, p.id)
	if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; nothing was changed", folder)
	}
	contents := content{files: p.content.files, executables: slices.Clone(p.content.executables)}
	return folder, writePanel(dir, p.id, contents, keepHidden)
}
