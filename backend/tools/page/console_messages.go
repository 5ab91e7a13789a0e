package page

import (
	"context"

	"sextant/backend/browser"
	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

type consoleParams struct {
	Level string `json:"level" enum:"debug,info,warning,error" default:"\"info\"" doc:"lowest level"`
	Since int    `json:"since" min:"0" doc:"only after this id"`
	Limit int    `json:"limit" min:"1" max:"300" default:"50"`
	Clear bool   `json:"clear" doc:"forget them afterwards"`
}

func (t *Tools) consoleMessages() tool {
	return build(tool{
		name: "console_messages", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"level":"error"}`, `{"since":12}`},
	}, func(session, consoleParams) toolspec.Description {
		return toolspec.Description{Sentence: "Reading the console"}
	}, func(_ context.Context, s session, p consoleParams) (toolspec.Result, error) {
		list, more, err := s.ConsoleMessages(browser.ConsoleOptions{
			Level: p.Level, Since: p.Since, Limit: p.Limit,
			Clear: p.Clear,
		})
		if err != nil {
			return toolspec.Result{}, err
		}
		return lists.Console(list, more, observation.Sources(s.Address())), nil
	})
}
