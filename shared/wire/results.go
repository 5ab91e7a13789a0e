package wire

import "time"

// StoredResult describes a stored result without its text. Its Owner (toolspec.Provenance.Owner) may read it. Sources
// and PrivateSources are those of the toolspec.Result and apply to each part of it.
type StoredResult struct {
	ID             string    `json:"id"`
	Owner          string    `json:"owner"`
	Conversation   string    `json:"conversation,omitempty"`
	Tool           string    `json:"tool"`
	Call           string    `json:"call"`
	Bytes          int64     `json:"bytes"`
	Lines          int       `json:"lines"`
	Cut            bool      `json:"cut,omitempty"`
	Sources        []string  `json:"sources,omitempty"`
	PrivateSources []string  `json:"read,omitempty"`
	Time           time.Time `json:"time"`
}
