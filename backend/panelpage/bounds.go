package panelpage

import (
	"math"
	"regexp"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
)

const (
	maxNodes  = 1500
	maxFrames = 8
	maxSide   = 100_000
	maxStates = 12
)

var word = regexp.MustCompile(`^[a-z][a-z]{0,29}$`)

// limitDocument limits the texts, numbers and lists in raw to plausible sizes, and drops nodes with a repeated or
// invalid handle.
func limitDocument(raw collect.RawDocument) collect.RawDocument {
	raw.Title, raw.URL, raw.Origin = surface.Truncate(raw.Title, 200), surface.Truncate(raw.URL, 400), ""
	raw.ViewW, raw.ViewH = limitSize(raw.ViewW), limitSize(raw.ViewH)
	raw.Above, raw.Below = min(max(raw.Above, 0), maxNodes), min(max(raw.Below, 0), maxNodes)
	raw.Now = math.Abs(math.Mod(finite(raw.Now), maxClock))
	seen := map[int]bool{}
	nodes := make([]collect.RawNode, 0, min(len(raw.Nodes), maxNodes))
	for _, n := range raw.Nodes {
		if len(nodes) == maxNodes || n.Handle <= 0 || seen[n.Handle] {
			continue
		}
		seen[n.Handle] = true
		nodes = append(nodes, limitNode(n))
	}
	raw.Nodes = nodes
	raw.Frames = raw.Frames[:min(len(raw.Frames), maxFrames)]
	for i := range raw.Frames {
		raw.Frames[i].Box, raw.Frames[i].Clip = limitBox(raw.Frames[i].Box), limitBox(raw.Frames[i].Clip)
	}
	return raw
}

// maxClock is longer than any document lives, in milliseconds.
const maxClock = 1e12

func limitNode(n collect.RawNode) collect.RawNode {
	if !word.MatchString(n.Role) {
		n.Role = "clickable"
	}
	n.Name, n.Value, n.Group = surface.Truncate(n.Name, 400), surface.Truncate(n.Value, 500),
		surface.Truncate(n.Group, 80)
	n.CoveredByText, n.Key = surface.Truncate(n.CoveredByText, 80), surface.Truncate(n.Key, 1000)
	n.TextHash, n.RowHash = surface.Truncate(n.TextHash, 40), surface.Truncate(n.RowHash, 40)
	n.States = n.States[:min(len(n.States), maxStates)]
	for i, s := range n.States {
		n.States[i] = surface.Truncate(s, 120)
	}
	n.Box, n.Born = limitBox(n.Box), finite(n.Born)
	return n
}

func limitBox(r collect.Rect) collect.Rect {
	return collect.Rect{X: limitPosition(r.X), Y: limitPosition(r.Y), W: limitSize(r.W), H: limitSize(r.H)}
}

func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

func limitPosition(v float64) float64 { return min(max(finite(v), -maxSide), maxSide) }

func limitSize(v float64) float64 { return min(max(finite(v), 0), maxSide) }
