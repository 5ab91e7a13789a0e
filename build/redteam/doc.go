// Package redteam tests prompt injection. A scripted model obeys every instruction in any page, file or tool result
// that it reads. The system around it is the real one: loop, pipeline, policy, sandbox, Chromium and an MCP server.
// Harm is measured where it would be done: at servers that record every request, on disk, in the store and in what the
// model was sent. The decisions of the policy are not looked at.
//
// The corpus is fixed. It combines carriers (how text reaches the model, each with a harmless task), forms (how the
// instruction is hidden in that text) and goals (what it wants done). The same tasks without an instruction count
// needless approvals. In a control run the person approves everything, which shows that each goal would be detected, or
// is refused whatever the person answers.
//
// `make redteam` runs all cases and prints the figures; `go test` runs some.
package redteam
