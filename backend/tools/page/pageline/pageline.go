// Package pageline leaves the line about the page out of results when the reader already knows which page it is.
package pageline

import (
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

const (
	maxReaders = 200
	// readAgain is how long a reader is assumed to know which page was named last.
	readAgain = 5 * time.Minute
	// minRepeated is the number of listed elements from which a result always names its page: the line then costs
	// little, and the model's context may drop earlier results.
	minRepeated = 10
)

// Memory knows which page each reader's last result named. The zero value is ready to use, and its methods may be
// called concurrently.
type Memory struct {
	mu    sync.Mutex
	shown map[reader]shownPage
}

// reader identifies whoever reads results one after another.
type reader struct {
	caller                        toolspec.Caller
	client, conversation, session string
	surface                       toolspec.Surface
}

type shownPage struct {
	annotation.Page
	at time.Time
}

// Shorten returns r, a result of call, without the line about its page if call is an action and the last result for the
// same reader named the same page. Results for people and programs are not shortened.
func (m *Memory) Shorten(call toolspec.Call, r toolspec.Result) toolspec.Result {
	from := call.From
	a, ok := observation.FullObservation(r.Value)
	if !ok || call.ParentCall != "" || call.Surface == nil || !isModel(from) {
		return r
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	conversation, _ := from.ShownIn() // that of a subagent is its own
	key := reader{from.Caller, from.Client, conversation, from.Session, *call.Surface}
	now := shownPage{a.Page, time.Now()}
	now.Version = 0
	last := m.shown[key]
	if len(m.shown) >= maxReaders {
		m.shown = nil
	}
	if m.shown == nil {
		m.shown = map[reader]shownPage{}
	}
	m.shown[key] = now
	known := last.Page == now.Page && now.at.Sub(last.at) < readAgain
	if known && a.OnlyChanges && len(a.Elements) < minRepeated {
		r.Text = withoutPageLine(r.Text)
	}
	return r
}

// isModel reports whether results are read by a model that also gets the earlier ones.
func isModel(from toolspec.Provenance) bool {
	return from.Caller == toolspec.CallerModel || from.Caller == toolspec.CallerMCP ||
		from.Caller == toolspec.CallerRun && from.Conversation != ""
}

// withoutPageLine removes the first line that names a page. A page cannot begin a line of text.
func withoutPageLine(text string) string {
	lines := strings.Split(text, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Page: ") })
	if i < 0 || len(lines) == 1 {
		return text
	}
	return strings.Join(slices.Delete(lines, i, i+1), "\n")
}
