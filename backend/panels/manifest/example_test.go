package manifest_test

import (
	"fmt"

	"sextant/backend/panels/manifest"
)

func ExampleParse() {
	text := `{
  "panel_id": "timer", "panel_type": "declarative", "titel": "Timer",
  "tools": [{"name": "timer_start", "description": "Start the timer.", "endpoint": "POST /start"}]
}`
	for _, problem := range manifest.Parse([]byte(text), "timer", false).Problems {
		fmt.Println(problem)
	}
	// Output:
	// manifest.json 1:1: title is missing
	// manifest.json 2:53: "titel" is not known and has no effect; did you mean "title"
	// manifest.json 3:3: nothing answers the tools, so they are off; add a backend
	// manifest.json 3:84: found /start, expected /api/timer/…, because a panel reaches only its own routes
}
