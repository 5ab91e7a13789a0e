// Package policy decides whether a call runs, asks the person or is refused. There is one Decide for every caller
// (decision 10): model, person, panel, created tool, HTTP and MCP client, command line. No argument of a call skips it.
//
// The contract: Decide is a pure function of its Input. It reads facts (definition, hosts, target, provenance, grants),
// never a model's wording of them. No grant lifts a refusal; a grant only answers a question, and covers exactly what
// its text says. What would ask where nobody can answer is refused, and the refusal names the option or setting that
// allows it.
//
// It is not the sandbox and not the dialer: a host name that resolves to a private address is judged when it is dialed,
// a path when it is opened.
package policy

import (
	"bytes"
	"encoding/json"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Mode says how much runs without a question. Only the person changes it.
type Mode string

// The four modes. ReadOnly refuses what changes anything. Ask is the default. Workspace changes files in the workspace
// folder without a question, but does not delete them. Full asks only where text from outside could be behind the call,
// in sensitive places, outside of the sandbox and for the network of commands.
const (
	ModeReadOnly  Mode = "read-only"
	ModeAsk       Mode = "ask"
	ModeWorkspace Mode = "workspace"
	ModeFull      Mode = "full"
)

// Valid reports whether m is one of the four modes.
func (m Mode) Valid() bool {
	return m == ModeReadOnly || m == ModeAsk || m == ModeWorkspace || m == ModeFull
}

// Settings are the settings that a decision depends on. They are read for each call.
type Settings struct {
	// Mode counts as Ask when it is not valid.
	Mode Mode
	// AllowHosts are hosts that an option or setting opens, as host or host:port.
	AllowHosts []string
	// Folder is the workspace folder, absolute.
	Folder string
	// DisabledGroups are the groups of baseline tools that are switched off, DisabledTools single tools of any origin.
	DisabledGroups, DisabledTools []string
	// AllowTools are the tools that the person allowed, as ToolKey names them; AskTools those that ask, by name.
	AllowTools, AskTools []string
}

// Input is everything that a decision depends on.
type Input struct {
	// Call has canonical arguments (validated, defaults filled in).
	Call        toolspec.Call
	Definition  toolspec.Definition
	Description toolspec.Description
	Settings    Settings
	// PanelTools are the tools of others that the calling panel's manifest names; none for any other caller.
	PanelTools []string
	// Grants are all grants and rules, also those that are not about this call.
	Grants []toolspec.Grant
	// OpenedHosts are hosts that a person opened earlier in this session by typing them.
	OpenedHosts []string
	// UsedHosts are hosts that permitted calls of this session contacted.
	UsedHosts []string
	// UsedSecrets are the uses of secrets that the person allowed in this conversation.
	UsedSecrets []toolspec.SecretUse
	// Now is when grants made from the answer were created.
	Now time.Time
}

// Verdict is the outcome of a Decision.
type Verdict string

// The verdicts.
const (
	VerdictAllow  Verdict = "allow"
	VerdictAsk    Verdict = "ask"
	VerdictRefuse Verdict = "refuse"
)

// Decision is the outcome of Decide.
type Decision struct {
	Verdict Verdict
	// Reason is a sentence that says why it runs, asks or is refused.
	Reason string
	// Grant is the id of the grant that answered the question, "" for none.
	Grant string
	// ErrorType and Suggestion belong to a refusal.
	ErrorType  toolspec.ErrorType
	Suggestion string
	// Approval is the question, complete except for ID and Asked.
	Approval event.Approval
	// Grants are the grants that the answers would store, without id.
	Grants map[event.Answer]toolspec.Grant
	// Opens are hosts that this call opens for the session because a person typed them.
	Opens []string
	// Contacts are the hosts that the call contacts, normalized, for Input.UsedHosts of later calls.
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
	if d.Verdict != VerdictRefuse {
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
		return Decision{Verdict: VerdictAllow, Reason: f.allowReason()}
	}
	for _, g := range f.in.Grants {
		if f.coveredBy(g) {
			return Decision{Verdict: VerdictAllow, Reason: "You allowed it: " + g.Text, Grant: g.ID}
		}
	}
	if d, answered := f.answeredByOption(); answered && !f.isAskingTool() {
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
	enc.SetEscapeHTML(false) // the question shows it
	if err := enc.Encode(v); err != nil {
		return args
	}
	return bytes.TrimSpace(b.Bytes())
}
