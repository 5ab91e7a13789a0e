package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sextant/backend/panels/acceptance"
	"sextant/backend/panels/manifest"
	"sextant/backend/toolprovider/pinning"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// ManifestStore stores the accepted manifests. *sqlite.Store implements it.
type ManifestStore interface {
	AcceptedPanels(ctx context.Context) ([]wire.AcceptedPanel, error)
	SaveAcceptedPanels(ctx context.Context, panels []wire.AcceptedPanel) error
}

// ErrNotPending reports that the manifest that the user accepted or declined is not pending (any more).
var ErrNotPending = errors.New("this change of the panel is no longer pending")

type pending struct {
	hash     string
	text     []byte
	found    manifest.ParseResult
	reasons  []acceptance.Reason
	diff     string
	declined bool
}

func (p *pending) view() *event.PendingManifest {
	if p == nil {
		return nil
	}
	v := &event.PendingManifest{Hash: p.hash, Diff: p.diff, Declined: p.declined, Developing: p.toolsOnly()}
	for _, reason := range p.reasons {
		v.Reasons = append(v.Reasons, reason.Text)
	}
	return v
}

func (p *pending) toolsOnly() bool {
	return !slices.ContainsFunc(p.reasons, func(r acceptance.Reason) bool { return r.Kind != acceptance.KindTool })
}

// loadAccepted loads the accepted manifests and the pinned panels. If it fails, the folders must not be read, because
// every panel would count as new.
func (r *Registry) loadAccepted(ctx context.Context) error {
	if r.cfg.AcceptedManifests != nil {
		list, err := r.cfg.AcceptedManifests.AcceptedPanels(ctx)
		if err != nil {
			return err
		}
		for _, p := range list {
			r.accepted[p.Panel] = p
		}
	}
	return r.loadPins(ctx)
}

// AcceptedPanel returns the accepted manifest of a panel and its known tools (acceptance.MergeKnownTools). It returns
// false if there is none.
func (r *Registry) AcceptedPanel(panel string) (wire.AcceptedPanel, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.accepted[panel]
	known.Tools = maps.Clone(known.Tools)
	return known, ok
}

// admit reports whether found may be used now. Otherwise found becomes pending. The caller holds r.mu.
func (r *Registry) admit(e *entry, text []byte, found manifest.ParseResult) bool {
	if e.builtin {
		return true
	}
	known, again := r.accepted[e.id]
	hash := pinning.Hash(text)
	if !again || known.Hash == hash {
		if !again {
			r.accept(e.id, text, *found.Plan)
		}
		return true
	}
	was := manifest.Parse([]byte(known.Manifest), e.id, false).Plan
	if was == nil {
		// The rules are stricter than when it was accepted, so the user is shown everything that found allows.
		was = &manifest.Plan{}
	}
	p := &pending{
		hash: hash, text: text, found: found, declined: known.Declined == hash,
		reasons: acceptance.Compare(*was, *found.Plan, known.Tools),
	}
	if len(p.reasons) == 0 || r.developed[e.id] && p.toolsOnly() {
		r.accept(e.id, text, *found.Plan)
		return true
	}
	p.diff = pinning.Diff(manifest.FileName, []byte(known.Manifest), text)
	e.pending = p
	r.restoreAccepted(e)
	return false
}

// The caller holds r.mu.
func (r *Registry) accept(id string, text []byte, plan manifest.Plan) {
	r.accepted[id] = wire.AcceptedPanel{
		Panel: id, Hash: pinning.Hash(text), Manifest: string(text),
		Tools: acceptance.MergeKnownTools(r.accepted[id].Tools, plan),
	}
	r.unsaved[id] = true
}

// restoreAccepted uses the accepted manifest if none is in use: after a start, the folder may contain a different one.
// The caller holds r.mu.
func (r *Registry) restoreAccepted(e *entry) {
	known, ok := r.accepted[e.id]
	if e.plan != nil || !ok || e.builtin {
		return
	}
	if plan := manifest.Parse([]byte(known.Manifest), e.id, false).Plan; plan != nil {
		e.plan = plan
		r.refreshBackend(e)
	}
}

