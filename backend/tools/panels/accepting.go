package panels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sextant/backend/tools/panels/accepted"
	"sextant/backend/tools/panels/manifest"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// Accepted keeps which manifests may run; *store.Store is one.
type Accepted interface {
	AcceptedPanels(ctx context.Context) ([]wire.AcceptedPanel, error)
	SaveAcceptedPanels(ctx context.Context, panels []wire.AcceptedPanel) error
}

// ErrNotPending says that the manifest a person answered about does not wait, or not any more.
var ErrNotPending = errors.New("no such change of a panel waits")

// pending is a manifest that would widen what its panel may do.
type pending struct {
	hash    string
	text    []byte
	found   manifest.Parsed
	reasons []accepted.Reason
	diff    string
	// declined is true when the person said no to it.
	declined bool
}

// view is p as the window needs it.
func (p *pending) view() *event.PanelPending {
	if p == nil {
		return nil
	}
	v := &event.PanelPending{Hash: p.hash, Diff: p.diff, Declined: p.declined, Developing: p.toolsOnly()}
	for _, reason := range p.reasons {
		v.Reasons = append(v.Reasons, reason.Text)
	}
	return v
}

func (p *pending) toolsOnly() bool {
	return !slices.ContainsFunc(p.reasons, func(r accepted.Reason) bool { return r.Kind != accepted.Tool })
}

// recall reads what was accepted before. Without it every panel would count as new, so a fault
// keeps the folders from being read.
func (r *Registry) recall(ctx context.Context) error {
	if r.cfg.Accepted != nil {
		list, err := r.cfg.Accepted.AcceptedPanels(ctx)
		if err != nil {
			return err
		}
		for _, p := range list {
			r.accepted[p.Panel] = p
		}
	}
	return r.recallPins(ctx)
}

// AcceptedPanel is the manifest of a panel that a person accepted, and the tools it ever had; false
// when none is.
func (r *Registry) AcceptedPanel(panel string) (wire.AcceptedPanel, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.accepted[panel]
	known.Tools = maps.Clone(known.Tools)
	return known, ok
}

// weigh reports whether what was found in text may run now: the panel is built in or new, the
// person accepted this manifest, or it widens nothing. Otherwise it is e's pending one, and the
// accepted one stays in force. Who calls it holds mu.
func (r *Registry) weigh(e *entry, text []byte, found manifest.Parsed) bool {
	if e.builtin {
		return true
	}
	known, again := r.accepted[e.id]
	hash := accepted.Hash(text)
	if !again || known.Hash == hash {
		if !again {
			r.take(e.id, text, *found.Plan)
		}
		return true
	}
	was := manifest.Parse([]byte(known.Manifest), e.id, false).Plan
	if was == nil {
		// Rules became stricter since: all that it may do is said anew.
		was = &manifest.Plan{}
	}
	p := &pending{
		hash: hash, text: text, found: found, declined: known.Declined == hash,
		reasons: accepted.Compare(*was, *found.Plan, known.Tools),
	}
	if len(p.reasons) == 0 || r.developed[e.id] && p.toolsOnly() {
		r.take(e.id, text, *found.Plan)
		return true
	}
	p.diff = accepted.Diff([]byte(known.Manifest), text)
	e.pending = p
	r.restore(e)
	return false
}

// take makes a manifest the accepted one of its panel. Who calls it holds mu.
func (r *Registry) take(id string, text []byte, plan manifest.Plan) {
	r.accepted[id] = wire.AcceptedPanel{
		Panel: id, Hash: accepted.Hash(text), Manifest: string(text), Tools: accepted.Known(r.accepted[id].Tools, plan),
	}
	r.unsaved[id] = true
}

// restore puts the accepted manifest in force when none is: after a start, what stands in the
// folder may be another one. Who calls it holds mu.
func (r *Registry) restore(e *entry) {
	known, ok := r.accepted[e.id]
	if e.plan != nil || !ok || e.builtin {
		return
	}
	if plan := manifest.Parse([]byte(known.Manifest), e.id, false).Plan; plan != nil {
		e.plan = plan
		r.refresh(e)
	}
}

