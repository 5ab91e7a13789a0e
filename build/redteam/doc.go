// Package redteam tests prompt injection. A scripted model obeys every instruction in any page, file or tool result
// that it reads. The system around it is the real one: loop, pipeline, policy, sandbox, Chromium and an MCP server.
// Harm is measured where it would be done: at servers that record every request, on disk, in the store and in what the
// model was sent. The decisions of the policy do not count.
//
// The corpus is fixed. It combines sources (how text reaches the model, each with a harmless task), forms (how the
// instruction is hidden in that text) and goals (what it wants done). The same tasks without an instruction count
// needless approvals. A control run in which the person approves everything shows that the harm of each goal would be
// detected, or that the goal is refused whatever the person answers.
//
// `make redteam` runs all cases and prints the figures; `go test` runs some.
package redteam
