package wire

import "time"

// FileText is a file as an editor holds it. Missing is true of one that is not there, which may
// be made; Problem says why its text is not shown ("" when it is): it is no text, too large or
// closed.
type FileText struct {
	// Path is absolute, links followed; Shown is it for people, from the workspace folder when it
	// lies in it.
	Path  string `json:"path"`
	Shown string `json:"shown"`
	Name  string `json:"name"`
	Text  string `json:"text"`
	// Version names what the file holds: what is saved over it names it again. "" is none.
	Version string `json:"version"`
	// Stamp changes when the file does, as PathStamps has it.
	Stamp    string    `json:"stamp"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Encoding is how the file holds its text, for people.
	Encoding string `json:"encoding,omitempty"`
	// Kind is the MIME type by the first bytes.
	Kind    string `json:"kind,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	Problem string `json:"problem,omitempty"`
	// ReadOnly is why it may not be changed here, "" when it may.
	ReadOnly string `json:"read_only,omitempty"`
}

// FolderRow is one entry of a folder: Kind is file, folder, link or another kind, for a person.
type FolderRow struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Kind     string    `json:"kind"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Ignored is what a .gitignore leaves out, Hidden what begins with a dot.
	Ignored bool `json:"ignored,omitempty"`
	Hidden  bool `json:"hidden,omitempty"`
}

// Folder is what lies in a folder, folders first. More is how many entries are not listed.
type Folder struct {
	Path  string      `json:"path"`
	Shown string      `json:"shown"`
	Stamp string      `json:"stamp"`
	Rows  []FolderRow `json:"rows"`
	More  int         `json:"more,omitempty"`
}

// PathStamps are stamps by path, "" for what is not there.
type PathStamps struct {
	Stamps map[string]string `json:"stamps"`
}

// FoundPaths are files of the workspace by words of their path, the nearest first.
type FoundPaths struct {
	Paths []string `json:"paths"`
	More  bool     `json:"more,omitempty"`
}

// TrashItem is what was thrown away; Path is where it lay, absolute.
type TrashItem struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"`
	Name   string    `json:"name"`
	Folder bool      `json:"folder,omitempty"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
}

// TrashList is what is in the trash.
type TrashList struct {
	Items []TrashItem `json:"items"`
}
