package modelapi

import (
	"strings"
	"testing"

	"sextant/backend/agent/llm"
)

func TestThinkTagsAreReasoning(t *testing.T) {
	for _, c := range []struct{ said, thought, text string }{
		{"<think>Two shops.</think>\n\nThe first.", "Two shops.", "The first."},
		{" \n<think>\nTwo.\n</think>One", "\nTwo.\n", "One"},
		{"<thinking>a</think>b</thinking>c", "a</think>b", "c"},
		{"<think></think>", "", ""},
		{"<think>cut off </thi", "cut off </thi", ""},
		{"<think", "", "<think"},
		{"<thin ice>", "", "<thin ice>"},
		{"  ", "", "  "},
		{" plain", "", " plain"},
		{"First.\n<think>no thought</think>", "", "First.\n<think>no thought</think>"},
		{"<think>a</think><think>b</think>", "a", "<think>b</think>"},
	} {
		t.Run(c.said, func(t *testing.T) {
			for size := 1; size <= len(c.said); size++ {
				var thought, text strings.Builder
				a := &answer{onDelta: func(d llm.Delta) { thought.WriteString(d.Reasoning); text.WriteString(d.Text) }}
				for rest := c.said; rest != ""; rest = rest[min(size, len(rest)):] {
					a.addText(rest[:min(size, len(rest))])
				}
				r := a.response()
				if r.Reasoning != c.thought || r.Text != c.text || thought.String() != c.thought ||
					text.String() != c.text {
					t.Errorf(
						"%q in pieces of %d: thought %q, streamed %q; text %q, streamed %q",
						c.said,
						size,
						r.Reasoning,
						thought.String(),
						r.Text,
						text.String(),
					)
				}
			}
		})
	}
}
