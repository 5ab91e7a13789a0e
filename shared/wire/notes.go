package wire

import "time"

// Note is a note. Name has no extension, Path is absolute, and Preview is the beginning of the text.
type Note struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Preview  string    `json:"preview,omitempty"`
}

// NoteList contains notes, the latest first.
type NoteList struct {
	Notes []Note `json:"notes"`
}

// NoteHit is a line of a note that matches a search.
type NoteHit struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NoteHits contains the lines that match a search.
type NoteHits struct {
	Hits []NoteHit `json:"hits"`
}
