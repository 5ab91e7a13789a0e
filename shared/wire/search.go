package wire

import (
	"time"

	"sextant/shared/chat"
)

// SearchPage is one page of what a search found, the newest messages first.
type SearchPage struct {
	Hits []SearchHit `json:"hits"`
	// Next is the cursor of the next page, 0 for none.
	Next int64 `json:"next,omitempty"`
	// Indexing is true while older messages are still being indexed, so that they may be missing.
	Indexing bool `json:"indexing,omitempty"`
}

// SearchHit is a message that a search found. Snippet may be outside text.
type SearchHit struct {
	Conversation string `json:"conversation"`
	Title        string `json:"title"`
	Message      string `json:"message"`
	// Call is the call whose arguments or result were found, "" for none.
	Call string `json:"call,omitempty"`
	// Seq is the sequence number of the message's first event.
	Seq    int64  `json:"seq"`
	Turn   string `json:"turn,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Shown is false if the message is only in a branch that is not the active one.
	Shown   bool          `json:"shown"`
	Role    chat.Role     `json:"role"`
	Time    time.Time     `json:"time"`
	Snippet []SnippetPart `json:"snippet"`
	// Parent is the call that started the conversation, nil for a person's own conversation.
	Parent *CallPlace `json:"parent,omitempty"`
}

// CallPlace says where a call is. Seq is the sequence number of its first event.
type CallPlace struct {
	Conversation string `json:"conversation"`
	Call         string `json:"call"`
	Seq          int64  `json:"seq"`
}

// SnippetPart is a piece of a snippet.
type SnippetPart struct {
	Text    string `json:"text"`
	IsMatch bool   `json:"match,omitempty"`
}
