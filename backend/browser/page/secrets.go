package page

import (
	"sextant/backend/policy/redact"
)

// redactor is called under the lock.
func (s *Session) redactor() *redact.Redactor {
	return redact.New(s.Secrets.Texts())
}

// HideSecret adds a secret that the tab's session must mask.
func (t *Tab) HideSecret(text string) { t.WithLock(func() { t.Session.Secrets.Add("", text) }) }

// masked returns lines of the page without typed passwords, and without keys and tokens of well-known shapes.
func (s *Session) masked(lines []string) []string {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	return s.redactor().Texts(lines, "the page")
}
