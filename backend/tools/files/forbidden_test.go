package files_test

import (
	"errors"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestWalkSkipsForbiddenPaths(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("plans/lamp.txt", "a bright lamp")
	b.put("diary/lamp.txt", "a private lamp")
	b.put("diary.txt", "a third lamp")
	link(t, b.path("diary"), b.path("alias"))
	calls := map[string]string{
		"search_files":   `{"pattern":"lamp"}`,
		"find_files":     `{"pattern":"**/*.txt"}`,
		"list_directory": `{"recursive":true}`,
	}
	for tool, args := range calls {
		b.forbidden = nil
		b.says(b.ok(tool, args), "diary/lamp.txt")
		for _, path := range []string{b.path("diary"), b.path("alias")} {
			b.forbidden = []string{path}
			r := b.ok(tool, args)
			b.says(r, "plans/lamp.txt", "diary.txt", "closed to tools")
			if strings.Contains(r.Text, "diary/") {
				t.Errorf("%s with a rule about %s: %s", tool, path, r.Text)
			}
		}
	}
	b.forbidden, b.unread = nil, errors.New("the disk is gone")
	for tool, args := range calls {
		if r, err := b.Execute(t.Context(), toolspec.Call{Tool: tool, Args: []byte(args)}, toolspec.Definition{},
			nil); err == nil && r.Success {
			t.Errorf("%s walks though the rules cannot be read: %s", tool, r.Text)
		}
	}
}
