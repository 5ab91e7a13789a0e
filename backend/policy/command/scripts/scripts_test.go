package scripts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/policy/command/scripts"
)

func TestReadSed(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]scripts.Action{
		"s/a/b/g":     nil,
		"1,$d; /x/!p": nil,
		"r in.txt\nw out.txt": {
			{Kind: scripts.ActionReadFile, Text: "in.txt"}, {Kind: scripts.ActionWriteFile, Text: "out.txt"},
		},
		"s/a/b/w out.txt":        {{Kind: scripts.ActionWriteFile, Text: "out.txt"}},
		"s/a/b/e":                {{Kind: scripts.ActionRunResult}},
		"e rm -rf src":           {{Kind: scripts.ActionRunCommand, Text: "rm -rf src"}},
		"1e":                     {{Kind: scripts.ActionRunCommand}},
		"y/abc/xyz/; a\\\nw x\n": nil,
	} {
		t.Run(script, func(t *testing.T) {
			got, understood := scripts.ReadSed(script)
			if !understood {
				t.Error("not understood")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadSedReportsWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"s/a/b", "Z", "s/[/]/b/", "/a", "s/a/b/k"} {
		t.Run(script, func(t *testing.T) {
			if actions, understood := scripts.ReadSed(script); understood {
				t.Errorf("it is understood as %v", actions)
			}
		})
	}
}

func TestAwkHasEffects(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		`{print $1}`: false, `$3 > 5 {print $1}`: false, `NR==1||NR==3`: false, `{print "a > b"}`: false,
		`{print > "f"}`: true, `{print | "sh"}`: true, `{system("rm x")}`: true, `{getline x < "f"}`: true,
	} {
		t.Run(program, func(t *testing.T) {
			if got := scripts.AwkHasEffects(program); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func ExampleReadSed() {
	actions, understood := scripts.ReadSed("s/a/b/; w out.txt")
	fmt.Println(actions[0].Kind == scripts.ActionWriteFile, actions[0].Text, understood)
	// Output: true out.txt true
}
