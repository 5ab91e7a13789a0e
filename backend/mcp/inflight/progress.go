package inflight

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/servertext"
)

const (
	// reportInterval is the shortest time between two reports, because a server may report each row of a table.
	reportInterval = 250 * time.Millisecond
	maxLine        = 200
)

type progressReporter struct {
	output func(stream, text string)

	mu    sync.Mutex
	last  string
	next  string
	timer *time.Timer
	ended bool
}

// report accepts a nil p.
func (p *progressReporter) report(line string) {
	line = servertext.OneLine(line, maxLine)
	if p == nil || p.output == nil || line == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = line
	if p.timer != nil || p.ended {
		return
	}
	p.flush()
}

// flush requires mu. It starts the next interval if it had a line.
func (p *progressReporter) flush() {
	p.timer = nil
	if p.ended || p.next == "" {
		return
	}
	if p.next != p.last {
		p.last = p.next
		p.output("progress", p.last+"\n")
	}
	p.next = ""
	p.timer = time.AfterFunc(reportInterval, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.flush()
	})
}

func (p *progressReporter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

// progressLine begins with a percentage if the total is known: the window draws it as a bar.
func progressLine(p *sdk.ProgressNotificationParams) string {
	finite := func(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
	switch {
	case finite(p.Progress) && finite(p.Total) && p.Total > 0:
		percent := int(100 * min(1, max(0, p.Progress/p.Total)))
		if p.Message == "" {
			return fmt.Sprintf("%d%% · %s of %s", percent, number(p.Progress), number(p.Total))
		}
		return fmt.Sprintf("%d%% · %s", percent, p.Message)
	case p.Message != "":
		return p.Message
	case finite(p.Progress):
		return "Progress: " + number(p.Progress)
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
