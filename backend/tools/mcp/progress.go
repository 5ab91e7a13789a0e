package mcp

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/panels/accepted"
)

const (
	// noticeEvery bounds how often a person hears of a call's progress: a server may tell of each row.
	noticeEvery = 250 * time.Millisecond
	// maxNotice bounds one notice, in characters.
	maxNotice = 200
)

// meter tells the person how far a call has come: the newest notice, at most once in noticeEvery.
type meter struct {
	tell func(stream, text string)

	mu      sync.Mutex
	said    string
	waiting string
	timer   *time.Timer
	over    bool
}

// say tells line, which is outside text, now or a moment later; one that was just told is not repeated.
func (m *meter) say(line string) {
	line = accepted.Shown(shorten(strings.Join(strings.Fields(line), " "), maxNotice))
	if m == nil || m.tell == nil || line == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = line
	if m.timer != nil || m.over {
		return
	}
	m.flush()
}

// flush tells what waits, and has what comes meanwhile wait; the caller holds mu.
func (m *meter) flush() {
	m.timer = nil
	if m.over || m.waiting == "" {
		return
	}
	if m.waiting != m.said {
		m.said = m.waiting
		m.tell("progress", m.said+"\n")
	}
	m.waiting = ""
	m.timer = time.AfterFunc(noticeEvery, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.flush()
	})
}

// end has nothing more told.
func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

// notice is one line of a notification: a percentage first where there is an end to measure by, which
// the window draws as a bar.
func notice(p *sdk.ProgressNotificationParams) string {
	finite := func(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
	switch {
	case finite(p.Progress) && finite(p.Total) && p.Total > 0:
		share := int(100 * min(1, max(0, p.Progress/p.Total)))
		if p.Message == "" {
			return fmt.Sprintf("%d%% · %s of %s", share, number(p.Progress), number(p.Total))
		}
		return fmt.Sprintf("%d%% · %s", share, p.Message)
	case p.Message != "":
		return p.Message
	case finite(p.Progress):
		return "Progress: " + number(p.Progress)
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// metered has the notices under token told to tell until land: the call of ctx is in flight.
func (f *flights) metered(ctx context.Context, tell func(stream, text string)) (token string, land func()) {
	one, _ := ctx.Value(flightKey{}).(*flight)
	m := &meter{tell: tell}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens++
	token = "call-" + strconv.FormatInt(f.tokens, 10)
	one.token, one.meter = token, m
	return token, m.end
}

// progressed hands a notice of progress to the call whose token it bears. One of no call in flight is
// late, or made up: it is dropped.
func (v *server) progressed(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	token, ok := req.Params.ProgressToken.(string)
	if !ok {
		return
	}
	v.flying.mu.Lock()
	var m *meter
	for one := range v.flying.now {
		if one.token == token {
			m = one.meter
		}
	}
	v.flying.mu.Unlock()
	m.say(notice(req.Params))
}
