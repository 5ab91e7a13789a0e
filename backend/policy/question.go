package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

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
	case d.NewProgram != "":
		return "Start " + d.NewProgram + ": " + d.Target + "?"
	case d.RunsProgram && f.describesEffects() && d.Sentence != "":
		// This sentence comes from reading the command, not from the model.
		return strings.TrimRight(d.Sentence, ".") + "?"
	case d.Data != "" && len(f.hosts) > 0:
		return "Send " + f.quotedData() + " to " + joinWords(f.hosts) + "?"
	case f.isInterfaceTool() && f.address != "":
		return "Open " + f.address + "?"
	case len(f.hosts) > 0:
		return "Let " + f.toolName() + " contact " + joinWords(f.hosts) + "?"
	case f.isExternalTool() && d.Target != "":
		return "Run " + f.toolName() + ": " + d.Target + "?"
	case d.Data != "" && d.Target != "":
		return "Let " + f.toolName() + " write " + f.quotedData() + " to " + d.Target + "?"
	case d.Target != "":
		return "Run " + f.toolName() + " on " + d.Target + "?"
	}
	if args := formatArgs(f.visibleArgs()); args != "" {
		return "Run " + f.toolName() + " with " + args + "?"
	}
	return "Run " + f.toolName() + "?"
}

func (f facts) toolName() string {
	if f.in.Definition.Owner == "" {
		return f.in.Call.Tool
	}
	return f.in.Call.Tool + " of " + f.in.Definition.Owner
}

func (f facts) actionText() string {
	if f.in.Description.Sentence != "" {
		return f.in.Description.Sentence
	}
	return "Run " + f.toolName()
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

// formatArgs formats an object as a="x", b=2, sorted by name.
func formatArgs(args json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(args, &object) != nil {
		return string(args)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, name+"="+string(object[name]))
	}
	return strings.Join(parts, ", ")
}

func joinReasons(reasons []askReason) string {
	all := make([]string, 0, len(reasons))
	for _, d := range reasons {
		all = append(all, d.text)
	}
	return strings.Join(all, " ")
}

func (f facts) grantText(g toolspec.Grant) string {
	text := f.toolName()
	if len(g.Hosts) > 0 {
		text += " on " + joinWords(g.Hosts) + " only"
	}
	if len(g.Args) > 0 {
		if args := formatArgs(g.Args); args != "" {
			text += ", exactly with " + args
		}
	} else {
		text += ", with any arguments"
	}
	if g.Target != "" {
		text += ", on " + g.Target
	}
	if len(g.Secrets) > 0 {
		text += ", with the secret " + joinWords(g.Secrets)
	}
	return text + grantLimitsText(g)
}

func (f facts) hostGrantText(g toolspec.Grant) string {
	text := "Commands may reach " + joinWords(g.Hosts)
	if len(g.Args) > 0 {
		text = "This command may reach " + joinWords(g.Hosts)
	}
	return text + grantLimitsText(g)
}

func grantLimitsText(g toolspec.Grant) string {
	text := ""
	if g.Grantee != "" {
		text += ", when " + g.Grantee + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + joinWords(g.Outside) + " was read"
	}
	if g.Folder != "" {
		text += ", in " + g.Folder
	}
	if g.Scope == toolspec.GrantConversation {
		text += ", until this conversation is closed."
	} else {
		text += ", in every conversation."
	}
	if len(g.Hosts) > 0 {
		text += " No subdomains."
	}
	return text
}
