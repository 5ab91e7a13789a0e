package authoring

import (
	"slices"
	"strings"

	"sextant/backend/panels/manifest"
)

func rightsText(m manifest.Manifest) string {
	var lines []string
	add := func(what string, list []string) {
		if len(list) > 0 {
			lines = append(lines, what+strings.Join(list, ", "))
		}
	}
	if b := m.Backend; b != nil {
		words := slices.DeleteFunc(append([]string{b.Kind, b.Command, b.URL, b.File}, b.Args...),
			func(word string) bool { return word == "" })
		add("Answers by: ", []string{strings.Join(words, " ")})
	}
	if m.Permissions.Net.Any {
		lines = append(lines, "Network: any host")
	}
	add("Network: ", m.Permissions.Net.List)
	add("Files: ", m.Permissions.FS)
	add("Calls the tools: ", m.Permissions.CallTools)
	if m.Permissions.Exec {
		lines = append(lines, "Starts programs")
	}
	if len(lines) == 0 {
		return "Asks for no permissions."
	}
	return strings.Join(lines, "\n")
}
