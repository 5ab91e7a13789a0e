package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/manifest"
	"sextant/backend/store/sqlite"
	"sextant/shared/navigation"
)

type panelsPackVerb struct {
	Panel string `arg:"" help:"Id of a panel in your panels folder, or a panel's folder."`
	Out   string `help:"File to write; ID.sextant-panel here when absent." type:"path" placeholder:"FILE"`
	JSON  bool   `help:"Print JSON."`
}

// packedPanel is what pack and install print with --json.
type packedPanel struct {
	Panel string `json:"panel"`
	// File is the archive that was written, Folder the panel's folder that was.
	File   string                  `json:"file,omitempty"`
	Folder string                  `json:"folder,omitempty"`
	Bytes  int                     `json:"bytes,omitempty"`
	Offer  *authoring.PackageOffer `json:"offer,omitempty"`
}

// Run packs a panel that can run, so that another person installs what was checked.
func (v *panelsPackVerb) Run(io Streams, g *Global) error {
	config, err := config.Load(g.flags())
	if err != nil {
		return err
	}
	dir := v.Panel
	if manifest.CheckID(v.Panel) == nil {
		if own := filepath.Join(config.DataDir, "panels", v.Panel); there(own) || !there(dir) {
			dir = own
		}
	}
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	archive, err := authoring.Pack(dir, nav.ToolNames()...)
	if err != nil {
		return unfit(io, err)
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	id := filepath.Base(full)
	out := cmp.Or(v.Out, id+authoring.Extension)
	if err := replace(out, archive); err != nil {
		return failure(exitFailed, "writing %s: %v", out, err)
	}
	if v.JSON {
		return printJSON(io, packedPanel{Panel: id, File: out, Bytes: len(archive)})
	}
	_, err = fmt.Fprintf(io.Out, "Packed %s into %s, %s. Installed by: sextant panels install %s\n", id, out,
		size(len(archive)), filepath.Base(out))
	return err
}

// there reports whether path is a folder.
func there(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// replace writes a file beside its place and moves it there, so that half of one is never found.
func replace(path string, text []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".sextant-")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// unfit prints the problems of a panel that cannot run as validate does.
func unfit(io Streams, err error) error {
	var bad *authoring.InvalidPanelError
	if !errors.As(err, &bad) {
		return failure(exitFailed, "%v", err)
	}
	printProblems(Streams{Out: io.Err}, bad.Problems)
	return failure(exitFailed, "%s is not a panel that can run", bad.Panel)
}

func size(bytes int) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

type panelsInstallVerb struct {
	File string `arg:"" help:"Archive of a panel." type:"existingfile"`
	Yes  bool   `help:"Install it without a question; what it may do is printed all the same, and its program is asked about before it runs."`
	JSON bool   `help:"Print JSON."`
}

// Run shows what the panel is and may do, asks, and puts it into the panels folder. Nothing of it
// runs by that: a running Sextant lists it, and asks before its program starts.
func (v *panelsInstallVerb) Run(ctx context.Context, io Streams, g *Global) error {
	config, err := config.Load(g.flags())
	if err != nil {
		return err
	}
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	archive, err := readArchive(v.File)
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	found, err := authoring.Open(archive, nav.ToolNames()...)
	if err != nil {
		return unfit(io, err)
	}
	dir := filepath.Join(config.DataDir, "panels")
	// What was accepted counts, as in the window, also while another Sextant has the database.
	list, err := sqlite.ReadAcceptedPanels(ctx, filepath.Join(config.DataDir, app.DatabaseName))
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	offer, err := found.Against(dir, authoring.LoadAccepted(dir, list))
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	printOffer(io, offer, filepath.Join(dir, offer.Panel))
	if !v.Yes {
		if err := ask(ctx, io, offer); err != nil {
			return err
		}
	}
	folder, err := found.Install(dir)
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	if v.JSON {
		return printJSON(io, packedPanel{Panel: offer.Panel, Folder: folder, Offer: &offer})
	}
	said := "Installed %s into %s. A running Sextant shows it at once.\n"
	if offer.Update && len(offer.Rights) > 0 {
		said = "Installed %s into %s. What it may do beyond the version before waits for you in the window, on the " +
			"panel.\n"
	}
	_, err = fmt.Fprintf(io.Out, said, offer.Panel, folder)
	return err
}

// readArchive reads a file that may be an archive, no further than one may be large.
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

// printOffer says on stderr, where questions go, what would be installed.
func printOffer(io Streams, o authoring.PackageOffer, folder string) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(io.Err, format+"\n", args...) }
	version := cmp.Or(o.Version, "without a version")
	switch {
	case o.Update && o.Was != "":
		version += ", in place of " + o.Was
	case o.Update:
		version += ", in place of the one that is installed"
	}
	say("%s (%s), %s", o.Title, o.Panel, version)
	if o.Description != "" {
		say("  %s", o.Description)
	}
	switch {
	case len(o.Rights) > 0 && o.Update:
		say("What it may do beyond the one that is installed:")
	case len(o.Rights) > 0:
		say("What it may do:")
	case o.Update:
		say("It may do no more than the one that is installed.")
	default:
		say("It asks for no permissions and runs no program.")
	}
	for _, right := range o.Rights {
		say("  - %s", right)
	}
	if len(o.Tools) > 0 {
		say("Its tools:")
	}
	for _, t := range o.Tools {
		say("  - %s: %s", t.Name, t.Description)
	}
	for _, p := range o.Problems {
		say("Note: %s", p.String())
	}
	if o.Diff != "" {
		say("What changes in manifest.json:\n%s", strings.TrimSuffix(o.Diff, "\n"))
	}
	total := 0
	for _, f := range o.Files {
		total += f.Bytes
	}
	say("%d files, %s, into %s", len(o.Files), size(total), folder)
	if len(o.Gone) > 0 {
		say("Removed, because the new one does not have them: %s", strings.Join(o.Gone, ", "))
	}
}

// ask waits for a yes at the terminal. Without one there is nobody to ask, and nothing is installed.
func ask(ctx context.Context, io Streams, o authoring.PackageOffer) error {
	if !isTerminal(io.In) {
		return failure(exitRefused,
			"nobody can be asked here, so nothing was installed. Read what stands above, then add --yes")
	}
	if yes, err := saysYes(ctx, io, "Install "+o.Panel+"? [y/N] "); err == nil && yes {
		return nil
	}
	return failure(exitRefused, "nothing was installed")
}
