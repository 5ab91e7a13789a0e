package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sextant/app/cli"
)

func TestCompletions(t *testing.T) {
	model, err := cli.Model()
	if err != nil {
		t.Fatal(err)
	}
	all := completionsOf(model)
	dir := t.TempDir()
	for _, c := range []struct{ shell, script, ask, want string }{
		{
			"bash", bashCompletion(all),
			`source ./sextant.bash; COMP_WORDS=(sextant tools ca); COMP_CWORD=2; _sextant; echo "${COMPREPLY[@]}"`, "call",
		},
		{
			"bash", bashCompletion(all),
			`source ./sextant.bash; COMP_WORDS=(sextant run --da); COMP_CWORD=2; _sextant; echo "${COMPREPLY[@]}"`, "--data",
		},
		{
			"fish", fishCompletion(all),
			`source ./sextant.fish; complete -C "sextant tools ca" | string split -f1 \t`, "call",
		},
		{
			"fish", fishCompletion(all),
			`source ./sextant.fish; complete -C "sextant run --yes" | string split -f1 \t`, "--yes-to",
		},
		{"zsh", zshCompletion(all), `zsh -n ./sextant.zsh && echo correct`, "correct"},
	} {
		t.Run(c.shell+" "+c.want, func(t *testing.T) {
			program, err := exec.LookPath(c.shell)
			if err != nil {
				t.Skip(c.shell + " is not installed")
			}
			if err := os.WriteFile(filepath.Join(dir, "sextant."+c.shell), []byte(c.script), 0o600); err != nil {
				t.Fatal(err)
			}
			ask := exec.CommandContext(t.Context(), program, "-c", c.ask)
			ask.Dir = dir
			out, err := ask.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
		})
	}
}
