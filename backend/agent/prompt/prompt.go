// Package prompt decides which part of a conversation and of the tools is sent to a model, so that it costs little and
// providers can cache the beginning of a request.
//
// For the cache, a request repeats the bytes of the one before and appends what is new, except when a summary or stale
// results shorten it. A panel's tools come last, so that those before them keep their place. If the definitions would
// take more than a twentieth of the context window, a request lists the core tools, find_tools and call_tool, and an
// appended note describes the active panel's tools.
//
// The package asks no model, runs no tool and stores nothing; the loop does.
package prompt

import (
	"strings"

	"sextant/shared/toolspec"
)

const toolShare = 20

// DefaultContextWindow returns the context window of a model in tokens, judged by its name (provider/name), and 128,000
// if the name is unknown. Models of Ollama, LM Studio and llama.cpp count as 32,000, because these servers usually load
// them with less than the maximum.
func DefaultContextWindow(model string) int {
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

func estimateTokens(n int) int { return n / toolspec.BytesPerToken }
