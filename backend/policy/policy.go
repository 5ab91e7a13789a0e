// Package policy decides whether a call may run: it may, a person has to be asked, or it
// may not. There is one Decide for every caller (ARCHITECTURE 10): model, person, panel,
// created tool, HTTP and MCP client, command line. No argument of a call skips it.
//
// The contract: Decide is a pure function of its Input. It reads facts (definition, hosts,
// target, provenance, grants), never a model's wording of them. A refusal cannot be turned
// into anything else by a grant; a grant only answers a question, and covers exactly what
// its text says. What would have to be asked where nobody can be is refused, and the
// refusal names the option or setting that allows it.
//
// It is not the sandbox and not the dialer: a host name that resolves to a private address
// is judged when it is dialled, a path when it is opened.
package policy

import (
	"bytes"
	"encoding/json"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Mode is how much runs without a question. It is always visible in the window and never
// changes by itself.
type Mode string

// The four modes. ReadOnly refuses what changes anything; Ask is the default; Workspace
// lets files in the workspace folder be changed, but not deleted, without a question; Full asks
// only where outside text could be steering, in sensitive places, outside of the sandbox and for
// the network of commands.
const (
	ReadOnly  Mode = "read-only"
	Ask       Mode = "ask"
	Workspace Mode = "workspace"
	Full      Mode = "full"
)

// Valid reports whether m is one of the four modes.
func (m Mode) Valid() bool {
	return m == ReadOnly || m == Ask || m == Workspace || m == Full
}

// Settings is what stands outside of a call and is read anew for each.
type Settings struct {
	// Mode; an unknown one counts as Ask.
	Mode Mode
	// AllowHosts are hosts opened by option or setting: host or host:port.
	AllowHosts []string
	// Folder is the workspace folder, absolute.
	Folder string
	// DisabledGroups are the groups of our own tools that are switched off, OffTools single tools of any origin.
	DisabledGroups, DisabledTools []string
	// AllowTools are those that the person allowed, as Key writes them; AskTools those that ask, by
	// name.
	AllowTools, AskTools []string
}

// Input is everything a decision depends on.
type Input struct {
	// Call has canonical arguments (validated, defaults filled in).
	Call        toolspec.Call
	Definition  toolspec.Definition
	Description toolspec.Description
	Settings    Settings
	// PanelTools are the tools beside its own that the calling panel's manifest names; other
	// callers have none.
	PanelTools []string
	// Grants are all standing permissions; those that do not fit are passed over.
	Grants []toolspec.Grant
	// OpenedHosts are hosts a person opened earlier in this session by typing them.
	OpenedHosts []string
	// UsedHosts are hosts that tools already talked to, with leave, in this session.
	UsedHosts []string
	// UsedSecrets are the uses of secrets that a person said yes to in this conversation, as
	// SecretUse.
	UsedSecrets []toolspec.SecretUse
	// Now is the time grants made from the answer carry.
	Now time.Time
}

// Verdict is what a Decision comes to.
type Verdict string

// The verdicts.
const (
	Allow    Verdict = "allow"
	Question Verdict = "ask"
	Refuse   Verdict = "refuse"
)

// Decision is the outcome of Decide.
type Decision struct {
	Verdict Verdict
	// Reason is a sentence: why it may run, why it asks, why it may not.
	Reason string
	// Grant is the id of the grant that answered the question, "" for none.
	Grant string
	// ErrorType and Suggestion belong to a refusal.
	ErrorType  toolspec.ErrorType
	Suggestion string
	// Approval is the question, complete but for ID, Call's id aside, and Asked.
	Approval event.Approval
	// Grants holds what is kept for each answer that keeps something; without id.
	Grants map[event.Answer]toolspec.Grant
	// Opens are hosts that running this call opens for the session because a person
	// typed them.
	Opens []string
	// Contacts are the hosts the call talks to, normalised, for Input.Used later.
	Contacts []string
}

// Decide judges one call.
func Decide(in Input) Decision {
	f := newFacts(in)
	d := f.decide()
	if f.actsOnOpenPage() {
		return d
	}
	d.Contacts = f.hosts
	if d.Verdict != Refuse {
		d.Opens = f.typedHosts()
	}
	return d
}

func (f facts) decide() Decision {
	for _, refusal := range []func(facts) (Decision, bool){
		refuseScheme, refuseBeyondPanel, refuseDisabled, refuseByRule, refuseClosedHost,
		refuseInReadOnly,
	} {
		if d, refused := refusal(f); refused {
			return d
		}
	}
	doubts := f.doubts()
	if len(doubts) == 0 {
		return Decision{Verdict: Allow, Reason: f.allowReason()}
	}
	for _, g := range f.in.Grants {
		if f.coveredBy(g) {
			return Decision{Verdict: Allow, Reason: "Allowed by you before: " + g.Text, Grant: g.ID}
		}
	}
	if d, yes := f.answeredByOption(); yes && !f.isAskingTool() {
		return d
	}
	if !f.in.Call.From.Interactive {
		return f.refuseUnattended(doubts)
	}
	return f.ask(doubts)
}

func canonical(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	var v any
	if err := decodeNumbers(args, &v); err != nil {
		return args
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read it
	if err := enc.Encode(v); err != nil {
		return args
	}
	return bytes.TrimSpace(b.Bytes())
}
