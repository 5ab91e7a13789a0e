package confine

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// workload is a script of ordinary work and its output.
type workload struct {
	name, needs, script, want string
	// needsNamespaces marks what Landlock alone does not allow.
	needsNamespaces bool
}

var workloads = []workload{
	{name: "a file is written and read", script: "echo hello > f && cat f", want: "hello"},
	{name: "a pipeline", script: "seq 1 1000 | grep 7 | sort -rn | head -1", want: "997"},
	{
		name:   "a here document and a substitution",
		script: "cat <<< \"$(cat <<X\nabc\nX\n)\"; diff <(echo a) <(echo a) && echo same", want: "abc\nsame",
	},
	{name: "a temporary file", script: "f=$(mktemp) && echo t > $f && cat $f && rm $f", want: "t"},
	{name: "jobs in the background", script: "sleep 0.05 & sleep 0.05 & wait; echo done", want: "done"},
	{name: "own processes can be signalled", script: "sleep 100 & kill $!; wait $!; echo $?", want: "143"},
	{
		name: "files outside can be read", script: "head -c 1 /etc/passwd >/dev/null && cat $HOME/notes.txt",
		want: "# as it was",
	},
	{name: "an exit code", script: "exit 3", want: ""},
	{name: "the null device", script: "echo x > /dev/null && head -c 4 /dev/urandom | wc -c", want: "4"},
	{
		name:   "moving and copying",
		script: "mkdir -p a/b && echo x > a/b/c && mv a/b d && cp -r d e && cat e/c && rm -r a d e", want: "x",
	},
	{
		name: "modes", needsNamespaces: true,
		script: "echo '#!/bin/sh\necho run' | sed 's/\\\\n/\\n/' > s && chmod +x s && ./s && touch -d 2001-01-01 s " +
			"&& stat -c %Y s | head -c 3", want: "run\n978",
	},
	{
		name: "git", needs: "git", needsNamespaces: true,
		script: "mkdir g && cd g && git init -q . && git config user.email a@b && git config user.name n && echo x " +
			"> f && git add f && git commit -qm one && git checkout -qb two && git log --oneline | wc -l", want: "1",
	},
	{
		name: "git in the workspace", needs: "git", needsNamespaces: true,
		script: "git status >/dev/null 2>&1; echo $?",
		want:   "0",
	},
	{
		name: "python", needs: "python3",
		script: "python3 -c 'import subprocess,tempfile,json; print(json.dumps([1])); " +
			"print(subprocess.check_output([\"echo\",\"sub\"]).decode(), end=\"\")'", want: "[1]\nsub",
	},
	{
		name: "python with many processes", needs: "python3", needsNamespaces: true,
		script: "python3 -c 'from multiprocessing import Pool\nif __name__==\"__main__\":\n " +
			"print(sum(Pool(2).map(abs,[-1,-2])))'", want: "3",
	},
	{
		name: "a C program", needs: "gcc", needsNamespaces: true,
		script: "printf '#include <stdio.h>\\nint main(){puts(\"built\");}' > x.c && gcc -o x x.c && ./x",
		want:   "built",
	},
	{
		name: "make", needs: "make",
		script: "printf 'a: b\\n\\tcp b a\\nb:\\n\\techo made > b\\n' > Makefile && make -s a && cat a", want: "made",
	},
	{name: "perl", needs: "perl", script: "perl -e 'print 6*7'", want: "42"},
	{
		name: "node", needs: "node",
		script: "node -e 'const c=require(\"child_process\");console.log(c.execSync(\"echo n\").toString().trim())'",
		want:   "n",
	},
	{
		name: "a server and a client of its own", needs: "python3", needsNamespaces: true,
		script: "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & for i in $(seq 100); do python3 -c " +
			"'import urllib.request as u; print(u.urlopen(\"http://127.0.0.1:8123/\").status)' 2>/dev/null && " +
			"break; sleep 0.05; done", want: "200",
	},
	{
		name: "a terminal of its own", needs: "script", needsNamespaces: true,
		script: "script -qec 'tty >/dev/null && echo terminal' /dev/null", want: "terminal",
	},
}

func TestWorkloadsRunInSandbox(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	w.noSecretInWorkspace = true
	w.must(os.RemoveAll(w.ws + "/.git"))
	git := exec.Command("git", "init", "-q", w.ws)
	_ = git.Run() // without git its workloads are skipped
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.sandbox(without...)
		ok, how, reason := c.Available()
		if !ok {
			t.Logf("no sandbox without %v: %s", without, reason)
			continue
		}
		done := 0
		for _, j := range workloads {
			if _, err := exec.LookPath(cmp.Or(j.needs, "sh")); err != nil || j.needsNamespaces && len(without) > 0 {
				continue
			}
			t.Run(how+"/"+j.name, func(t *testing.T) {
				output := strings.TrimSpace(w.runScript(c, j.script, false, false))
				if output != j.want {
					t.Errorf("got %q, want %q", output, j.want)
				}
				w.cleanWorkspace()
			})
			done++
		}
		t.Logf("%d workloads done (%s), %s", done, userKind(), how)
	}
	if os.Getenv(testBaseEnv) == "" {
		runAsUser(t, t.Name())
	}
}
