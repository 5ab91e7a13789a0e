// Package prompt decides what of a conversation and of the tools a model is sent, so that it costs
// little and a provider can keep its beginning cached.
//
// The contract of the beginning (ARCHITECTURE 16): what was sent once is sent again with the same
// bytes, in the same place; what is new is appended. The system prompt changes with its settings
// and notes alone. The tools change between rounds only, and only when the set really changed; a
// panel's tools stand last, so that what comes before them keeps its place. Where the definitions
// would take more than Share of the model's window they do not change at all: the model is told
// the core, find_tools and call_tool, and the tools of the panel in front in an appended note.
//
// The package asks no model, runs no tool and keeps nothing on disk: the loop does.
package prompt

import (
	"strings"

	"sextant/shared/toolspec"
)

// Share is the part of a model's window that definitions of tools may take: one in Share.
const Share = 20

// Window is how many tokens a model reads at once, by what is known of its name (provider/name),
// 128,000 where nothing is. Servers on this machine are mostly started with less than their models
// could read, so they count 32,000.
func Window(model string) int {
	provider, name, _ := strings.Cut(strings.ToLower(model), "/")
	switch provider {
	case "ollama", "lmstudio", "llamacpp":
		return 32_000
	}
	for _, known := range []struct {
		part   string
		tokens int
	}{{"gpt-4.1", 1_000_000}, {"gpt-5", 400_000}, {"claude", 200_000}, {"gemini", 1_000_000}} {
		if strings.Contains(name, known.part) {
			return known.tokens
		}
	}
	return 128_000
}

// tokens is about what text of n bytes costs.
func tokens(n int) int { return n / toolspec.BytesPerToken }
