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
		Definition: toolspec.Definition{
			Name: "write_file", Origin: toolspec.OriginBaseline, Group: "files",
			Hints: toolspec.Hints{Destructive: true},
		},
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
	// Write a.txt?
	// Ask mode confirms every file change.
	// once: Only this, now.
	// file: Every change of a.txt, in this conversation. Deleting still asks.
	// conversation: Every change of files below the workspace folder /work, in this conversation. Deleting still asks.
	// always: Every change of /work/a.txt, in every conversation. Deleting still asks.
	// deny: It does not run. The assistant continues without it.
}
