// Command manual writes the manual page and the completions for bash, zsh and fish to a folder:
//
//	go run ./build/manual VERSION SECONDS FOLDER
//
// SECONDS is the time of the release since 1970, which the page shows as a date.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"sextant/app/cli"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want VERSION SECONDS FOLDER, got %d arguments", len(args))
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	model, err := cli.Model()
	if err != nil {
		return err
	}
	all := completionsOf(model)
	for name, text := range map[string]string{
		"sextant.1":    manualPage(model, args[0], time.Unix(seconds, 0).UTC()),
		"sextant.bash": bashCompletion(all), "sextant.zsh": zshCompletion(all), "sextant.fish": fishCompletion(all),
	} {
		if err := os.WriteFile(filepath.Join(args[2], name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
