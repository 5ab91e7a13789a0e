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

// maxQuoted is how many characters of data a question quotes; more is counted, and stands
// in full below it.
const maxQuoted = 80

// question names verb, data and target, and the panel or subagent that asks, and ends with a question mark
// (DESIGN 6).
func (f facts) question() string {
	q := f.asked()
	if from := f.in.Call.From; from.Caller == toolspec.CallerPanel && !f.ownPanel() {
		q = strings.TrimSuffix(q, "?") + ", for the panel " + from.Client + "?"
	}
	if from := f.in.Call.From; from.Caller == toolspec.CallerApp {
		q = strings.TrimSuffix(q, "?") + ", for the app of " + from.Client + "?"
	}
	if child := f.in.Call.From.Child; child.Conversation != "" {
		q = strings.TrimSuffix(q, "?") + ", for the subagent “" + child.Title + "”?"
	}
	return q
}

func (f facts) asked() string {
	d := f.in.Description
	switch {
	case d.NewProgram != "":
		return "Start " + d.NewProgram + ": " + d.Target + "?"
	case d.RunsProgram && f.told() && d.Present != "":
		// A command's sentence is made from what was read of it.
		return strings.TrimRight(d.Present, ".") + "?"
	case d.Data != "" && len(f.hosts) > 0:
		return "Send " + f.amount() + " to " + list(f.hosts) + "?"
	case f.hands() && f.address != "":
		return "Open " + f.address + "?"
	case len(f.hosts) > 0:
		return "Let " + f.name() + " contact " + list(f.hosts) + "?"
	case f.foreign() && d.Target != "":
		return "Run " + f.name() + ": " + d.Target + "?"
	case d.Data != "" && d.Target != "":
		return "Let " + f.name() + " write " + f.amount() + " to " + d.Target + "?"
	case d.Target != "":
		return "Run " + f.name() + " on " + d.Target + "?"
	}
	if args := arguments(f.shownArgs()); args != "" {
		return "Run " + f.name() + " with " + args + "?"
	}
	return "Run " + f.name() + "?"
}

// name is the tool's with the one it belongs to.
func (f facts) name() string {
	if f.in.Definition.Owner == "" {
		return f.in.Call.Tool
	}
	return f.in.Call.Tool + " of " + f.in.Definition.Owner
}

func (f facts) does() string {
	if f.in.Description.Present != "" {
		return f.in.Description.Present
	}
	return "Run " + f.name()
}

func (f facts) target() string {
	if f.in.Description.Target != "" {
		return f.in.Description.Target
	}
	if f.address != "" {
		return f.address
	}
	return list(f.hosts)
}

// unshown stands where a secret is.
const unshown = "…"

// amount is the data as a question names it: quoted when short, counted when long.
func (f facts) amount() string {
	data := f.in.Description.Data
	if len(f.in.Description.Secret) > 0 {
		return "text that is not shown"
	}
	n := utf8.RuneCountInString(data)
	if n <= maxQuoted && !strings.ContainsAny(data, "\r\n") {
		return "“" + data + "”"
	}
	return humanize.Comma(int64(n)) + " characters"
}

// shownData is the data as it may be shown.
func (f facts) shownData() string {
	if f.in.Description.Data != "" && len(f.in.Description.Secret) > 0 {
		return unshown
	}
	return f.in.Description.Data
}

// shownArgs are the arguments without the values of secret ones.
func (f facts) shownArgs() json.RawMessage {
	var object map[string]any
	if len(f.in.Description.Secret) == 0 || decodeNumbers(f.args, &object) != nil {
		return f.args
	}
	for _, name := range f.in.Description.Secret {
		if _, given := object[name]; given {
			object[name] = unshown
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

// arguments writes an object as a="x", b=2 in order of the names. Nothing is left out: a
// question hides nothing.
func arguments(args json.RawMessage) string {
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

func reasons(doubts []doubt) string {
	all := make([]string, 0, len(doubts))
	for _, d := range doubts {
		all = append(all, d.why)
	}
	return strings.Join(all, " ")
}

// scopeText writes a grant out so that it can be read without knowing the rules.
func (f facts) scopeText(g toolspec.Grant) string {
	text := f.name()
	if len(g.Hosts) > 0 {
		text += " on " + list(g.Hosts) + " only"
	}
	if len(g.Args) > 0 {
		if args := arguments(g.Args); args != "" {
			text += ", exactly with " + args
		}
	} else {
		text += ", with any arguments"
	}
	if g.Target != "" {
		text += ", on " + g.Target
	}
	if len(g.Secrets) > 0 {
		text += ", with the secret " + list(g.Secrets)
	}
	return text + boundsText(g)
}

// contactText writes out what lets commands reach hosts.
func (f facts) contactText(g toolspec.Grant) string {
	text := "Commands may reach " + list(g.Hosts)
	if len(g.Args) > 0 {
		text = "This very command may reach " + list(g.Hosts)
	}
	return text + boundsText(g)
}

// boundsText is for whom, beside what, where and how long a grant of either kind holds.
func boundsText(g toolspec.Grant) string {
	text := ""
	if g.Party != "" {
		text += ", when " + g.Party + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + list(g.Outside) + " was read"
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
