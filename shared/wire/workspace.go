package wire

import "time"

// FileText is a file in an editor. Missing is true if the file does not exist but can be created. Problem says why the
// text is not shown: the file is not text, too large or closed to tools. It is "" if the text is shown.
type FileText struct {
	// Path is absolute, with links resolved. DisplayPath is the path as it is shown to people: relative to the
	// workspace folder for a file in it.
	Path        string `json:"path"`
	DisplayPath string `json:"shown"`
	Name        string `json:"name"`
	Text        string `json:"text"`
	// Version identifies the content of the file. A request to save names the version that it replaces; "" means that
	// there is no file.
	Version string `json:"version"`
	// Stamp changes whenever the file does. PathStamps contains the same stamps.
	Stamp    string    `json:"stamp"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Encoding names the encoding of the file for people.
	Encoding string `json:"encoding,omitempty"`
	// Kind is the MIME type that was detected from the first bytes.
	Kind    string `json:"kind,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	Problem string `json:"problem,omitempty"`
	// ReadOnly says why the editor cannot change the file, "" if it can.
	ReadOnly string `json:"read_only,omitempty"`
}

// FolderRow is an entry of a folder. Kind is file, folder, link or a description of another kind.
type FolderRow struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Kind     string    `json:"kind"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	// Ignored is true if a .gitignore excludes the entry. Hidden is true if the name begins with a dot.
	Ignored bool `json:"ignored,omitempty"`
	Hidden  bool `json:"hidden,omitempty"`
}

// Folder contains the entries of a folder, folders first. More is the number of entries that are not listed.
type Folder struct {
	Path        string      `json:"path"`
	DisplayPath string      `json:"shown"`
	Stamp       string      `json:"stamp"`
	Rows        []FolderRow `json:"rows"`
	More        int         `json:"more,omitempty"`
}

// PathStamps maps paths to stamps, which are "" for paths that do not exist or are closed to tools.
type PathStamps struct {
	Stamps map[string]string `json:"stamps"`
}

// FoundPaths contains the workspace files with a path that matches a search, the best match first.
type FoundPaths struct {
	Paths []string `json:"paths"`
	More  bool     `json:"more,omitempty"`
}

// TrashItem is a deleted file or folder. Path is the absolute path from which it was deleted.
type TrashItem struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"`
	Name   string    `json:"name"`
	Folder bool      `json:"folder,omitempty"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
}

// TrashList contains the content of the trash.
type TrashList struct {
	Items []TrashItem `json:"items"`
}
