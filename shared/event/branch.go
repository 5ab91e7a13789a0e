package event

// Branch is an alternative continuation of a conversation and the data of branch.started. Later messages belong to this
// branch until another branch is chosen; the other branches remain. The first branch of a conversation has the id "".
type Branch struct {
	ID string `json:"id"`
	// After is the last message that the branch shares with the branch from which it forks, "" for none.
	After string `json:"after,omitempty"`
	// Replaces is the person's message that this branch replaces. It is "" if the same message is answered again.
	Replaces string `json:"instead,omitempty"`
}

// BranchRef is the data of branch.chosen.
type BranchRef struct {
	ID string `json:"id"`
}
