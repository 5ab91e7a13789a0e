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
