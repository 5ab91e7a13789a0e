package pilot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func scroll(_ grammar, _ string, ts []token) (step, *trouble) {
	if !isOneOf(ts[0], "scroll") {
		return step{}, nil
	}
	const hint = "scroll takes a direction and may take pixels, for example scroll down 300 px or scroll to the bottom."
	args := map[string]any{"direction": "down"}
	rest := skip(ts[1:], "to the page by")
	if len(rest) > 0 && isOneOf(rest[0], "up down left right top bottom start end") {
		args["direction"] = rest[0].word
		switch rest[0].word {
		case "start":
			args["direction"] = "top"
		case "end":
			args["direction"] = "bottom"
		}
		rest = rest[1:]
	}
	rest = skip(rest, "by a bit more page the of")
	if len(rest) > 0 && !isOneOf(rest[0], "in inside within") {
		px, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(rest[0].word, "pixels"), "px"), 64)
		if err != nil || !(px > 0 && px < 1e6) {
			return need(hint)
		}
		args["amount"] = px
		rest = skip(rest[1:], "px pixels pixel")
	}
	if len(rest) > 0 {
		n, ok := id(skip(rest, "inside within"))
		if !ok || !isOneOf(rest[0], "in inside within") {
			return need(hint)
		}
		args["target"] = n
	}
	return call("scroll_page", args), nil
}

func reading(_ grammar, said string, ts []token) (step, *trouble) {
	switch words(skipEnd(skip(ts, "get show read the this me"), "page now")) {
	case "":
		if isOneOf(ts[0], "read") || words(ts) == "get page" {
			return call("get_page_content", map[string]any{}), nil
		}
		return step{}, nil
	case "content", "page content", "text", "page text", "contents", "content of the", "content of this", "text of the":
		return call("get_page_content", map[string]any{}), nil
	}
	rest, ok := starts(ts, "read")
	if !ok {
		return step{}, nil
	}
	rest = skip(rest, "the file")
	if len(rest) == 0 {
		return need("read takes a file, for example read notes.txt, or page.")
	}
	path := strings.TrimRight(text(said, rest, ts), ",;")
	if len(rest) == 1 && (rest[0].quoted || strings.ContainsAny(path, "./\\~")) {
		return call("read_file", map[string]any{"path": path}), nil
	}
	return need("read takes a file, for example read notes.txt, or page. Put a name with spaces in quotes.")
}

func picture(_ grammar, _ string, ts []token) (step, *trouble) {
	rest := skip(ts, "take make a")
	if len(rest) == 0 || !isOneOf(rest[0], "screenshot picture shot") || len(rest) == len(ts) && rest[0].word != "screenshot" {
		return step{}, nil
	}
	args := map[string]any{}
	rest = skip(rest[1:], "of the this a")
	switch words(rest) {
	case "", "page", "view", "viewport":
	case "full page", "whole page", "entire page":
		args["full_page"] = true
	case "with numbers", "annotated", "with the numbers", "page with numbers", "with annotations":
		args["annotated"] = true
	default:
		n, ok := id(rest)
		if !ok {
			return need("screenshot may take a number, \"of the full page\" or \"with numbers\", for example screenshot of 3.")
		}
		args["annotationId"] = n
	}
	return call("take_screenshot", args), nil
}

func wait(_ grammar, said string, ts []token) (step, *trouble) {
	if !isOneOf(ts[0], "wait") {
		return step{}, nil
	}
	const hint = "wait takes seconds or a text, for example wait 2 seconds or wait for Done."
	rest := skip(ts[1:], "for until")
	if len(rest) == 0 {
		return need(hint)
	}
	if s, ok := seconds(rest); ok {
		if s > 120 {
			return need("wait takes at most 120 seconds.")
		}
		return call("wait_for", map[string]any{"seconds": s}), nil
	}
	rest = skip(rest, "the text")
	key, named := "text", rest
	for _, end := range []string{"to disappear", "to be gone", "is gone", "disappears", "gone", "to go away", "to vanish", "vanishes"} {
		n := len(strings.Fields(end))
		if len(rest) > n {
			if tail, ok := starts(rest[len(rest)-n:], end); ok && len(tail) == 0 {
				key, named = "gone", rest[:len(rest)-n]
				break
			}
		}
	}
	if key == "text" {
		for _, end := range []string{"to appear", "appears", "to show up", "shows up"} {
			n := len(strings.Fields(end))
			if len(rest) > n {
				if tail, ok := starts(rest[len(rest)-n:], end); ok && len(tail) == 0 {
					named = rest[:len(rest)-n]
					break
				}
			}
		}
	}
	if len(named) == 0 || !isOneOf(ts[1], "for until") {
		return need(hint)
	}
	return call("wait_for", map[string]any{key: text(said, named, ts)}), nil
}

// seconds reads "2 seconds", "2s", "500 ms", "a minute" and a bare number.
func seconds(ts []token) (float64, bool) {
	if len(ts) == 0 || len(ts) > 2 || ts[0].quoted {
		return 0, false
	}
	amount := ts[0].word
	unit := strings.TrimLeft(amount, "0123456789.")
	value, err := strconv.ParseFloat(strings.TrimSuffix(amount, unit), 64)
	if len(ts) == 2 {
		switch n, named := number(ts[0]); {
		case err == nil && unit == "":
		case amount == "a" || amount == "an":
			value = 1
		case named:
			value = float64(n)
		default:
			return 0, false
		}
		unit = ts[1].word
	} else if err != nil {
		return 0, false
	}
	switch {
	case !(value > 0):
		return 0, false
	case slices.Contains([]string{"", "s", "sec", "secs", "second", "seconds"}, unit):
		return value, true
	case slices.Contains([]string{"ms", "milliseconds", "millisecond"}, unit):
		return value / 1000, true
	case slices.Contains([]string{"m", "min", "minute", "minutes"}, unit):
		return value * 60, true
	}
	return 0, false
}

// missing says that a command's tool cannot be called now.
func missing(s step, tools []string) string {
	near := closest(s.tool, tools)
	hint := "Say \"tools\" for what can be called now."
	if near != "" {
		hint = fmt.Sprintf("Did you mean %s? ", near) + hint
	}
	return fmt.Sprintf("Not done: %s. The tool %s is not available here. %s", short(s.said), s.tool, hint)
}
