package wire

import "time"

// KeptResult is what is known of a result that is kept whole, beside its text.
//
// Owner is whose it is (toolspec.Provenance.Owner): nobody else reads it. Sources and Read are
// those of the toolspec.Result it was: each part of it is as much from outside as the whole.
type KeptResult struct {
	ID           string    `json:"id"`
	Owner        string    `json:"owner"`
	Conversation string    `json:"conversation,omitempty"`
	Tool         string    `json:"tool"`
	Call         string    `json:"call"`
	Bytes        int64     `json:"bytes"`
	Lines        int       `json:"lines"`
	Cut          bool      `json:"cut,omitempty"`
	Sources      []string  `json:"sources,omitempty"`
	Read         []string  `json:"read,omitempty"`
	Time         time.Time `json:"time"`
}
