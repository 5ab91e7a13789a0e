package redact_test

import (
	"fmt"

	"sextant/backend/policy/redact"
)

func ExampleRedactor_Text() {
	r := redact.New([]string{"correct horse"})
	fmt.Println(r.Text("password: correct horse", "the page"))
	n, kinds := r.CountHidden()
	fmt.Println(n, kinds)
	// Output:
	// password: •••
	// 1 [what a password field got in the page]
}
