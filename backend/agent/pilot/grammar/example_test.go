package grammar_test

import (
	"fmt"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
)

func ExampleParser_Plan() {
	rules, err := grammar.Compile(commandtable.Table())
	if err != nil {
		fmt.Println(err)
		return
	}
	parser := &grammar.Parser{Rules: rules, Tools: []string{"click_element", "type_text"}}
	steps, problem := parser.Plan(`type "desk lamp" into 6 then click 12`)
	if problem != nil {
		fmt.Println(problem.Text)
	}
	for _, step := range steps {
		fmt.Println(step.Tool, string(step.Args))
	}
	// Output:
	// type_text {"annotationId":6,"text":"desk lamp"}
	// click_element {"annotationId":12}
}
