package registry

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/backends/scripted"
	"sextant/backend/panels/manifest"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

const (
	maxFolders = 300
	// settle is how long an invalid manifest or page must be unchanged before it is reported, because it may be
	// incomplete. settleMissing is the same for a folder without a manifest.
	settle        = 400 * time.Millisecond
	settleMissing = 1500 * time.Millisecond
)

type entry struct {
	id, root string
	builtin  bool
	arrival  int
	// seen identifies the manifest that was last applied. waiting identifies an invalid one that may be incomplete, and
	// since is when that was first seen.
	seen, waiting fingerprint
	since         time.Time
	plan          *manifest.Plan
	page          pageState
	problems      []manifest.Problem
	runner        *process.Runner
	script        *scripted.Script
	program       string
	pending       *pending
	// ctx ends when the panel is removed, which cancels its calls. cancel ends it.
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func newEntry(id, root string) *entry {
	e := &entry{id: id, root: root}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	return e
}

type fingerprint [sha256.Size]byte

func (e *entry) dir() string { return filepath.Join(e.root, e.id) }

// While patient, invalid manifests and pages are not applied, because they may be incomplete.
func (r *Registry) scan(patient bool) (again time.Duration) {
	found := r.read()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0
	}
	r.clashes = map[string][]manifest.Problem{}
	present := map[string]bool{}
	for _, in := range found {
		root := in.root
		if in.err != nil && !errors.Is(in.err, fs.ErrNotExist) {
			r.log.Warn("reading panels folder", "folder", root, "err", in.err)
			// The panels of a folder that cannot be read are not removed.
			for id, e := range r.entries {
				present[id] = present[id] || e.root == root
			}
			continue
		}
		for _, d := range in.list {
			id := d.id
			if e := r.entries[id]; present[id] || e != nil && e.builtin {
				r.clashes[id] = append(r.clashes[id], manifest.Problem{
					Severity: event.SeverityWarning,
					Text: fmt.Sprintf("%s is ignored: there is already a panel called %s",
						filepath.Join(root, id), id),
				})
				continue
			}
			present[id] = true
			again = sooner(again, r.update(&d, patient))
			again = sooner(again, r.updatePage(r.entries[id], patient))
		}
	}
	for id, e := range r.entries {
		if !e.builtin && !present[id] {
			r.log.Info("panel removed", "panel", id)
			r.retire(e)
			r.removed = append(r.removed, e)
			delete(r.entries, id)
			delete(r.context, id)
		}
	}
	return again
}

// sooner returns the shorter of two pauses, where 0 means none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func folders(root string) ([]string, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	list, err := dir.ReadDir(4 * maxFolders)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var names []string
	for _, d := range list {
		if strings.HasPrefix(d.Name(), ".") || !d.IsDir() && d.Type()&fs.ModeSymlink == 0 {
			continue
		}
		names = append(names, d.Name())
	}
	slices.Sort(names)
	return names[:min(len(names), maxFolders)], nil
}

// The caller holds r.mu.
func (r *Registry) update(d *reading, patient bool) (again time.Duration) {
	e := r.entries[d.id]
	if e != nil && e.root != d.root {
		// A panel of the same name in another folder was removed, and this panel replaces it.
		r.retire(e)
		r.removed = append(r.removed, e)
		e = nil
	}
	if e == nil {
		e = newEntry(d.id, d.root)
	}
	if e.seen == d.print {
		e.waiting = fingerprint{}
		r.refreshBackend(e)
		return 0
	}
	if !d.checked {
		d.check() // the entry was reset since d was read
	}
	found, print := d.found, d.print
	if found.Plan == nil && patient {
		limit := settle
		if errors.Is(d.err, fs.ErrNotExist) {
			limit = settleMissing
		}
		if e.waiting != print {
			e.waiting, e.since = print, r.cfg.now()
		}
		if left := limit - r.cfg.now().Sub(e.since); left > 0 {
			// A folder that is still being copied gets an entry, but is not shown yet.
			r.entries[d.id] = e
			return left
		}
	}
	e.seen, e.waiting = print, fingerprint{}
	r.entries[d.id] = e
	r.apply(e, d.text, found)
	return 0
}

