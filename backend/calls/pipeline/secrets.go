package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sextant/backend/guard/secrets"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// lent notes by conversation which secrets went where with a person's word. Forgetting only means
// asking again.
type lent struct {
	mu    sync.Mutex
	talks map[string][]toolspec.SecretUse
}

func (l *lent) note(talk string, uses []toolspec.SecretUse) {
	if len(uses) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.talks) >= maxSessions || len(l.talks[talk]) >= maxHosts {
		clear(l.talks)
	}
	for _, u := range uses {
		if !slices.Contains(l.talks[talk], u) {
			l.talks[talk] = append(l.talks[talk], u)
		}
	}
}

func (l *lent) of(talk string) []toolspec.SecretUse {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.talks[talk])
}

// secrets ends a call that names a secret where none is put in, one that is not known, or one
// that belongs to another host. The sink looks again when it puts it in.
func (p *Pipeline) secrets(_ context.Context, f *flight) *toolspec.Result {
	if p.cfg.Secrets == nil {
		return nil
	}
	for _, u := range f.desc.Secrets {
		if err := p.cfg.Secrets.Check([]string{u.Name}, secrets.Sink{Place: secrets.Place(u.Place), Origin: u.Origin}); err != nil {
			return f.refuses(secrets.Refused(err))
		}
	}
	if f.desc.Quotes || f.def.Origin == toolspec.OriginCreated || f.def.Group == "feedback" || !strings.Contains(string(f.call.Args), "secret:") {
		return nil
	}
	for _, name := range secrets.Names(string(f.call.Args)) {
		if slices.ContainsFunc(f.desc.Secrets, func(u toolspec.SecretUse) bool { return u.Name == name }) {
			continue
		}
		if s, known := p.cfg.Secrets.Known(name); known {
			// A command, a script, a file or another program's tool could pass it on to anywhere.
			return f.refuses(toolspec.Fail(toolspec.SecurityError,
				fmt.Sprintf("%s is not put in here: it is bound to %s, and what %s does with it could not be held to that", secrets.Ref(name), s.Host, f.call.Tool),
				"Secrets are put in by http_request (url, headers, body) and by typing into a field of "+s.Host+"."))
		}
	}
	return nil
}

func (f *flight) refuses(r toolspec.Result) *toolspec.Result {
	f.verdict, f.reason, f.status = "refused", r.Error, event.CallRefused
	return &r
}

// masked is a result without the values of secrets, wherever they stand in it.
func (p *Pipeline) masked(r toolspec.Result) toolspec.Result {
	v := p.cfg.Secrets
	if v == nil {
		return r
	}
	r.Error, r.Suggestion, r.Text, r.Sentence = v.Mask(r.Error), v.Mask(r.Suggestion), v.Mask(r.Text), v.Mask(r.Sentence)
	r.Preview, r.Sources, r.Changed = p.maskedAll(r.Preview), p.maskedAll(r.Sources), p.maskedAll(r.Changed)
	if r.App != nil {
		r.App = v.MaskJSON(r.App)
	}
	var told []byte
	switch value := r.Value.(type) {
	case nil:
		return r
	case string:
		r.Value = v.Mask(value)
		return r
	case toolspec.Written:
		told = value.AppendJSON(nil)
	default:
		var err error
		if told, err = json.Marshal(value); err != nil {
			return r // settle has refused those
		}
	}
	if shown := v.MaskJSON(told); string(shown) != string(told) {
		r.Value = json.RawMessage(shown)
	}
	return r
}

func (p *Pipeline) maskedAll(list []string) []string {
	for i, text := range list {
		if shown := p.cfg.Secrets.Mask(text); shown != text {
			list = slices.Clone(list)
			list[i] = shown
		}
	}
	return list
}

// shown are arguments as they are told and kept: without what must not be seen by its name, and
// without secrets that somebody wrote out.
func (p *Pipeline) shown(f *flight) json.RawMessage {
	return p.cfg.Secrets.MaskJSON(hideSecrets(f.call.Args, f.desc.Secret...))
}

// maskedDescription hides secrets that somebody wrote out in what is told of a call before it runs.
func (p *Pipeline) maskedDescription(d toolspec.Description) toolspec.Description {
	v := p.cfg.Secrets
	if v == nil {
		return d
	}
	d.Present, d.Target, d.Data = v.Mask(d.Present), v.Mask(d.Target), v.Mask(d.Data)
	d.Warnings = p.maskedAll(d.Warnings)
	return d
}
