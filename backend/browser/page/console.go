package page

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/page/console"
	"sextant/backend/surface"
)

// ConsoleMessages returns console messages of the active tab, oldest first, and the number of messages left out by the
// limit. Likely secrets are masked. It does not start Chromium.
func (s *Session) ConsoleMessages(o console.Options) (list []console.Message, more int, err error) {
	level := o.Level
	if level == "" {
		level = console.LevelInfo
	}
	if !slices.Contains(console.Levels(), level) {
		return nil, 0, &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown level %q", o.Level),
			Suggestion: "Send " + strings.Join(console.Levels(), ", ") + ".",
		}
	}
	limit := o.Limit
	if limit <= 0 {
		limit = 50
	}
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return []console.Message{}, 0, nil
	}
	list = s.Active.Console.Messages(level, o.Since)
	hide := s.redactor()
	for i := range list {
		list[i].Text = hide.Body("", list[i].Text, "the console", false)
		list[i].Location = hide.Address(list[i].Location)
	}
	if o.Clear {
		s.Active.Console.Reset()
	}
	if len(list) > limit {
		more = len(list) - limit
		list = list[more:]
	}
	return list, more, nil
}
