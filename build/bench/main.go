// Command bench compares Sextant with three similar programs in one run: on the same generated pages, over MCP on
// standard input and output, with the same Chromium. It measures which usable elements each program finds, which
// unusable ones it lists, the tokens and the time this takes, and whether actions work. The pages' HTML states the
// expected elements, and the pages report the effects of actions to this program.
//
// package.json pins the programs' versions. With -json, results are merged into a file (docs/bench.json), so that a run
// can be made in pieces, and -markdown writes docs/bench.md from it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	pages, systems, binary, folder, json, markdown, piece string
	quick, verbose, render, list, live                    bool
	repeats, looks                                        int
}

func parseFlags() options {
	var o options
	flag.StringVar(&o.pages, "pages", "", "only these pages, separated by commas")
	flag.StringVar(&o.systems, "systems", "",
		"only these systems, separated by commas: sextant, playwright-mcp, chrome-devtools-mcp, agent-browser")
	flag.StringVar(&o.binary, "sextant", "build/bin/sextant-headless", "the sextant binary")
	flag.StringVar(&o.folder, "folder", "build/bench", "where node_modules with the other programs is")
	flag.StringVar(&o.json, "json", "", "merge the results into this file")
	flag.StringVar(&o.markdown, "markdown", "", "write the table of the -json file here")
	flag.StringVar(&o.piece, "piece", "", "only one piece of the pages, e.g. 2/5")
	flag.IntVar(&o.repeats, "repeats", 3, "how often each page is opened and acted on")
	flag.IntVar(&o.looks, "looks", 2, "whole-page answers after the first, in each opening")
	flag.BoolVar(&o.quick, "quick", false, "open each page once, for a quick result")
	flag.BoolVar(&o.verbose, "v", false, "print what the systems answer")
	flag.BoolVar(&o.render, "render", false, "measure nothing, only write the table of -json")
	flag.BoolVar(&o.live, "live", false, "also run the benchmark of the live view")
	flag.BoolVar(&o.list, "list", false, "list the pages")
	flag.Parse()
	if o.quick {
		o.repeats = 1
	}
	return o
}

func bench(ctx context.Context) error {
	o := parseFlags()
	pages, names, err := loadPages()
	if err != nil {
		return err
	}
	if o.list {
		for _, n := range names {
			fmt.Printf("%-16s %6d nodes, %4d true  %s\n", n, pages[n].Nodes, len(pages[n].Truth), pages[n].Kind)
		}
		return nil
	}
	report, err := readReport(o.json)
	if err != nil {
		return err
	}
	if o.live {
		if report.Live, err = measureLive(ctx); err != nil {
			return err
		}
	}
	if !o.render {
		if names, err = selectPages(names, o.pages, o.piece); err != nil {
			return err
		}
		if err := measure(ctx, o, pages, names, report); err != nil {
			return err
		}
	}
	if o.json == "" {
		return nil
	}
	return report.write(o.json, o.markdown, pages)
}

// selectPages returns the pages of a run: those named in only, or one piece of all.
func selectPages(names []string, only, piece string) ([]string, error) {
	if only != "" {
		for n := range strings.SplitSeq(only, ",") {
			if !slices.Contains(names, n) {
				return nil, fmt.Errorf("there is no page %q; -list names them", n)
			}
		}
		return strings.Split(only, ","), nil
	}
	if piece == "" {
		return names, nil
	}
	var i, of int
	if _, err := fmt.Sscanf(piece, "%d/%d", &i, &of); err != nil || i < 1 || i > of {
		return nil, fmt.Errorf("-piece %q is not of the form 2/5", piece)
	}
	var out []string
	for n, name := range names {
		if n%of == i-1 {
			out = append(out, name)
		}
	}
	return out, nil
}

// measure runs the systems one after the other on each page.
func measure(ctx context.Context, o options, pages map[string]*Page, names []string, report *Report) error {
	scratch, err := os.MkdirTemp("", "sxb")
	if err != nil {
		return err
	}
	defer func() {
		killLeftovers(scratch)
		_ = os.RemoveAll(scratch)
	}()
	b := &Bench{
		repeats: o.repeats, looks: o.looks, scratch: scratch, verbose: o.verbose,
		file: filepath.Join(scratch, "photo.txt"),
	}
	if err := os.WriteFile(b.file, []byte("a photo"), 0o600); err != nil {
		return err
	}
	if b.codec, err = tokenizer.Get(tokenizer.Cl100kBase); err != nil {
		return err
	}
	if b.site, err = newSite(ctx, pages); err != nil {
		return err
	}
	defer b.site.Close()
	chromium, err := findChromium()
	if err != nil {
		return err
	}
	report.Machine = machine(ctx, chromium)
	all, err := selectSystems(o, chromium, scratch)
	if err != nil {
		return err
	}
	for _, s := range all {
		d, err := b.definitions(ctx, s)
		if err != nil {
			return err
		}
		report.setDefinitions(d)
	}
	running := map[string]*RunningSystem{}
	defer func() {
		for _, r := range running {
			r.Close()
		}
	}()
	for _, name := range names {
		for _, s := range all {
			if running[s.Name] == nil {
				if running[s.Name], err = b.start(ctx, s); err != nil {
					return err
				}
			}
			out := b.run(ctx, running[s.Name], pages[name])
			if ctx.Err() != nil {
				return nil // the caller writes the earlier results
			}
			report.add(out)
			fmt.Println(out.line())
			if pages[name].RestartAfter || out.Tried == 0 {
				running[s.Name].Close()
				delete(running, s.Name)
			}
		}
	}
	return nil
}

func findChromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("no Chromium in PATH")
}

func machine(ctx context.Context, chromium string) string {
	version := "Chromium"
	if out, err := exec.CommandContext(ctx, chromium,
		"--version").Output(); err == nil { //nolint:gosec // found in PATH
		if fields := strings.Fields(string(out)); len(fields) > 1 {
			version = fields[0] + " " + fields[1]
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s", version, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// selectSystems returns the systems of this run and checks that they are installed.
func selectSystems(o options, chromium, scratch string) ([]*System, error) {
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.folder)
	if err != nil {
		return nil, err
	}
	var out []*System
	for _, s := range systems(binary, folder, chromium, scratch) {
		if o.systems != "" && !slices.Contains(strings.Split(o.systems, ","), s.Name) {
			continue
		}
		if s.Package != "" {
			if _, err := os.Stat(filepath.Join(folder, "node_modules", s.Package)); err != nil {
				return nil, fmt.Errorf("%s is not installed: npm ci --prefix %s", s.Name, o.folder)
			}
		}
		out = append(out, s)
	}
	return out, nil
}
