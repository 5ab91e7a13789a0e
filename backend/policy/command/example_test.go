package command_test

import (
	"fmt"

	"sextant/backend/policy/command"
)

func ExampleAnalyze() {
	r := command.Analyze("cd build && rm a.o b.o", command.Location{Folder: "/home/ana/flat", Home: "/home/ana"})
	fmt.Println(r.Sentence)
	fmt.Println(r.Harmless, r.Files[0].Use, r.Files[0].Path)
	// Output:
	// Delete 2 files in build/
	// false delete /home/ana/flat/build/a.o
}
