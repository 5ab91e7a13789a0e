package loop

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"

	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
)

// prompt returns the conversation as the model reads it: each call is followed by its result, outside text is in marked
// blocks, and stale results are shortened. The pilot gets results unchanged, and no notes or summaries.
func (t *turn) prompt() []chat.Message {
	if t.isPilot {
		return slices.DeleteFunc(
			prompt.RepairResults(t.messages),
			func(m chat.Message) bool { return m.Role == chat.RoleNote || m.Role == chat.RoleSummary },
		)
	}
	messages := prompt.RepairResults(prompt.ActiveMessages(t.messages))
	var stale map[string]prompt.ShortenedResult
	if t.canReread {
		stale = prompt.StaleResults(t.messages, t.loop.cfg.SnapshotTools)
	}
	explained := t.request.System == ""
	for i, m := range messages {
		short, left := stale[m.ID]
		if left {
			m.Text = short.Head
		}
		messages[i].Text = t.promptText(m)
		if m.Role == chat.RoleNote || m.Role == chat.RoleSummary {
			messages[i].Role = chat.RoleUser // providers have no role for notes
		}
		if left {
			messages[i].Text += "\n" + short.Note
		}
		if !explained && fromOutside(m) {
			messages[i].Text = prompt.OutsideRule + messages[i].Text
			explained = true
		}
	}
	if t.loop.cfg.Pictures != nil {
		if err := t.pictures.Load(t.loop.cfg.Pictures, messages); err != nil {
			t.loop.cfg.Log.Warn(err.Error(), "turn", t.id)
		}
	}
	return messages
}

// nonce returns the marker of a turn. It cannot be guessed, and it is the same whenever the turn is read again,
// so that old parts of a prompt keep their bytes.
func (l *Loop) nonce(turn string) string {
	sum := sha256.Sum256([]byte(l.cfg.MarkerSecret + "/" + turn))
	return hex.EncodeToString(sum[:6])
}

// NewSecret returns a random Config.MarkerSecret.
func NewSecret() string { return naming.NewID("") + naming.NewID("") }
