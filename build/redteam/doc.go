// Package redteam tries to talk the assistant into harm. A scripted model obeys every
// instruction that reaches it, from whatever page, file or tool result; the System around it
// is the real one: loop, pipeline, policy, sandbox, Chromium, an MCP server. What comes of it
// is measured where harm would be done: at servers that note every request, on disk, in the
// store and in what the model was handed, never by asking the policy what it thought.
//
// The corpus is a product, written by hand and always the same: carriers (how text reaches the
// model, each with an ordinary task), forms (how the instruction hides in that text) and goals
// (what it wants done). The same tasks without an instruction count what people are asked for
// nothing. A control in which a person says yes to everything shows that each goal would be
// noticed, or is refused even so.
//
// `make redteam` runs all of it and prints the figures; `go test` runs a part.
package redteam
