package environment

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/guard/veil"
	"sextant/backend/tools/environment/observation"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

type consoleParams struct {
	Level string `json:"level" enum:"debug,info,warning,error" default:"\"info\"" doc:"lowest level"`
	Since int    `json:"since" min:"0" doc:"only after this id"`
	Limit int    `json:"limit" min:"1" max:"300" default:"50"`
	Clear bool   `json:"clear" doc:"forget them afterwards"`
}

// consoleList is the value of console_messages.
type consoleList struct {
	Messages []browser.Message `json:"messages"`
	// More counts older ones that the limit left out.
	More int `json:"more,omitempty"`
}

// maxLine bounds one message in the text, in characters.
const maxLine = 500

func (t *Tools) consoleMessages() tool {
	return build(tool{
		name: "console_messages", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"level":"error"}`, `{"since":12}`},
	}, func(session, consoleParams) toolspec.Description {
		return toolspec.Description{Present: "Reading the console"}
	}, func(_ context.Context, s session, p consoleParams) (toolspec.Result, error) {
		list, more, err := s.Console(browser.ConsoleOptions{Level: p.Level, Since: p.Since, Limit: p.Limit, Clear: p.Clear})
		if err != nil {
			return toolspec.Result{}, err
		}
		r := toolspec.OK(consoleList{Messages: list, More: more})
		r.Sentence = "Read " + english.Plural(len(list), "console message", "")
		r.Sources = observation.Sources(s.Address())
		var b strings.Builder
		if more > 0 {
			fmt.Fprintf(&b, "… %d older messages left out; send a larger limit\n", more)
		}
		for _, m := range list {
			fmt.Fprintf(&b, "%d: %s", m.ID, m.Level)
			if m.Source != "console" {
				b.WriteString(" (" + annotator.Clean(m.Source, 30) + ")")
			}
			b.WriteString(" " + annotator.Quote(annotator.Clean(m.Text, maxLine)))
			if m.Where != "" {
				b.WriteString(" at " + annotator.Clean(m.Where, 200))
			}
			if m.Times > 1 {
				fmt.Fprintf(&b, " (%d times)", m.Times)
			}
			b.WriteByte('\n')
		}
		if n := strings.Count(b.String(), veil.Mark); n > 0 {
			fmt.Fprintf(&b, "note: %s masked as %s\n", english.Plural(n, "value", ""), veil.Mark)
		}
		if len(list) == 0 {
			b.WriteString("There are no such messages.")
		}
		r.Text = strings.TrimSuffix(b.String(), "\n")
		return r, nil
	})
}
