package command

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

var at = Location{Folder: "/home/ana/flat", Home: "/home/ana"}

// verdictOf names the outcome of a reading: "harmless", or those of writes, deletes, network and warns that apply, in
// that order.
func verdictOf(r Analysis) string {
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

// tableLine is one line of the table: a verdict, spaces, and a command in which ⏎ is the end of a line.
type tableLine struct {
	line             int
	verdict, command string
}

func readTable(t testing.TB) []tableLine {
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

func TestReadVerdicts(t *testing.T) {
	all := readTable(t)
	seen := map[string]int{}
	for _, c := range all {
		t.Run(fmt.Sprintf("line %d", c.line), func(t *testing.T) {
			if before, twice := seen[c.command]; twice {
				t.Errorf("the same command as in line %d", before)
			}
			seen[c.command] = c.line
			r := Analyze(c.command, at)
			if got := verdictOf(r); got != c.verdict {
				t.Errorf(
					"%s\n\tis %s, want %s\n\twarnings %q\n\tfiles %v hosts %v",
					c.command,
					got,
					c.verdict,
					r.Warnings,
					r.Files,
					r.Hosts,
				)
			}
			if r.Sentence == "" || !r.Harmless && len(r.Commands) == 0 && len(r.Files) == 0 && len(r.Warnings) == 0 {
				t.Errorf("it has no sentence or no facts: %+v", r)
			}
		})
	}
	t.Logf("%d commands", len(all))
	if len(all) < 400 {
		t.Fatalf("%d commands, want at least 400", len(all))
	}
}

func TestReadSentence(t *testing.T) {
	for command, want := range map[string]string{
		"rm build/a.o build/b.o build/c.o": "Delete 3 files in build/",
		"rm notes.txt":                     "Delete notes.txt",
		"ls -l src":                        "Look at src with ls",
		"git status":                       "Look with git status",
		"go test ./...":                    "Run go test",
		"for i in 1 2; do echo $i; done":   "Print text",
		"test -e a && git log":             "Look with git log",
		"echo x > a.txt":                   "Write a.txt",
		"mv a.txt old/a.txt":               "Delete a.txt and write old/a.txt",
		"mv -n a.txt old/a.txt":            "Move a.txt to old/a.txt",
		"mv -n a.txt b.txt; > b.txt":       "Delete a.txt and write b.txt",
		"mv -n a.txt b.txt > b.txt":        "Delete a.txt and write b.txt",
		"rm b.txt; mv a.txt c.txt":         "Delete 2 files in this folder and write c.txt",
		"mv a.txt c.txt > b.txt":           "Delete a.txt and write 2 files in this folder",
		"curl -s https://example.com":      "Contact example.com",
		"cat a | sh":                       "Run sh",
		"rm -rf /":                         "Delete / and run rm",
		"echo 'a":                          "Run a command that cannot be read",
	} {
		t.Run(command, func(t *testing.T) {
			if got := Analyze(command, at).Sentence; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// grantNames returns the names that a grant for a command would have, joined; "" when there can be no grant.
func grantNames(command string) string {
	var d toolspec.Description
	Analyze(command, at).Describe(&d)
	var all []string
	for _, c := range d.Commands {
		if c.Name == "" && !c.Harmless {
			return ""
		}
		all = append(all, c.Name)
	}
	return strings.Trim(strings.Join(all, ","), ",")
}

func TestReadGrantNames(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...": "go test", "go test -run X ./a && go vet ./...": "go test,go vet",
		"git commit -m x": "git commit", "npm run build": "npm run build",
		"make -j4 test": "make test", "pytest -q": "pytest", "mkdir -p a": "mkdir", "ls && go build .": "go build",
		"frobnicate a": "frobnicate", "git fetch origin": "git fetch",
		"go test ./... > out.txt": "go test", "cd sub && go test ./...": "go test",
		"sed -i s/a/b/ f": "sed -i", "cp a b": "cp",
		// The name does not cover what is not known, or what a script runs.
		"sed -i 'e rm -rf src' f": "", "sed -i s/a/b/e f": "", "sed -i \"$x\" f": "", "sed -i s/a/b/ \"$x\"": "",
		"touch \"$x\"": "", "cp a \"$x\"": "", "ln -s / all": "",
		// These could do anything.
		"go test -exec x ./...": "", "sh -c 'go test'": "", "timeout 5 go test": "", "python3 x.py": "",
		"sudo go test": "", "rm a": "", "make -f x": "", "PATH=x go test": "", "go test $x": "",
		"go test > $x": "", "go test $(cat f)": "", "$x go test": "", "git push --force": "", "git commit --amend": "",
		"find . -exec go test {} +": "", "curl https://example.com": "", "git -c core.pager=x commit": "",
		"sort --compress-program=x a": "", "go test; rm a": "", "echo $(go test $x)": "",
	} {
		t.Run(command, func(t *testing.T) {
			if got := grantNames(command); got != want {
				t.Errorf("named %q, want %q", got, want)
			}
		})
	}
}

func TestReadTracksPossibleFolders(t *testing.T) {
	r := Analyze("cd build; rm a", at)
	if len(r.Files) != 2 || r.Files[1].Path != "/home/ana/flat/build/a" {
		t.Errorf("after ; got %v, want both folders", r.Files)
	}
	if r := Analyze("cd build && rm a", at); len(r.Files) != 1 || r.Files[0].Path != "/home/ana/flat/build/a" {
		t.Errorf("after && got %v, want only the new folder", r.Files)
	}
	if r := Analyze("(cd build && ls); rm a", at); r.Files[len(r.Files)-1].Path != "/home/ana/flat/a" {
		t.Errorf("after a subshell got %v, want the folder of before", r.Files)
	}
}

func TestReadWarnsAboutLimits(t *testing.T) {
	var many strings.Builder
	many.WriteString("cat")
	for i := range 600 {
		many.WriteString(" f" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26))
	}
	for name, command := range map[string]string{
		"files": many.String(), "commands": strings.Repeat("ls;", 3000), "text": "ls " + strings.Repeat("a", 70_000),
		"brackets":       strings.Repeat("(", 300) + "ls" + strings.Repeat(")", 300),
		"texts in texts": strings.Repeat("sh -c ", 40) + "ls", "wrappers": strings.Repeat("env ", 40) + "ls",
		"a zero byte": "ls\x00",
	} {
		t.Run(name, func(t *testing.T) {
			if r := Analyze(command, at); len(r.Warnings) == 0 {
				t.Error("no warning")
			}
		})
	}
}

func TestReadHosts(t *testing.T) {
	for command, want := range map[string]string{
		"curl https://A.example.com:8443/x":  "a.example.com:8443",
		"curl https://me:pw@example.com/":    "example.com",
		"curl a.example.com/x b.example.com": "a.example.com b.example.com",
		"git clone git@example.com:me/a.git": "example.com",
		"ssh me@example.com ls":              "example.com",
		"scp a me@example.com:/tmp":          "example.com",
		"wget http://127.0.0.1:8080/x":       "127.0.0.1:8080",
		"echo x > /dev/tcp/10.0.0.1/80":      "10.0.0.1:80",
		// Programs disagree on the host of these.
		`curl 'http://used.example\@127.0.0.1:8000/x'`: "",
		`curl 'http://used.example\\@127.0.0.1/'`:      "",
		"curl http://a@used.example@127.0.0.1/":        "",
		"curl http:/127.0.0.1:8000/x":                  "",
		"curl -x http://proxy.example:1 a.org":         "proxy.example:1 a.org",
	} {
		t.Run(command, func(t *testing.T) {
			if got := strings.Join(Analyze(command, at).Hosts, " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
