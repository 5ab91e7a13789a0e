package page

import (
	"sextant/backend/guard/veil"
)

// redactor masks what the session's password fields got and what else looks secret. Called under mu.
func (s *Session) redactor() *veil.Veil {
	return veil.New(s.Secrets.Texts())
}

// hides remembers a secret of the tab's session.
func (t *Tab) HideSecret(text string) { t.Locked(func() { t.Session.Secrets.Add("", text) }) }
