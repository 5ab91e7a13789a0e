package jsonpos_test

import (
	"fmt"

	"sextant/backend/toolprovider/jsonpos"
)

func ExampleIndex_PositionOf() {
	index, err := jsonpos.Parse([]byte("{\n  \"tools\": [\n    {\"name\": \"timer_start\"}\n  ]\n}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	line, column := index.PositionOf("/tools/0/name")
	fmt.Printf("%d:%d %s\n", line, column, index.Raw("/tools/0/name"))
	// Output: 3:14 "timer_start"
}
