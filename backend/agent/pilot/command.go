package pilot

import (
	"fmt"
	"slices"
	"strings"
)

// Words that carry no meaning between a verb and a number.
const numberFiller = "on the at over number no nr mark label element button link field box item a into in to of"

// reader reads one family of commands: it gives a step, or trouble with a hint when the
// words are its own but incomplete, or neither when they are not its own.
type reader func(g grammar, said string, ts []token) (step, *trouble)

// command reads ts, which is not empty.
func (g grammar) command(said string, ts []token) (step, *trouble) {
	if ts[0].quoted {
		return need("A command does not begin with quotes. Say it without them.")
	}
	for _, read := range []reader{answered, panels, tabs, history, open, annotate, click, typing, selecting, keys, scroll, reading, picture, wait, hover, plainAddress} {
		s, problem := read(g, said, ts)
		if problem != nil || s.tool != "" || s.local != "" {
			return s, problem
		}
	}
	return step{}, &trouble{}
}

func need(hint string) (step, *trouble) { return step{}, &trouble{hint: hint} }

// id reads a number that stands alone after filler words.
func id(ts []token) (int, bool) {
	ts = skip(ts, numberFiller)
	if len(ts) != 1 {
		return 0, false
	}
	return number(ts[0])
}

func answered(_ grammar, _ string, ts []token) (step, *trouble) {
	switch words(ts) {
	case "help", "", "commands", "list commands", "show help", "what can you do", "you do", "what can i say":
		if words(ts) == "" && ts[0].text != "?" {
			return step{}, nil
		}
		return step{local: "help"}, nil
	case "tools", "list tools", "list the tools", "show tools", "list all tools", "what tools are there":
		return step{local: "tools"}, nil
	}
	return step{}, nil
}

// panels reads "open NAME panel", "home" and "close panel".
func panels(g grammar, _ string, ts []token) (step, *trouble) {
	if rest, ok := starts(ts, "close"); ok {
		rest = skip(rest, "the this active current")
		named := skipEnd(rest, "panel")
		if len(named) == 0 && len(rest) == 1 {
			return call("close_panel", map[string]any{}), nil
		}
		if name := snake(named); slices.Contains(g.tools, "open_"+name+"_panel") {
			return call("close_panel", map[string]any{"panel": strings.ReplaceAll(name, "_", "-")}), nil
		}
		if len(named) < len(rest) {
			return need(fmt.Sprintf("There is no panel %q to close.", short(words(named))))
		}
		return step{}, nil
	}
	rest := ts
	for _, verb := range []string{"open", "show", "go to", "switch to", "go"} {
		if r, ok := starts(ts, verb); ok {
			rest = r
			break
		}
	}
	rest = skip(rest, "the me panel")
	named := skipEnd(rest, "panel")
	said := len(named) < len(rest) || len(rest) < len(ts) && ts[len(ts)-len(rest)-1].word == "panel"
	if len(named) == 0 {
		return step{}, nil
	}
	tool := "open_" + snake(named) + "_panel"
	if slices.Contains(g.tools, tool) && (said || len(rest) < len(ts) || words(ts) == "home") {
		return call(tool, map[string]any{}), nil
	}
	if said {
		return need(fmt.Sprintf("There is no panel %q. Panels: %s.", short(words(named)), strings.Join(panelNames(g.tools), ", ")))
	}
	return step{}, nil
}

// snake is the words as they stand in a tool's name.
func snake(ts []token) string {
	return strings.ReplaceAll(strings.ReplaceAll(words(ts), " ", "_"), "-", "_")
}

// panelNames are the panels that the offered tools open.
func panelNames(tools []string) []string {
	var names []string
	for _, t := range tools {
		if name, ok := strings.CutPrefix(t, "open_"); ok {
			if name, ok = strings.CutSuffix(name, "_panel"); ok {
				names = append(names, strings.ReplaceAll(name, "_", " "))
			}
		}
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

func tabs(g grammar, _ string, ts []token) (step, *trouble) {
	switch words(skip(ts, "list show the all open")) {
	case "tabs", "browser tabs":
		return call("browser_tabs", map[string]any{"action": "list"}), nil
	}
	for _, verb := range []string{"close the tab", "close this tab", "close tab", "close the current tab"} {
		if rest, ok := starts(ts, verb); ok {
			args := map[string]any{"action": "close"}
			if len(rest) > 0 {
				n, ok := id(rest)
				if !ok {
					return need("close tab takes a tab's number, for example close tab 2.")
				}
				args["tab"] = n
			}
			return call("browser_tabs", args), nil
		}
	}
	rest := skip(ts, "open a in make")
	if rest, ok := starts(rest, "new tab"); ok {
		args := map[string]any{"action": "open"}
		if rest = skip(rest, "with at for to on the page"); len(rest) > 0 {
			url, problem := g.address(rest)
			if problem != nil {
				return step{}, problem
			}
			args["url"] = url
		}
		return call("browser_tabs", args), nil
	}
	for _, verb := range []string{"tab", "switch to tab", "go to tab", "select tab", "show tab", "switch tab", "open tab"} {
		if rest, ok := starts(ts, verb); ok {
			n, ok := id(skip(rest, "number to"))
			if !ok {
				return need("tab takes a tab's number, for example tab 2. Say \"tabs\" for the list.")
			}
			return call("browser_tabs", map[string]any{"action": "select", "tab": n}), nil
		}
	}
	return step{}, nil
}

func history(_ grammar, _ string, ts []token) (step, *trouble) {
	ts = skipEnd(skip(ts, "go the"), "page this the one")
	action := ""
	switch words(ts) {
	case "back", "previous":
		action = "back"
	case "forward", "forwards":
		action = "forward"
	case "reload", "refresh":
		action = "reload"
	default:
		return step{}, nil
	}
	return call("navigate_page", map[string]any{"action": action}), nil
}

func annotate(_ grammar, said string, ts []token) (step, *trouble) {
	if !isOneOf(ts[0], "annotate annotations numbers number mark label look") || len(ts) == 1 && isOneOf(ts[0], "number mark label") {
		if words(ts) != "show numbers" && words(ts) != "show the numbers" {
			return step{}, nil
		}
		ts = ts[1:]
		ts = skip(ts, "the")
	}
	rest := skipEnd(skip(ts[1:], "the this for only me all at"), "again")
	switch words(rest) {
	case "", "viewport", "view", "everything", "numbers", "elements":
		return call("annotate_page", map[string]any{}), nil
	case "page", "whole page", "full page", "entire page":
		if words(rest) == "page" && (isOneOf(ts[len(ts)-2], "this the") || ts[0].word == "look") {
			return call("annotate_page", map[string]any{}), nil
		}
		return call("annotate_page", map[string]any{"scope": "page"}), nil
	}
	if ts[0].word != "annotate" && ts[0].word != "numbers" {
		return step{}, nil
	}
	return call("annotate_page", map[string]any{"query": text(said, rest, ts)}), nil
}

// text is the person's own wording of the tokens part, which belong to the command ts
// that was said: without quotes when it is one quoted text.
func text(said string, part, ts []token) string {
	if len(part) == 1 && part[0].quoted {
		return part[0].text
	}
	from := ts[0].start
	end := min(part[len(part)-1].end-from, len(said))
	return strings.TrimSpace(said[part[0].start-from : end])
}
