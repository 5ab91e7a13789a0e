package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/toolspec"
)

// secretUses records, by context, the uses of secrets that the person allowed. If it drops a use, the person is only
// asked again.
type secretUses struct {
	mu       sync.Mutex
	contexts map[string][]toolspec.SecretUse
}

func (s *secretUses) add(key string, uses []toolspec.SecretUse) {
	if len(uses) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.contexts) >= maxSessions || len(s.contexts[key]) >= maxHosts {
		clear(s.contexts)
	}
	for _, u := range uses {
		if !slices.Contains(s.contexts[key], u) {
			s.contexts[key] = append(s.contexts[key], u)
		}
	}
}

func (s *secretUses) of(key string) []toolspec.SecretUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.contexts[key])
}

// checkSecrets refuses a call that would fill in an unknown secret or one of another host, or that names a known secret
// where none is filled in. The tool checks again when it fills in the secret.
func (p *Pipeline) checkSecrets(_ context.Context, c *callState) *toolspec.Result {
	if p.cfg.Secrets == nil {
		return nil
	}
	for _, u := range c.desc.Secrets {
		sink := secrets.Sink{Place: secrets.Place(u.Place), Origin: u.Origin}
		if err := p.cfg.Secrets.Check([]string{u.Name}, sink); err != nil {
			return c.refused(secrets.ErrorResult(err))
		}
	}
	if c.desc.ForwardsSecrets || c.def.Origin == toolspec.OriginCreated || c.def.Group == "feedback" ||
		!strings.Contains(string(c.call.Args), "secret:") {
		return nil
	}
	for _, name := range secrets.ReferencedNames(string(c.call.Args)) {
		if slices.ContainsFunc(c.desc.Secrets, func(u toolspec.SecretUse) bool { return u.Name == name }) {
			continue
		}
		if s, known := p.cfg.Secrets.Lookup(name); known {
			// A command, a script, a file or another program's tool could send the secret anywhere.
			return c.refused(toolspec.Fail(toolspec.SecurityError,
				fmt.Sprintf("%s is not filled in here: it is bound to %s, and %s could send it elsewhere",
					secrets.Reference(name), s.Host, c.call.Tool),
				"Secrets are filled in by http_request (url, headers, body) and by typing into a field of "+s.Host+"."))
		}
	}
	return nil
}

// masked returns r with the values of secrets masked everywhere but in pictures.
func (p *Pipeline) masked(r toolspec.Result) toolspec.Result {
	v := p.cfg.Secrets
	if v == nil {
		return r
	}
	r.Error, r.Suggestion = v.Mask(r.Error), v.Mask(r.Suggestion)
	r.Text, r.Sentence = v.Mask(r.Text), v.Mask(r.Sentence)
	r.Preview, r.Sources, r.Changed = p.maskedAll(r.Preview), p.maskedAll(r.Sources), p.maskedAll(r.Changed)
	r.Change = r.Change.Map(v.Mask)
	if r.AppResult != nil {
		r.AppResult = v.MaskJSON(r.AppResult)
	}
	var encoded []byte
	switch value := r.Value.(type) {
	case nil:
		return r
	case string:
		r.Value = v.Mask(value)
		return r
	case toolspec.JSONAppender:
		encoded = value.AppendJSON(nil)
	default:
		var err error
		if encoded, err = json.Marshal(value); err != nil {
			return r // resultOf has already refused such a value
		}
	}
	if shown := v.MaskJSON(encoded); string(shown) != string(encoded) {
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

// shownArgs returns the arguments as they are shown and stored, without the values of secret arguments and without
// literal secrets. SQLite reads no JSON that is nested more than 1,000 deep, so of such arguments only the digest is
// kept.
func (p *Pipeline) shownArgs(c *callState) json.RawMessage {
	if nesting(c.call.Args) > maxNesting {
		return fmt.Appendf(nil, `{"not_recorded":"%d bytes nested more than %d deep, SHA-256 %x"}`, len(c.call.Args),
			maxNesting, sha256.Sum256(c.call.Args))
	}
	return p.cfg.Secrets.MaskJSON(hideSecrets(c.call.Args, c.desc.SecretArgs...))
}

func (p *Pipeline) maskedDescription(d toolspec.Description) toolspec.Description {
	v := p.cfg.Secrets
	if v == nil {
		return d
	}
	d.Sentence, d.Target, d.Data = v.Mask(d.Sentence), v.Mask(d.Target), v.Mask(d.Data)
	d.Question, d.Title, d.Note, d.Diff = v.Mask(d.Question), v.Mask(d.Title), v.Mask(d.Note), v.Mask(d.Diff)
	d.Warnings = p.maskedAll(d.Warnings)
	return d
}

// maxNesting is how deep recorded arguments may be nested.
const maxNesting = 500

// nesting returns how deep objects and arrays are nested in JSON.
func nesting(text json.RawMessage) int {
	deepest, depth, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
