package event

// Branch is an alternative continuation of a conversation: the data of branch.started. What comes after it belongs
// to this branch until another one is chosen; the others stay. The first branch of a conversation has the id "".
type Branch struct {
	ID string `json:"id"`
	// After is the last message that it shares with the branch it forks from, "" for none.
	After string `json:"after,omitempty"`
	// Instead is the message of a person that this branch replaces, "" where the same message is answered again.
	Instead string `json:"instead,omitempty"`
}

// BranchRef is the data of branch.chosen.
type BranchRef struct {
	ID string `json:"id"`
}
