package event

// Branch is another way for a conversation to go on: the data of branch.started. What comes after
// it stands in this branch until another one is chosen; nothing of the others is lost. The way a
// conversation went at first is the branch "".
type Branch struct {
	ID string `json:"id"`
	// After is the last message that it has in common with the branch it parts from, "" for none.
	After string `json:"after,omitempty"`
	// Instead is the message of a person in whose place other words stand, "" where the same question
	// is answered again.
	Instead string `json:"instead,omitempty"`
}

// BranchRef is the data of branch.chosen.
type BranchRef struct {
	ID string `json:"id"`
}
