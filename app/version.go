package app

// Version is the program's version; the build sets it with -ldflags.
var Version = "0.1.0-dev"
