package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

const pressEvents = "|click|mousedown|pointerdown|mouseup|pointerup|touchstart|touchend|dblclick|"

// rootListeners is the number of event types from which a listening node counts as the root of a framework instead of
// a control.
const rootListeners = 20

// listeningNodes returns backend ids joined with commas. root is true when a node listens for so many events that it
// must be a framework's, which listens for all elements in it.
func listeningNodes(raw json.RawMessage) (ids string, count int, root bool, err error) {
	var l struct {
		Listeners []struct {
			Type string `json:"type"`
			Node int    `json:"backendNodeId"`
		} `json:"listeners"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return "", 0, false, fmt.Errorf("reading the page's listeners: %w", err)
	}
	var b strings.Builder
	for i := 0; i < len(l.Listeners); {
		node, from, press := l.Listeners[i].Node, i, false
		for ; i < len(l.Listeners) && l.Listeners[i].Node == node; i++ {
			press = press || strings.Contains(pressEvents, "|"+l.Listeners[i].Type+"|")
		}
		if i-from >= rootListeners {
			root = true
			continue
		}
		if !press || node == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(node))
		count++
	}
	return b.String(), count, root, nil
}

// listenerScan is the answer of the page's main world about listeners, with indexes of elements in tree order.
type listenerScan struct {
	Mode    string `json:"mode"`
	Count   int    `json:"count"`
	Indexes []int  `json:"indexes"`
	Drop    []int  `json:"drop"`
	Roots   bool   `json:"roots"`
	// Last is true when the main world will not be asked again.
	Last bool `json:"last"`
}

// scanListeners asks the page's main world for listeners. When the page's scripts break that, it returns no listeners
// instead of an error.
func scanListeners(ctx context.Context, w World, mode string, total int) (json.RawMessage, listenerScan, error) {
	raw, err := evalListeners(ctx, w, mode, total)
	if err != nil && ctx.Err() != nil {
		return nil, listenerScan{}, fmt.Errorf("asking for listeners: %w", err)
	}
	f := listenerScan{}
	if err != nil || json.Unmarshal(raw, &f) != nil || len(f.Indexes) > f.Count || f.Mode != mode {
		f = listenerScan{Mode: mode, Count: -1, Last: true}
	}
	if f.Indexes == nil {
		f.Indexes = []int{}
	}
	if f.Drop == nil {
		f.Drop = []int{}
	}
	return raw, f, nil
}

func evalListeners(ctx context.Context, w World, mode string, total int) (json.RawMessage, error) {
	return w.EvalMain(ctx, fmt.Sprintf("%s(%q, %d)", strings.TrimSuffix(strings.TrimSpace(listenersJS), ";"), mode,
		total))
}

const maxCollectTries = 8

// rootRounds bounds how often one collection asks for closed shadow roots, of which a page may have any number. The
// next collection asks for the remaining ones.
const rootRounds = 2

// Collect returns the elements of one document. The error wraps cdp.ErrReplaced when the document was replaced
// meanwhile.
func Collect(ctx context.Context, w World, o Options) (RawDocument, error) {
	raw, _, err := collectFacts(ctx, w, o)
	return raw, err
}

func collectFacts(ctx context.Context, w World, o Options) (RawDocument, listenerFacts, error) {
	var l listenerFacts
	listeners, err := w.Listeners(ctx)
	if err == nil {
		l.ids, l.count, l.delegated, err = listeningNodes(listeners)
	}
	if err == nil {
		l.listeners = listeners
	} else if ctx.Err() != nil {
		return RawDocument{}, listenerFacts{}, fmt.Errorf("asking for listeners: %w", err)
	}
	var answer any
	rounds, above := 0, false
	for try := 0; try < maxCollectTries; {
		text, err := runCollector(ctx, w, o, l.ids, l.delegated, answer, rounds >= rootRounds)
		if err != nil {
			return RawDocument{}, listenerFacts{}, err
		}
		if strings.HasPrefix(text, "=") {
			raw, err := unpack(text[1:])
			l.walked = raw.ElementCount
			if above {
				l = listenerFacts{}
			}
			return raw, l, err
		}
		need, list, _ := strings.Cut(strings.TrimPrefix(text, "?"), ":")
		if need == "roots" && rounds < rootRounds {
			rounds++
			if err := openClosedRoots(ctx, w, list); err != nil {
				return RawDocument{}, listenerFacts{}, err
			}
			continue
		}
		switch try++; need {
		case "resolve":
			if err := reportListeners(ctx, w, list); err != nil {
				return RawDocument{}, listenerFacts{}, err
			}
		case "search", "scan", "window":
			scanned, f, err := scanListeners(ctx, w, need, l.count)
			if err != nil {
				return RawDocument{}, listenerFacts{}, err
			}
			f.Last = f.Last || try == maxCollectTries-1
			answer = f
			switch l.scanned = nil; need {
			case "scan":
				l.scanned, l.scan = scanned, f
			case "window":
				// Listeners of the window are not in the browser's answer, so their changes would go unnoticed.
				above = true
			}
		default:
			return RawDocument{}, listenerFacts{}, fmt.Errorf("reading the page's answer (look): it begins with %.20q",
				text)
		}
	}
	return RawDocument{}, listenerFacts{}, fmt.Errorf("asking the page (look): it changes too fast to be observed")
}

func runCollector(ctx context.Context, w World, args ...any) (string, error) {
	const fn = `function (...a) {
  const s = globalThis.__sextant
  if (!s) return '!'
  try { return s.look(...a) } catch (e) { return '!' + String(e?.stack ?? e) }
}`
	for try := range 2 {
		text, err := w.CallText(ctx, fn, args...)
		if err != nil {
			return "", fmt.Errorf("asking the page (look): %w", err)
		}
		if !strings.HasPrefix(text, "!") {
			return text, nil
		}
		if text != "!" || try > 0 {
			return "", &Refusal{Message: "the page could not be observed: " + strings.TrimPrefix(text, "!")}
		}
		if err := Install(ctx, w); err != nil {
			return "", err
		}
	}
	return "", nil
}

func openClosedRoots(ctx context.Context, w World, list string) error {
	var roots []int
	for h := range strings.SplitSeq(list, ",") {
		handle, err := strconv.Atoi(h)
		if err != nil {
			return fmt.Errorf("reading the page's answer (look): a handle called %.20q", h)
		}
		root, err := w.ClosedRoot(ctx, NodeExpression(handle))
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("asking for closed roots: %w", err)
		}
		if err == nil && root != 0 {
			roots = append(roots, root)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	if _, err := w.CallNodes(ctx, `function (...roots) { globalThis.__sextant.opened(roots); return true }`,
		roots); err != nil {
		return fmt.Errorf("asking for closed roots: %w", err)
	}
	return nil
}

func reportListeners(ctx context.Context, w World, list string) error {
	var nodes []int
	for id := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(id)
		if err != nil {
			return fmt.Errorf("reading the page's answer (look): a node called %.20q", id)
		}
		nodes = append(nodes, n)
	}
	_, err := w.CallNodes(ctx, `function (...nodes) { globalThis.__sextant.learn(`+strconv.Quote(list)+
		`.split(','), nodes); return true }`, nodes)
	if err != nil {
		return fmt.Errorf("asking for listeners: %w", err)
	}
	return nil
}
