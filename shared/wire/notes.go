package wire

import "time"

// Note is one note: its Name without extension, its absolute Path, and the Preview of its beginning.
type Note struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Preview  string    `json:"preview,omitempty"`
}

// NoteList holds notes, the newest first.
type NoteList struct {
	Notes []Note `json:"notes"`
}

// NoteHit is one line of a note that matches a search.
type NoteHit struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// NoteHits are the lines that match a search.
type NoteHits struct {
	Hits []NoteHit `json:"hits"`
}
