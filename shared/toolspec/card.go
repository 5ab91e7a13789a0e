package toolspec

import (
	"slices"

	"sextant/shared/subpath"
)

// Card is a permission card: what the calls of a run that nobody watches may use. A person signs it once. It answers
// the policy's questions about what it lists; anything else ends the run. It allows nothing that the policy refuses.
type Card struct {
	// Tools are the tools with an effect. Tools that only read need no entry.
	Tools []string `json:"tools,omitempty"`
	// Hosts are the hosts that may be contacted, as host or host:port in lower case.
	Hosts []string `json:"hosts,omitempty"`
	// PageEffects are what pressing something on a page may do there: send, post, pay or delete.
	PageEffects []string `json:"page_effects,omitempty"`
	// Files are absolute paths that may be changed, and paths outside of the workspace folder that may be read. A
	// folder includes everything below it.
	Files []string `json:"files,omitempty"`
	// Commands are command lines that may run, byte for byte.
	Commands []string `json:"commands,omitempty"`
	// Secrets are the names of secrets that may be filled in, on the Hosts only.
	Secrets []string `json:"secrets,omitempty"`
	// SignIns is true if its pages begin with the window's sign-ins on Hosts.
	SignIns bool `json:"sign_ins,omitempty"`
	// Acts limits the calls with an effect in one run.
	Acts int `json:"acts"`
}

// Plus returns a card with everything that a or b lists, sorted, and with the sum of their Acts.
func (a Card) Plus(b Card) Card {
	return Card{
		Tools: SortedUnion(a.Tools, b.Tools), Hosts: SortedUnion(a.Hosts, b.Hosts),
		PageEffects: SortedUnion(a.PageEffects, b.PageEffects), Files: SortedUnion(a.Files, b.Files),
		Commands: SortedUnion(a.Commands, b.Commands), Secrets: SortedUnion(a.Secrets, b.Secrets),
		Acts: a.Acts + b.Acts,
	}
}

// Beyond returns what need lists and c does not, each as a phrase such as "the tool click_element". It does not compare
// Acts.
func (c Card) Beyond(need Card) []string {
	var all []string
	add := func(kind string, have, want []string) {
		for _, w := range want {
			if !slices.Contains(have, w) {
				all = append(all, kind+" "+w)
			}
		}
	}
	add("the tool", c.Tools, need.Tools)
	add("the host", c.Hosts, need.Hosts)
	add("what on a page seems to", c.PageEffects, need.PageEffects)
	add("the command", c.Commands, need.Commands)
	add("the secret", c.Secrets, need.Secrets)
	for _, file := range need.Files {
		if !slices.ContainsFunc(c.Files, func(have string) bool { return subpath.IsWithin(file, have) }) {
			all = append(all, "the file "+file)
		}
	}
	return all
}
