package search_test

import (
	"fmt"

	"sextant/backend/pipeline/search"
	"sextant/shared/toolspec"
)

func ExampleIndex_Find() {
	index := search.New([]toolspec.Definition{
		{Name: "mail__send_message", Description: "Send an email to a recipient."},
		{Name: "calendar__create_event", Description: "Create an event in a calendar."},
		{Name: "read_file", Description: "Read a file of the workspace."},
	})
	for _, def := range index.Find("write an e-mail", 1) {
		fmt.Println(def.Name)
	}
	// Output: mail__send_message
}
