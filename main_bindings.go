//go:build bindings

package main

// main does nothing: the wails command builds the program with the tag bindings and runs it to learn which Go methods
// are bound to JavaScript, and Sextant binds none.
func main() {}
