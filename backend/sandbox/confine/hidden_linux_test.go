package confine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestWhatARunMustNotSeeIsReadInNoWay(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	places := map[string]string{w.ws + "/private": "/diary", w.ws + "/deep/er/plan.txt": "", w.outside +
		"/notes": "/n/note"}
	plant := func() {
		for place, rest := range places {
			w.file(place+rest, w.token+"\n")
		}
		w.file(w.ws+"/deep/er/open.txt", "for everybody\n")
		w.must(os.RemoveAll(w.ws + "/by-link"))
		w.must(os.Symlink(w.ws+"/private", w.ws+"/by-link"))
	}
	// The second script is a run after the first one.
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
		c := w.confine(without...)
		ok, how, why := c.Available()
		if !ok {
			t.Logf("no sandbox %v: %s", without, why)
			continue
		}
		var hidden []string
		for place := range places {
			hidden = append(hidden, place)
		}
		run := func(script, f string, hide []string) string {
			var out heard
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
				plant()
				said := run(s[0], place+rest, hidden)
				if s[1] != "" {
					said += run(s[1], place+rest, hidden)
				}
				if ran++; strings.Contains(said, w.token) {
					out++
					t.Errorf("%s (%s): %s\nit said: %.400s", s[0], place, how, said)
				}
				if body, err := os.ReadFile(place + rest); err != nil || string(body) != w.token+"\n" {
					t.Errorf("%s (%s, %s): what is hidden was changed: %q %v", s[0], place, how, body, err)
				}
				w.tidy()
			}
		}
		plant()
		// Without the rule the first script reads it, and with it the rest of the folder stays.
		if said := run("cat $F", w.ws+"/private/diary", nil); !strings.Contains(said, w.token) {
			t.Errorf("the control reads nothing: %s", said)
		}
		if said := run("cat deep/er/open.txt", "", hidden); said != "for everybody\n" {
			t.Errorf("what lies beside: %q (%s)", said, how)
		}
		w.tidy()
		fmt.Printf("paths that rules forbid: %d tries to read them, %d succeeded, %s\n", ran, out, how)
	}
}
