package app

// Version is the version of the program. The build sets it with -ldflags.
var Version = "0.1.0-dev"
