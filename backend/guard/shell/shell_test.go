package shell

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

var at = Place{Folder: "/home/ana/flat", Home: "/home/ana"}

// verdict names what a reading comes to: "harmless", or what of writes, deletes, network and
// warns it holds, in that order.
func verdict(r Reading) string {
	if r.Harmless {
		return "harmless"
	}
	var parts []string
	for _, use := range []toolspec.Use{toolspec.UseWrite, toolspec.UseDelete} {
		if slices.ContainsFunc(r.Files, func(f toolspec.FileUse) bool { return f.Use == use }) {
			parts = append(parts, string(use)+"s")
		}
	}
	if r.Network {
		parts = append(parts, "network")
	}
	if len(r.Warnings) > 0 {
		parts = append(parts, "warns")
	}
	return strings.Join(parts, "+")
}

// tableLine is one line of the table: a verdict, blanks, and a command in which ⏎ stands for the
// end of a line.
type tableLine struct {
	line             int
	verdict, command string
}

func table(t testing.TB) []tableLine {
	t.Helper()
	f, err := os.Open("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []tableLine
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		verdict, command, found := strings.Cut(line, " ")
		if !found {
			t.Fatalf("line %d: no command", n)
		}
		all = append(all, tableLine{n, verdict, strings.ReplaceAll(strings.TrimLeft(command, " "), "⏎", "\n")})
	}
	return all
}

func TestEveryCommandOfTheTableIsReadAsItIsWritten(t *testing.T) {
	all := table(t)
	seen := map[string]int{}
	for _, c := range all {
		if before, twice := seen[c.command]; twice {
			t.Errorf("line %d: the command of line %d again", c.line, before)
		}
		seen[c.command] = c.line
		r := Read(c.command, at)
		if got := verdict(r); got != c.verdict {
			t.Errorf("line %d: %s\n\tis %s, want %s\n\twarnings %q\n\tfiles %v hosts %v", c.line, c.command, got, c.verdict, r.Warnings, r.Files, r.Hosts)
		}
		if r.Sentence == "" || !r.Harmless && len(r.Commands) == 0 && len(r.Files) == 0 && len(r.Warnings) == 0 {
			t.Errorf("line %d: nothing is said of it: %+v", c.line, r)
		}
	}
	t.Logf("%d commands", len(all))
	if len(all) < 400 {
		t.Fatalf("%d commands, and 400 were promised", len(all))
	}
}
