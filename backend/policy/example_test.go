package policy_test

import (
	"fmt"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

func ExampleDecide() {
	decision := policy.Decide(policy.Input{
		Call: toolspec.Call{
			ID: "c_1", Tool: "write_file", Args: []byte(`{"path": "/work/a.txt"}`),
			From: toolspec.Provenance{Conversation: "v_1", Interactive: true},
		},
		Definition: toolspec.Definition{Name: "write_file", Group: "files", Hints: toolspec.Hints{Destructive: true}},
		Description: toolspec.Description{
			Sentence: "Writing a.txt",
			Files:    []toolspec.FileUse{{Path: "/work/a.txt", Use: toolspec.UseWrite}},
		},
		Settings: policy.Settings{Mode: policy.ModeAsk, Folder: "/work"},
	})
	fmt.Println(decision.Verdict)
	fmt.Println(decision.Approval.Question)
	fmt.Println(decision.Approval.Reason)
	for _, choice := range decision.Approval.Choices {
		fmt.Printf("%s: %s\n", choice.Answer, choice.Scope)
	}
	// Output:
	// ask
	// Run write_file with path="/work/a.txt"?
	// write_file can delete or overwrite.
	// once: This call only.
	// conversation: write_file, exactly with path="/work/a.txt", in /work, until this conversation is closed.
	// always: write_file, exactly with path="/work/a.txt", in /work, in every conversation.
	// deny: It does not run. The assistant continues without it and reads your reason.
}