// The caller holds r.mu.
func (r *Registry) apply(e *entry, text []byte, found manifest.ParseResult) {
	if e.arrival == 0 {
		r.arrival++
		e.arrival = r.arrival
	}
	e.problems, e.pending = found.Problems, nil
	if found.Plan == nil {
		r.restoreAccepted(e)
		if e.plan != nil {
			e.problems = append(slices.Clone(e.problems), manifest.Problem{
				Severity: event.SeverityWarning, Text: lastGood(e.plan.Manifest.Version),
			})
		}
		r.log.Warn("panel manifest has problems", "panel", e.id, "problem", found.Problems[0].String())
		return
	}
	if !r.admit(e, text, found) {
		r.log.Info("panel manifest waits for the user", "panel", e.id, "version", found.Plan.Manifest.Version)
		return
	}
	r.log.Info("panel loaded", "panel", e.id, "version", found.Plan.Manifest.Version)
	e.plan = found.Plan
	r.refreshBackend(e)
}

func lastGood(version string) string {
	if version == "" {
		return "The last good manifest keeps running."
	}
	return fmt.Sprintf("Version %s, the last good one, keeps running.", excerpt.TruncateRunes(version, 40))
}

func (r *Registry) refreshBackend(e *entry) {
	if e.plan == nil || e.builtin {
		return
	}
	m := e.plan.Manifest
	if m.Backend == nil {
		r.retire(e)
		return
	}
	program := programFingerprint(e.dir(), m.Backend, m.Permissions)
	if (e.runner != nil || e.script != nil) && e.program == program {
		return
	}
	r.retire(e)
	e.program = program
	switch b := *m.Backend; {
	case b.Kind == "process", b.Kind == "mcp" && b.Command != "":
		e.runner = process.New(r.cfg.Programs, process.Panel{
			ID: e.id, Title: m.Title, Dir: e.dir(), Backend: b,
			Permissions: m.Permissions, Settings: r.settingsOf(e.id),
		})
	case b.Kind == "script":
		e.script = scripted.New(
			scripted.Config{Data: r.cfg.Programs.Data, Egress: r.cfg.Egress, Call: r.cfg.Call},
			scripted.Panel{
				ID: e.id, Dir: e.dir(), File: b.File, Permissions: m.Permissions,
				Settings: r.settingsOf(e.id),
			},
		)
	}
}

// retire marks e's program as unused. stopRetired stops it after callers see the new state, so that no call of a panel
// in use reaches a stopped program.
func (r *Registry) retire(e *entry) {
	if e.runner != nil {
		r.retired = append(r.retired, e.runner)
		e.runner = nil
	}
	e.script = nil
}

// stopRetired cancels the calls of removed panels and stops retired programs. It does not wait for them; Close does.
func (r *Registry) stopRetired() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.removed {
		e.cancel(errPanelRemoved)
	}
	for _, run := range r.retired {
		r.done.Go(run.Close)
	}
	r.retired, r.removed = nil, nil
}

// programFingerprint identifies the program that would run: the backend, the permissions, and the sizes and times of
// the panel's files that the command names. A program is therefore replaced after such a file was edited.
func programFingerprint(dir string, b *manifest.Backend, p manifest.Permissions) string {
	words, err := json.Marshal([]any{b, p})
	if err != nil {
		return ""
	}
	var id strings.Builder
	id.Write(words)
	if b.Kind == "script" {
		return id.String() // each call reads the script
	}
	for _, word := range append([]string{b.Command}, b.Args...) {
		if filepath.IsAbs(word) || !filepath.IsLocal(word) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, word)); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(&id, " %s %d %d", word, info.Size(), info.ModTime().UnixNano())
		}
	}
	return id.String()
}
