package page

import (
	"sextant/backend/policy/redact"
)

// redactor masks what the session's password fields got and other likely secrets. Called under the lock.
func (s *Session) redactor() *redact.Redactor {
	return redact.New(s.Secrets.Texts())
}

// HideSecret remembers a secret of the tab's session.
func (t *Tab) HideSecret(text string) { t.WithLock(func() { t.Session.Secrets.Add("", text) }) }
