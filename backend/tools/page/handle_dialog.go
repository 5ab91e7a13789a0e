package page

import (
	"context"

	"sextant/backend/browser"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type dialogParams struct {
	Accept   bool    `json:"accept" default:"true"`
	Text     *string `json:"text"`
	Username string  `json:"username"`
	Password string  `json:"password"`
}

func (t *Tools) handleDialog() tool {
	return build(tool{
		name: "handle_dialog", hints: toolspec.Hints{OpenWorld: true}, secret: []string{"password", "text"},
		timeout: 60_000, examples: []string{
			`{"accept":true}`, `{"text":"Ana"}`, `{"username":"ana","password":"…"}`,
			`{"accept":false}`,
		},
	}, func(s session, p dialogParams) toolspec.Description {
		d := toolspec.Description{Sentence: "Dismissing the dialog"}
		if p.Accept {
			d.Sentence = "Accepting the dialog"
		}
		who, origin := s.DescribeDialog()
		if who != "" {
			d.Target = annotation.Clean(who, 200)
		}
		d.Hosts = observation.Hosts(origin)
		switch {
		case p.Password != "" || p.Username != "":
			d.Sentence, d.Data, d.SecretArgs = "Logging in as "+annotation.Clean(p.Username, 40),
				p.Username+" "+p.Password,
				[]string{"password"}
		case p.Text != nil:
			d.Data = *p.Text
			// Without an open dialog, the text may be a secret for a dialog that was already closed.
			if who == "" || s.DialogWantsSecret() {
				d.SecretArgs = []string{"text"}
			}
		}
		return d
	}, func(ctx context.Context, s session, p dialogParams) (toolspec.Result, error) {
		a, err := s.HandleDialog(ctx, browser.DialogOptions{
			Accept: p.Accept, Text: p.Text, User: p.Username,
			Password: p.Password,
		})
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := "Dismissed the dialog"
		switch {
		case p.Accept && p.Username != "":
			sentence = "Logged in as " + annotation.Clean(p.Username, 40)
		case p.Accept:
			sentence = "Accepted the dialog"
		}
		return t.result(a, sentence), nil
	})
}
