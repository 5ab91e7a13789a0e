// Package policy decides whether a call runs, asks the person or is refused, by the same rules for every caller
// (decision 10).
//
// Decide is a pure function of its Input. It uses facts (definition, hosts, target, provenance, grants) and not a
// model's description of them. A grant answers a question; it does not override a refusal. A call that needs a question
// is refused if nobody can answer, and the refusal suggests how to allow it.
//
// It is not the sandbox and not the dialer: they check the address that a host name resolves to, and the file that a
// path leads to.
package policy

import (
	"bytes"
	"encoding/json"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Mode is how much runs without a question.
type Mode string

// The four modes. ReadOnly refuses changes. Ask is the default. Workspace changes files in the workspace folder without
// a question, but does not delete them. Full omits most questions, but not those after outside text, in sensitive
// places and outside the sandbox.
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
	// Mode is treated as ModeAsk if it is not valid.
	Mode Mode
	// AllowHosts are hosts that an option or setting allows, as host or host:port.
	AllowHosts []string
	// Folder is the absolute path of the workspace folder.
	Folder string
	// DisabledGroups are groups of baseline tools that are switched off. DisabledTools are single tools of any origin.
	DisabledGroups, DisabledTools []string
	// AllowTools are the keys (see ToolKey) of tools that the person allowed. AskTools are the names of tools that ask
	// at each call.
	AllowTools, AskTools []string
}

// Input is everything that a decision depends on.
type Input struct {
	// Call has canonical arguments: validated, and with the defaults filled in.
	Call        toolspec.Call
	Definition  toolspec.Definition
	Description toolspec.Description
	Settings    Settings
	// PanelTools are the tools of other owners that the calling panel's manifest lists, nil for other callers.
	PanelTools []string
	// Grants are all grants and rules, including those for other calls.
	Grants []toolspec.Grant
	// OpenedHosts are hosts that the person opened earlier in this session by typing them.
	OpenedHosts []string
	// UsedHosts are hosts that permitted calls of this session contacted.
	UsedHosts []string
	// UsedSecrets are the uses of secrets that the person allowed in this conversation.
	UsedSecrets []toolspec.SecretUse
	// Card is the permission card of a run that nobody watches, nil for other calls.
	Card *toolspec.Card
	// Now is the creation time of the grants that the answers would store.
	Now time.Time
}

// Verdict is the outcome of a Decision.
type Verdict string

// The verdicts. VerdictAsk asks the person before the call runs.
const (
	VerdictAllow  Verdict = "allow"
	VerdictAsk    Verdict = "ask"
	VerdictRefuse Verdict = "refuse"
)

// Decision is the result of Decide.
type Decision struct {
	Verdict Verdict
	// Reason is a sentence that explains the verdict.
	Reason string
	// GrantID is the id of the grant that answered the question, or of the rule that refused the call, "" if there is
	// none.
	GrantID string
	// ErrorType and Suggestion are set for a refusal.
	ErrorType  toolspec.ErrorType
	Suggestion string
	// Try is true if a trial of the call may lead to another decision, or to a question about what the call really
	// does. See toolspec.Description.Trial.
	Try bool
	// Parks is true for a refusal that ends the run of a schedule until the person has decided. Approval.Question is
	// then what the call wanted to do.
	Parks bool
	// Approval is the question, complete except for ID and Asked.
	Approval event.Approval
	// Grants are the grants, without ids, that each answer would store.
	Grants map[event.Answer]toolspec.Grant
	// OpenedHosts are the hosts of this call that the person typed in this turn, which opens them for the session.
	OpenedHosts []string
	// ContactedHosts are the normalized hosts that the call would contact, none for a call on an open page. If the call
	// is permitted, they belong in Input.UsedHosts of later calls.
	ContactedHosts []string
}

// Decide returns whether a call runs, asks the person or is refused.
func Decide(in Input) Decision {
	f := newFacts(in)
	d := f.decide()
	if f.actsOnOpenPage() {
		return d
	}
	d.ContactedHosts = f.hosts
	if d.Verdict != VerdictRefuse {
		d.OpenedHosts = f.typedHosts()
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
	reasons := f.reasons()
	if f.in.Card != nil {
		return f.decideByCard(reasons)
	}
	if len(reasons) == 0 {
		return Decision{Verdict: VerdictAllow, Reason: f.allowReason()}
	}
	for _, g := range f.in.Grants {
		if f.coveredBy(g) {
			return Decision{Verdict: VerdictAllow, Reason: "You allowed it: " + g.Text, GrantID: g.ID}
		}
	}
	if d, answered := f.answeredByOption(); answered && !f.isAskingTool() {
		return d
	}
	var d Decision
	if f.in.Call.From.Interactive {
		d = f.ask(reasons)
	} else {
		d = f.refuseUnattended(reasons)
	}
	d.Try = f.isSettledByTrial(reasons)
	return d
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
	enc.SetEscapeHTML(false) // the question shows the arguments
	if err := enc.Encode(v); err != nil {
		return args
	}
	return bytes.TrimSpace(b.Bytes())
}
