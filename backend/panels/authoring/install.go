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

// Package is a panel from an archive: checked and in memory, nothing written or run.
type Package struct {
	id, hash string
	held     content
	left     []string
	plan     manifest.Plan
	problems []manifest.Problem
}

// PackageOffer is what installing a Package would do, for the user to approve. Invisible characters in
// its texts are escaped.
type PackageOffer struct {
	// Hash identifies the archive and the manifest that it is compared with, if the user accepted one
	// (SHA-256, hexadecimal). The approval names it.
	Hash        string `json:"hash"`
	Panel       string `json:"panel"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
	// Update is true when a panel of that id is installed, of the version Was.
	Update bool   `json:"update"`
	Was    string `json:"was,omitempty"`
	// Rights are sentences about what it may do and runs; for an update only those that are new.
	Rights []string `json:"rights"`
	// Diff is the unified diff of the two manifests, "" for a new panel.
	Diff  string        `json:"diff,omitempty"`
	Tools []OfferedTool `json:"tools"`
	Files []OfferedFile `json:"files"`
	// Gone are files of the installed panel that the new one does not have, or a sentence if they
	// cannot be listed.
	Gone []string `json:"gone,omitempty"`
	// Left are files of the archive that are skipped because their names begin with a dot.
	Left []string `json:"left,omitempty"`
	// Problems are warnings; errors prevent a Package.
	Problems []manifest.Problem `json:"problems,omitempty"`
}

// OfferedTool is a tool of the panel.
type OfferedTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// OfferedFile is a file to be written, Bytes long.
type OfferedFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// Open reads an archive made by Pack, or any zip of a panel's folder, and checks its contents as the
// running program would. The error is *Unfit if the panel could not run; any other says why the
// archive is refused: a name or link that leads out of the folder, more or larger files than allowed,
// or no panel in it. Reserved are the tools of Sextant itself.
func Open(archive []byte, reserved ...string) (*Package, error) {
	held, left, err := unpack(archive)
	if err != nil {
		return nil, fmt.Errorf("the archive is refused: %w", err)
	}
	id := panelID(held.files[manifest.FileName], held.top)
	dir, err := os.MkdirTemp("", "sextant-panel-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the check: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := writePanel(dir, id, held, keepAll); err != nil {
		return nil, err
	}
	report := manifest.Validate(filepath.Join(dir, id), reserved...)
	found := manifest.Parse(held.files[manifest.FileName], id, false)
	if !report.OK || found.Plan == nil {
		return nil, &InvalidPanelError{id, report.Problems}
	}
	sum := sha256.Sum256(archive)
	return &Package{
		id: id, hash: hex.EncodeToString(sum[:]), held: held, left: left, plan: *found.Plan,
		problems: report.Problems,
	}, nil
}

// panelID is the id of the panel with the manifest text; top is the folder that it was in. If neither
// can be an id, it is one for reporting the manifest's problems.
func panelID(text []byte, top string) string {
	var m struct {
		PanelID string `json:"panel_id"`
	}
	_ = json.Unmarshal(text, &m) // problems are reported by the check
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
func (p *Package) Manifest() []byte { return p.held.files[manifest.FileName] }

// Hash identifies the archive (SHA-256, hexadecimal).
func (p *Package) Hash() string { return p.hash }

// Against says what installing into the folder dir would do, compared with the manifest that the user
// accepted (taken). The manifest in the folder does not count, because it may be pending or declined.
// The error says why it cannot be installed there.
func (p *Package) Against(dir string, taken func(panel string) (wire.AcceptedPanel, bool)) (PackageOffer, error) {
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
		o.Tools = append(o.Tools, OfferedTool{Name: t.Name, Description: excerpt.Escape(excerpt.Runes(t.Description,
			400))})
	}
	for _, name := range sorted(p.held.files) {
		o.Files = append(o.Files, OfferedFile{Name: excerpt.Escape(name), Bytes: len(p.held.files[name])})
	}
	for _, name := range p.left {
		o.Left = append(o.Left, excerpt.Escape(name))
	}
	// All tools of a new panel are new, and they are listed anyway.
	was, known := manifest.Plan{}, acceptance.KnownTools(nil, p.plan)
	folder := filepath.Join(dir, p.id)
	switch info, err := os.Lstat(folder); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return o, fmt.Errorf("finding the installed panel: %w", err)
	case !info.IsDir():
		return o, fmt.Errorf("%s is not a folder; remove it before you install a panel of that name", folder)
	default:
		o.Update = true
		o.Gone = p.gone(folder)
		was, known = p.compared(taken, &o)
	}
	for _, reason := range acceptance.Compare(was, p.plan, known) {
		o.Rights = append(o.Rights, reason.Text)
	}
	return o, nil
}

// LoadAccepted returns what the user accepted of panels from list, when no program runs. A panel in dir about
// which nothing is stored counts as accepted, as it will when the program starts.
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
			known.Tools = acceptance.KnownTools(nil, *plan)
		}
		return known, true
	}
}

// compared is the plan that an update is compared with, and the known tools; it fills in the rest of
// o. If nothing was accepted, everything that the panel may do is new.
func (p *Package) compared(taken func(panel string) (wire.AcceptedPanel, bool), o *PackageOffer) (was manifest.Plan,
	known map[string]string,
) {
	known = acceptance.KnownTools(nil, p.plan)
	before, ok := taken(p.id)
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
	o.Was = excerpt.Escape(found.Manifest.Version)
	return *found, known
}

// shown is a problem with invisible characters escaped, because it quotes the archive.
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

// gone are the files of the folder that the package does not have.
func (p *Package) gone(folder string) []string {
	old, err := readFolder(folder)
	if err != nil {
		// Too many files, or a link: all of it is replaced.
		return []string{excerpt.Escape(fmt.Sprintf("everything else in the folder (it could not be listed: %v)",
			err))}
	}
	var names []string
	for _, name := range sorted(old.files) {
		if _, stays := p.held.files[name]; !stays {
			names = append(names, excerpt.Escape(name))
		}
	}
	return names
}

// Install puts the panel into the folder dir, which it makes if needed, atomically. Of an existing
// panel only files that begin with a dot stay. It returns the panel's folder.
func (p *Package) Install(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making panels folder: %w", err)
	}
	folder := filepath.Join(dir, p.id)
	if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; nothing was changed", folder)
	}
	held := content{files: p.held.files, runs: slices.Clone(p.held.runs)}
	return folder, writePanel(dir, p.id, held, keepHidden)
}
