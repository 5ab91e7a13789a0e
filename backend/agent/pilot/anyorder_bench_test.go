package pilot_test

import (
	"context"
	"fmt"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// BenchmarkProseOnLargePage reads a message that is no command while a page with many elements is shown.
func BenchmarkProseOnLargePage(b *testing.B) {
	const text = "could somebody kindly tell the old lady beside the second window that her brown lamp from the " +
		"shop has come"
	for _, count := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			marks := &event.Marks{}
			for i := range count {
				marks.Elements = append(marks.Elements, annotation.Element{
					ID: i + 1, Role: "link", Name: fmt.Sprintf("Read more about the lamp number %d", i), Usable: true,
				})
			}
			window := shopWindow("")
			window.Marks = func() *event.Marks { return marks }
			p := pilot.New(pilot.Config{Window: func(string) grammar.WindowState { return window }})
			request := llm.Request{Messages: []chat.Message{{Role: chat.RoleUser, Text: text}}, Tools: callableTools()}
			for b.Loop() {
				if _, err := p.Stream(context.Background(), request, func(llm.Delta) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
