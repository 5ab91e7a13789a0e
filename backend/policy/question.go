package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const maxQuoted = 80

func (f facts) question() string {
	q := f.questionText()
	if from := f.in.Call.From; from.Caller == toolspec.CallerPanel && !f.isOwnPanelTool() {
		q = strings.TrimSuffix(q, "?") + ", for the panel " + from.Client + "?"
	}
	if from := f.in.Call.From; from.Caller == toolspec.CallerApp {
		q = strings.TrimSuffix(q, "?") + ", for the app of " + from.Client + "?"
	}
	if child := f.in.Call.From.Subagent; child.Conversation != "" {
		q = strings.TrimSuffix(q, "?") + ", for the subagent “" + child.Title + "”?"
	}
	return q
}

func (f facts) questionText() string {
	d := f.in.Description
	switch {
	case d.Trial != nil && d.Trial.Question != "":
		return d.Trial.Question
	case d.NewProgram != "":
		return "Start " + d.NewProgram + ": " + d.Target + "?"
	case d.Question != "":
		return d.Question
	case d.RunsProgram && f.describesEffects() && d.Sentence != "":
		// This sentence comes from reading the command, not from the model.
		return strings.TrimRight(d.Sentence, ".") + "?"
	case f.isExternalTool():
		return f.externalQuestion()
	case d.Data != "" && len(f.hosts) > 0:
		return "Send " + f.quotedData() + " to " + joinWords(f.hosts) + "?"
	case f.isInterfaceTool() && f.address != "":
		return "Open " + f.address + "?"
	}
	question := imperative(f.actionText())
	if len(f.hosts) > 0 && !slices.ContainsFunc(f.hosts, func(h string) bool { return strings.Contains(question, h) }) {
		question += " on " + joinWords(f.hosts)
	}
	return question + "?"
}

// externalQuestion names the owner, because the title is the owner's own text.
func (f facts) externalQuestion() string {
	d, owner := f.in.Description, f.in.Definition.Owner
	title := f.toolTitle()
	if f.in.Definition.Origin == toolspec.OriginCreated {
		return "Run “" + title + "”, a tool that the assistant made?"
	}
	question := "Let " + owner + " run “" + title + "”"
	if f.in.Definition.Origin == toolspec.OriginPanel {
		question = "Let the panel " + owner + " run “" + title + "”"
	}
	if d.Data != "" && len(f.hosts) > 0 {
		question += " and send " + f.quotedData() + " to " + joinWords(f.hosts)
	} else if len(f.hosts) > 0 {
		question += " and contact " + joinWords(f.hosts)
	}
	return question + "?"
}

// toolTitle returns the title of the tool, or else its name in words, without the name of its server.
func (f facts) toolTitle() string {
	if title := f.in.Description.Title; title != "" {
		return excerpt.Line(title, maxQuoted)
	}
	name := f.in.Call.Tool
	if _, own, found := strings.Cut(name, "__"); found && f.in.Definition.Origin == toolspec.OriginMCP {
		name = own
	}
	return strings.ReplaceAll(name, "_", " ")
}

// imperatives contains the first words of sentences in Description.Sentence.
var imperatives = map[string]string{
	"Accepting": "Accept", "Adding": "Add", "Asking": "Ask", "Calling": "Call", "Cancelling": "Cancel",
	"Changing": "Change", "Checking": "Check", "Choosing": "Choose", "Clicking": "Click", "Closing": "Close",
	"Creating": "Create", "Deleting": "Delete", "Dismissing": "Dismiss", "Dragging": "Drag", "Editing": "Edit",
	"Emulating": "Emulate", "Finding": "Find", "Going": "Go", "Listing": "List", "Making": "Make", "Moving": "Move",
	"Numbering": "Number", "Opening": "Open", "Pointing": "Point", "Pressing": "Press", "Querying": "Query",
	"Reading": "Read", "Reloading": "Reload", "Removing": "Remove", "Replacing": "Replace", "Requesting": "Request",
	"Restoring": "Restore", "Running": "Run", "Saving": "Save", "Scrolling": "Scroll", "Searching": "Search",
	"Selecting": "Select", "Sending": "Send", "Setting": "Set", "Starting": "Start", "Switching": "Switch",
	"Taking": "Take", "Typing": "Type", "Undoing": "Undo", "Uploading": "Upload", "Waiting": "Wait", "Writing": "Write",
}

// imperative turns the sentence about a running call into a command: "Reading a.txt" into "Read a.txt".
func imperative(sentence string) string {
	sentence = strings.TrimRight(sentence, ".")
	first, rest, _ := strings.Cut(sentence, " ")
	if verb, known := imperatives[first]; known {
		return strings.TrimSpace(verb + " " + rest)
	}
	return sentence
}

func (f facts) actionText() string {
	if f.in.Description.Sentence != "" {
		return f.in.Description.Sentence
	}
	return "Running " + f.toolTitle()
}

func (f facts) targetText() string {
	if f.in.Description.Target != "" {
		return f.in.Description.Target
	}
	if f.address != "" {
		return f.address
	}
	return joinWords(f.hosts)
}

const hiddenMark = "…"

func (f facts) quotedData() string {
	data := f.in.Description.Data
	if len(f.in.Description.SecretArgs) > 0 {
		return "text that is not shown"
	}
	n := utf8.RuneCountInString(data)
	if n <= maxQuoted && !strings.ContainsAny(data, "\r\n") {
		return "“" + data + "”"
	}
	return humanize.Comma(int64(n)) + " characters"
}

func (f facts) visibleData() string {
	if f.in.Description.Data != "" && len(f.in.Description.SecretArgs) > 0 {
		return hiddenMark
	}
	return f.in.Description.Data
}

func (f facts) visibleArgs() json.RawMessage {
	var object map[string]any
	if len(f.in.Description.SecretArgs) == 0 || decodeNumbers(f.args, &object) != nil {
		return f.args
	}
	for _, name := range f.in.Description.SecretArgs {
		if _, given := object[name]; given {
			object[name] = hiddenMark
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}

func joinReasons(reasons []askReason) string {
	all := make([]string, 0, len(reasons))
	for _, d := range reasons {
		all = append(all, d.text)
	}
	return strings.Join(all, " ")
}