// If saving never succeeds, the user is asked again after the next start. The caller holds r.reloadMu.
func (r *Registry) saveAccepted(ctx context.Context) error {
	r.mu.Lock()
	var list []wire.AcceptedPanel
	for id := range r.unsaved {
		list = append(list, r.accepted[id])
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if r.cfg.AcceptedManifests != nil {
		if err := r.cfg.AcceptedManifests.SaveAcceptedPanels(ctx, list); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.unsaved)
	return nil
}

// The caller holds r.mu.
func (r *Registry) pendingEntry(panel, hash string) (*entry, error) {
	e := r.entries[panel]
	if e == nil || e.pending == nil || e.pending.hash != hash {
		return nil, fmt.Errorf("panel %q: %w", panel, ErrNotPending)
	}
	return e, nil
}

// Accept accepts the pending manifest with the given hash. It returns ErrNotPending if that manifest is not pending.
// After any other error, the panel keeps the manifest that was accepted before.
func (r *Registry) Accept(ctx context.Context, panel, hash string) error {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.mu.Lock()
	e, err := r.pendingEntry(panel, hash)
	if err != nil {
		r.mu.Unlock()
		return err
	}
	p, before := e.pending, r.accepted[panel]
	r.accept(panel, p.text, *p.found.Plan)
	r.mu.Unlock()
	err = r.saveAccepted(ctx)
	r.mu.Lock()
	if err != nil {
		r.accepted[panel] = before
		delete(r.unsaved, panel)
		r.mu.Unlock()
		return err
	}
	e.pending, e.plan, e.problems = nil, p.found.Plan, p.found.Problems
	r.refreshBackend(e)
	r.mu.Unlock()
	r.log.Info("changed panel accepted", "panel", panel, "manifest", hash)
	r.publish()
	return nil
}

// Decline records that the user declines the pending manifest with the given hash. The manifest stays pending, marked
// as declined. Decline returns ErrNotPending if that manifest is not pending.
func (r *Registry) Decline(ctx context.Context, panel, hash string) error {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.mu.Lock()
	e, err := r.pendingEntry(panel, hash)
	if err != nil {
		r.mu.Unlock()
		return err
	}
	e.pending.declined = true
	known := r.accepted[panel]
	known.Declined = hash
	r.accepted[panel], r.unsaved[panel] = known, true
	r.mu.Unlock()
	err = r.saveAccepted(ctx)
	r.publish()
	return err
}

// SetDeveloping sets whether the user is developing a panel. Changes of the panel's tools are then accepted
// immediately, until the Registry is closed; permissions and backends still wait. SetDeveloping returns ErrNotPending
// if there is no such panel or it is built-in.
func (r *Registry) SetDeveloping(ctx context.Context, panel string, on bool) error {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.mu.Lock()
	e := r.entries[panel]
	if e == nil || e.builtin {
		r.mu.Unlock()
		return fmt.Errorf("panel %q: %w", panel, ErrNotPending)
	}
	r.developed[panel] = on
	if p := e.pending; on && p != nil && p.toolsOnly() {
		e.pending = nil
		r.apply(e, p.text, p.found)
	}
	r.mu.Unlock()
	err := r.saveAccepted(ctx)
	r.publish()
	return err
}

// SetAcceptedManifest makes text the accepted manifest of a panel, because the user has just approved it. The text may
// be written to the panel's folder before or after the call. SetAcceptedManifest returns an error if the text is
// invalid or could not be stored.
func (r *Registry) SetAcceptedManifest(ctx context.Context, panel string, text []byte) error {
	found := manifest.Parse(text, panel, false)
	if found.Plan == nil {
		return fmt.Errorf("accepting panel %s: %s", panel, found.Problems[0])
	}
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.mu.Lock()
	r.accept(panel, text, *found.Plan)
	if e := r.entries[panel]; e != nil && e.pending != nil && e.pending.hash == pinning.Hash(text) {
		e.seen = fingerprint{} // the text may already be in the folder, so check it again
	}
	r.mu.Unlock()
	return r.saveAccepted(ctx)
}

// ReadNow reads the folders immediately, for a caller that has just written to them. It reports an invalid manifest at
// once, although that may be incomplete.
func (r *Registry) ReadNow(ctx context.Context) {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.scan(false)
	r.publish()
	r.saveOrLog(ctx)
}

func (r *Registry) saveOrLog(ctx context.Context) {
	if err := r.saveAccepted(ctx); err != nil {
		r.log.Warn("storing accepted panels; they are asked about after the next start", "err", err)
	}
}
