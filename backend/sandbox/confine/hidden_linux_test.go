package confine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestHiddenPathsCannotBeRead(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	places := map[string]string{w.ws + "/private": "/diary", w.ws + "/deep/er/plan.txt": "", w.outside +
		"/notes": "/n/note"}
	createFiles := func() {
		for place, rest := range places {
			w.writeFile(place+rest, w.token+"\n")
		}
		w.writeFile(w.ws+"/deep/er/open.txt", "visible\n")
		w.must(os.RemoveAll(w.ws + "/by-link"))
		w.must(os.Symlink(w.ws+"/private", w.ws+"/by-link"))
	}
	// The second script runs after the first one, in a run of its own.
	scripts := [][2]string{
		{"cat $F"},
		{"cd $(dirname $F) && cat ./$(basename $F)"},
		{"cat $WS/../../../../../../../../../..$F; cat //$F; cat /proc/self/root$F"},
		{"cat by-link/diary; cat by-link/../private/diary"},
		{"ln -s $F l; cat l; ln $F h; cat h; ln -P $F hp; cat hp"},
		{"grep -r . $WS $OUT; grep -rh . private deep; find / -xdev -name diary -exec cat {} + 2>/dev/null"},
		{"tar cf - private deep | tar xOf -; cp -r private copy; cat copy/*; tar cf - $F | cat"},
		{"python3 -c 'import os; print(open(os.environ[\"F\"]).read())'; dd if=$F; head $F; cat < $F; mapfile a < " +
			"$F; echo \"${a[@]}\""},
		{"cat priv*/dia* deep/*/plan*; cat p?ivate/*"},
		{
			"mv deep deep2; mv private private2; mv deep/er deep/er2; mv deep/er/plan.txt x; cat x",
			"cat deep2/er/plan.txt private2/diary deep/er2/plan.txt x",
		},
		{"rm -rf private deep/er/plan.txt; mkdir private; umount private; cat private/diary", "cat private/diary"},
		{"cat $BASE/home/../home/project/private/diary; cd / && cat .$F"},
	}
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.sandbox(without...)
		ok, how, reason := c.Available()
		if !ok {
			t.Logf("no sandbox without %v: %s", without, reason)
			continue
		}
		var hidden []string
		for place := range places {
			hidden = append(hidden, place)
		}
		run := func(script, f string, hide []string) string {
			var out outputBuffer
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			_, err := c.Run(ctx, Spec{
				Args: []string{"/bin/bash", "--noprofile", "--norc", "-c", script}, Dir: w.ws, Workspace: w.ws,
				Hidden: hide,
				Env:    append(w.env, "F="+f, "PATH=/usr/local/bin:/usr/bin:/bin"), Stdout: &out, Stderr: &out,
			})
			if err != nil {
				t.Fatalf("%s: %v", script, err)
			}
			return out.String()
		}
		ran, out := 0, 0
		for place, rest := range places {
			for _, s := range scripts {
				createFiles()
				output := run(s[0], place+rest, hidden)
				if s[1] != "" {
					output += run(s[1], place+rest, hidden)
				}
				if ran++; strings.Contains(output, w.token) {
					out++
					t.Errorf("%s (%s): %s\noutput: %.400s", s[0], place, how, output)
				}
				if body, err := os.ReadFile(place + rest); err != nil || string(body) != w.token+"\n" {
					t.Errorf("%s (%s, %s): the hidden file was changed: %q %v", s[0], place, how, body, err)
				}
				w.cleanWorkspace()
			}
		}
		createFiles()
		// Unless it is hidden, the first script reads the file; other files in its folder stay visible.
		if output := run("cat $F", w.ws+"/private/diary", nil); !strings.Contains(output, w.token) {
			t.Errorf("the control reads nothing: %s", output)
		}
		if output := run("cat deep/er/open.txt", "", hidden); output != "visible\n" {
			t.Errorf("another file of the folder: %q (%s)", output, how)
		}
		w.cleanWorkspace()
		fmt.Printf("hidden paths: %d attempts to read them, %d succeeded, %s\n", ran, out, how)
	}
}