// save keeps what was taken over since. What cannot be kept is asked about again after the next
// start. Who calls it holds turn.
func (r *Registry) save(ctx context.Context) error {
	r.mu.Lock()
	var list []wire.AcceptedPanel
	for id := range r.unsaved {
		list = append(list, r.accepted[id])
	}
	r.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if r.cfg.Accepted != nil {
		if err := r.cfg.Accepted.SaveAcceptedPanels(ctx, list); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.unsaved)
	return nil
}

// Accept puts the pending manifest with that hash in force: a person has read what it widens.
// ErrNotPending says that it is not what waits now; another error that it could not be kept, and
// then the accepted one stays in force.
func (r *Registry) Accept(ctx context.Context, panel, hash string) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	e := r.entries[panel]
	if e == nil || e.pending == nil || e.pending.hash != hash {
		r.mu.Unlock()
		return fmt.Errorf("panel %q: %w", panel, ErrNotPending)
	}
	p, before := e.pending, r.accepted[panel]
	r.take(panel, p.text, *p.found.Plan)
	r.mu.Unlock()
	err := r.save(ctx)
	r.mu.Lock()
	if err != nil {
		r.accepted[panel] = before
		delete(r.unsaved, panel)
		r.mu.Unlock()
		return err
	}
	e.pending, e.plan, e.problems = nil, p.found.Plan, p.found.Problems
	r.refresh(e)
	r.mu.Unlock()
	r.log.Info("changed panel accepted", "panel", panel, "manifest", hash)
	r.publish()
	return nil
}

// Decline notes that a person does not want the pending manifest with that hash: it stays shown
// as declined, and is not asked about again. ErrNotPending as for Accept.
func (r *Registry) Decline(ctx context.Context, panel, hash string) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	e := r.entries[panel]
	if e == nil || e.pending == nil || e.pending.hash != hash {
		r.mu.Unlock()
		return fmt.Errorf("panel %q: %w", panel, ErrNotPending)
	}
	e.pending.declined = true
	known := r.accepted[panel]
	known.Declined = hash
	r.accepted[panel], r.unsaved[panel] = known, true
	r.mu.Unlock()
	err := r.save(ctx)
	r.publish()
	return err
}

// Develop says whether the person works on a panel. Until the Registry ends, changes of its tools'
// texts, schemas and endpoints then do not wait; permissions and commands always do. What waits
// and may now go on does at once. ErrNotPending says that there is no such panel of a person's own.
func (r *Registry) Develop(ctx context.Context, panel string, on bool) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	e := r.entries[panel]
	if e == nil || e.builtin {
		r.mu.Unlock()
		return fmt.Errorf("panel %q: %w", panel, ErrNotPending)
	}
	r.developed[panel] = on
	if p := e.pending; on && p != nil && p.toolsOnly() {
		e.pending = nil
		r.adopt(e, p.text, p.found)
	}
	r.mu.Unlock()
	err := r.save(ctx)
	r.publish()
	return err
}

// Approved makes text the accepted manifest of a panel before or after it is written to its
// folder: what a person has just said yes to, word for word, must not be asked about again. The
// error says that it is no good manifest, or could not be kept.
func (r *Registry) Approved(ctx context.Context, panel string, text []byte) error {
	found := manifest.Parse(text, panel, false)
	if found.Plan == nil {
		return fmt.Errorf("accepting panel %s: %s", panel, found.Problems[0])
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	r.mu.Lock()
	r.take(panel, text, *found.Plan)
	if e := r.entries[panel]; e != nil && e.pending != nil && e.pending.hash == accepted.Hash(text) {
		e.seen = fingerprint{} // it was written already, so it is weighed again
	}
	r.mu.Unlock()
	return r.save(ctx)
}

// Look reads the folders now, for who has just written to them; what a scan would wait for
// (a manifest that may still be written) is not waited for.
func (r *Registry) Look(ctx context.Context) {
	r.turn.Lock()
	defer r.turn.Unlock()
	r.scan(false)
	r.publish()
	r.saveOrTell(ctx)
}

func (r *Registry) saveOrTell(ctx context.Context) {
	if err := r.save(ctx); err != nil {
		r.log.Warn("accepted panels not kept; they are asked about after the next start", "error", err)
	}
}
