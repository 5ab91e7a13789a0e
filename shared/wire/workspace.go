package wire

import "time"

// FileText is a file in an editor. Missing is true of a file that does not exist and can be created. Problem
// says why the text is not shown ("" when it is): the file is not text, too large or closed to tools.
type FileText struct {
	// Path is absolute with links resolved. Shown is the path for people, relative to the workspace folder if
	// it is in it.
	Path  string `json:"path"`
	Shown string `json:"shown"`
	Name  string `json:"name"`
	Text  string `json:"text"`
	// Version identifies the content of the file; a save names the version that it replaces. "" is no file.
	Version string `json:"version"`
	// Stamp changes when the file does, as in PathStamps.
	Stamp    string    `json:"stamp"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Encoding is the encoding of the file, for people.
	Encoding string `json:"encoding,omitempty"`
	// Kind is the MIME type detected from the first bytes.
	Kind    string `json:"kind,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	Problem string `json:"problem,omitempty"`
	// ReadOnly says why the file cannot be changed here, "" when it can.
	ReadOnly string `json:"read_only,omitempty"`
}

// FolderRow is one entry of a folder. Kind is file, folder, link or another kind in words.
type FolderRow struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Kind     string    `json:"kind"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Ignored is true of what a .gitignore excludes, Hidden of a name that begins with a dot.
	Ignored bool `json:"ignored,omitempty"`
	Hidden  bool `json:"hidden,omitempty"`
}

// Folder is the content of a folder, folders first. More counts the entries that are not listed.
type Folder struct {
	Path  string      `json:"path"`
	Shown string      `json:"shown"`
	Stamp string      `json:"stamp"`
	Rows  []FolderRow `json:"rows"`
	More  int         `json:"more,omitempty"`
}

// PathStamps are stamps by path, "" for a path that does not exist.
type PathStamps struct {
	Stamps map[string]string `json:"stamps"`
}

// FoundPaths are the workspace files whose path matches a search, the best first.
type FoundPaths struct {
	Paths []string `json:"paths"`
	More  bool     `json:"more,omitempty"`
}

// TrashItem is a deleted file or folder. Path is where it was, absolute.
type TrashItem struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"`
	Name   string    `json:"name"`
	Folder bool      `json:"folder,omitempty"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
}

// TrashList is the content of the trash.
type TrashList struct {
	Items []TrashItem `json:"items"`
}
