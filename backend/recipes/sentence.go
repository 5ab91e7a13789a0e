package recipes

import (
	"cmp"
	"encoding/json"
	"strings"

	"sextant/shared/recipe"
)

// SentenceWith returns what the step with the number n does with the arguments of a run, or with the defaults. Secret
// values stay placeholders.
func SentenceWith(rec recipe.Recipe, n int, args map[string]any) string {
	values := map[string]string{}
	for _, p := range rec.Parameters {
		value, given := args[p.Name].(string)
		switch {
		case p.Secret:
		case given:
			values[p.Name] = value
		case p.Default != nil:
			values[p.Name] = *p.Default
		}
	}
	return fill(Sentence(rec.Steps[n-1]), values)
}

// Sentence returns what a step does, in the words of a person's instruction. Placeholders stay as they are.
func Sentence(s recipe.Step) string {
	var args struct {
		URL, Action, Text, Key, Direction, Path, Gone string
		Values, Paths                                 []string
		Submit                                        bool
		Accept                                        *bool
	}
	_ = json.Unmarshal(s.Args, &args) // an argument of another type is left out
	refs := References(s)
	on := refs["annotationId"].String()
	switch s.Tool {
	case navigateTool:
		if args.URL == "" {
			return map[string]string{
				"back": "Go back", "forward": "Go forward", "reload": "Reload the page",
			}[args.Action]
		}
		return "Open " + args.URL
	case "click_element":
		return "Click " + on
	case "hover_element":
		return "Move the mouse over " + on
	case "type_text":
		text := "Type “" + args.Text + "” into " + on
		if args.Submit {
			text += " and press Enter"
		}
		return text
	case "select_option":
		return "Choose “" + strings.Join(args.Values, "”, “") + "” in " + on
	case "press_key":
		return "Press " + args.Key
	case "upload_file":
		return "Upload " + strings.Join(append(args.Paths, args.Path), " ") + " with " + on
	case "drag_element":
		return "Drag " + refs["from"].String() + " to " + refs["to"].String()
	case "scroll_page":
		return "Scroll " + args.Direction
	case contentTool:
		kept := make([]string, len(s.Keep))
		for i, o := range s.Keep {
			kept[i] = o.Name + ": " + labelOf(o)
		}
		return "Read " + cmp.Or(strings.Join(kept, ", "), "the page")
	case "wait_for":
		return "Wait for the page"
	case dialogTool:
		if args.Accept != nil && !*args.Accept {
			return "Cancel the dialog"
		}
		return "Accept the dialog"
	}
	return "Run " + s.Tool
}
