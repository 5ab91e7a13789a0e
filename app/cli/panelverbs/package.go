package panelverbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/manifest"
	"sextant/backend/store/sqlite"
	"sextant/backend/store/wholefile"
	"sextant/shared/navigation"
)

type panelsPackVerb struct {
	Panel string `arg:"" help:"Id of a panel in your panels folder, or a panel's folder."`
	Out   string `help:"File to write; by default ID.sextant-panel in the current folder." type:"path" placeholder:"FILE"`
	JSON  bool   `help:"Print JSON."`
}

type packedPanel struct {
	Panel string `json:"panel"`
	// File is the path of the written archive. Folder is the folder of the installed panel.
	File   string                  `json:"file,omitempty"`
	Folder string                  `json:"folder,omitempty"`
	Bytes  int                     `json:"bytes,omitempty"`
	Offer  *authoring.PackageOffer `json:"offer,omitempty"`
}

// Run packs a panel. It refuses a panel with problems, so that people install only checked panels.
func (v *panelsPackVerb) Run(io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	dir := v.Panel
	if manifest.CheckID(v.Panel) == nil {
		if own := filepath.Join(config.DataDir, "panels", v.Panel); isFolder(own) || !isFolder(dir) {
			dir = own
		}
	}
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	archive, err := authoring.Pack(dir, nav.ToolNames()...)
	if err != nil {
		return invalidPanel(io, err)
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	id := filepath.Base(full)
	out := cmp.Or(v.Out, id+authoring.Extension)
	if err := wholefile.Write(out, archive, 0o600); err != nil {
		return verb.Failure(verb.ExitFailed, "writing %s: %v", out, err)
	}
	if v.JSON {
		return verb.PrintJSON(io, packedPanel{Panel: id, File: out, Bytes: len(archive)})
	}
	_, err = fmt.Fprintf(io.Out, "Packed %s into %s, %s. Install it with: sextant panels install %s\n", id, out,
		humanize.Bytes(uint64(len(archive))), filepath.Base(out))
	return err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func invalidPanel(io verb.Streams, err error) error {
	var bad *authoring.InvalidPanelError
	if !errors.As(err, &bad) {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	printProblems(verb.Streams{Out: io.Err}, bad.Problems)
	return verb.Failure(verb.ExitFailed, "%s has problems and cannot run", bad.Panel)
}

type panelsInstallVerb struct {
	File string `arg:"" help:"Packed panel." type:"existingfile"`
	Yes  bool   `help:"Install it without asking. What it may do is printed, and Sextant still asks before its program runs."`
	JSON bool   `help:"Print JSON."`
}

// Run describes the panel and its rights, asks unless --yes is set, and installs the panel in the panels folder. It
// runs nothing: a running Sextant lists the panel and asks before it starts the panel's program.
func (v *panelsInstallVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	archive, err := readArchive(v.File)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	found, err := authoring.ReadPackage(archive, nav.ToolNames()...)
	if err != nil {
		return invalidPanel(io, err)
	}
	dir := filepath.Join(config.DataDir, "panels")
	// Accepted manifests count as they do in the window, even if another Sextant has opened the database.
	list, err := sqlite.ReadAcceptedPanels(ctx, filepath.Join(config.DataDir, app.DatabaseName))
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	offer, err := found.Offer(dir, authoring.LoadAccepted(dir, list))
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	printOffer(io, offer, filepath.Join(dir, offer.Panel))
	if !v.Yes {
		if err := confirmInstall(ctx, io, offer); err != nil {
			return err
		}
	}
	folder, err := found.Install(dir)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if v.JSON {
		return verb.PrintJSON(io, packedPanel{Panel: offer.Panel, Folder: folder, Offer: &offer})
	}
	done := "Installed %s into %s. A running Sextant shows it immediately.\n"
	if offer.IsUpdate && len(offer.Rights) > 0 {
		done = "Installed %s into %s. It may do more than the earlier version: allow that in the window, on the " +
			"panel.\n"
	}
	_, err = fmt.Fprintf(io.Out, done, offer.Panel, folder)
	return err
}

// readArchive reads at most one byte more than an archive may have, so that a larger file is noticed later.
func readArchive(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, authoring.MaxArchive+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return text, nil
}

func printOffer(io verb.Streams, o authoring.PackageOffer, folder string) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(io.Err, format+"\n", args...) }
	version := cmp.Or(o.Version, "without a version")
	switch {
	case o.IsUpdate && o.PreviousVersion != "":
		version += ", replaces " + o.PreviousVersion
	case o.IsUpdate:
		version += ", replaces the installed version"
	}
	line("%s (%s), %s", o.Title, o.Panel, version)
	if o.Description != "" {
		line("  %s", o.Description)
	}
	switch {
	case len(o.Rights) > 0 && o.IsUpdate:
		line("What it may do beyond the installed version:")
	case len(o.Rights) > 0:
		line("What it may do:")
	case o.IsUpdate:
		line("It may do no more than the installed version.")
	default:
		line("It asks for no permissions and runs no program.")
	}
	for _, right := range o.Rights {
		line("  - %s", right)
	}
	if len(o.Tools) > 0 {
		line("Its tools:")
	}
	for _, t := range o.Tools {
		line("  - %s: %s", t.Name, t.Description)
	}
	for _, p := range o.Problems {
		line("Note: %s", p.String())
	}
	if o.Diff != "" {
		line("What changes in manifest.json:\n%s", strings.TrimSuffix(o.Diff, "\n"))
	}
	total := 0
	for _, f := range o.Files {
		total += f.Bytes
	}
	line("%d files, %s, into %s", len(o.Files), humanize.Bytes(uint64(total)), folder)
	if len(o.RemovedFiles) > 0 {
		line("Removed, because the new version does not have them: %s", strings.Join(o.RemovedFiles, ", "))
	}
}

func confirmInstall(ctx context.Context, io verb.Streams, o authoring.PackageOffer) error {
	if !verb.IsTerminal(io.In) {
		return verb.Failure(verb.ExitRefused,
			"stdin is not a terminal, so nothing was installed. Read the text above, then add --yes")
	}
	if yes, err := verb.Confirm(ctx, io, "Install "+o.Panel+"? [y/N] "); err == nil && yes {
		return nil
	}
	return verb.Failure(verb.ExitRefused, "nothing was installed")
}
