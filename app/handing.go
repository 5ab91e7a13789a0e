package app

import (
	"context"

	"sextant/backend/agent/loop"
	"sextant/backend/tools/subagent"
	"sextant/shared/toolspec"
)

// handOn runs a task in a turn of its own: tools know no loop, so this is where they meet.
func (s *System) handOn(ctx context.Context, task subagent.Task, call toolspec.Call) (subagent.Report,
	*toolspec.Result,
) {
	done, bad := s.Loop.RunSubagent(ctx, loop.SubagentTask{
		Task: task.Task, Expect: task.Expect, Tools: task.Tools, ReadOnly: task.ReadOnly, Calls: task.MaxCalls,
		Rounds: task.MaxRounds,
		Model:  task.Model, Standard: s.Settings.Get("model"), Call: call,
	})
	return subagent.Report{
		Title: done.Title, Conversation: done.Conversation, Answer: done.Text, Status: done.Status, Error: done.Error,
		Suggestion: done.Suggestion,
		Calls:      done.Calls, Rounds: done.Rounds, Usage: done.Usage, Outside: done.Outside, Local: done.Local,
		Changed: done.Changed,
	}, bad
}
