package wire

import "time"

// Note is one note: Name without ending, Path absolute, Preview how it begins.
type Note struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Preview  string    `json:"preview,omitempty"`
}

// NoteList are notes, the newest first.
type NoteList struct {
	Notes []Note `json:"notes"`
}

// NoteHit is one line of a note that holds what was searched for.
type NoteHit struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NoteHits are the lines a search found.
type NoteHits struct {
	Hits []NoteHit `json:"hits"`
}
