package value

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/grammar/token"
)

// Path reads a file that is named with its ending or its folder, or in quotes.
func Path(ts []token.Token) ([]Parsed, string) {
	rest := token.Skip(ts, "the file")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].Text
	if !rest[0].Quoted {
		path = withoutPunctuation(path)
		if !strings.ContainsAny(path, "./\\~") {
			return nil, "A file is named with its ending or its folder, for example notes.txt. Put other names " +
				"in quotes."
		}
	}
	if path == "" {
		return nil, ""
	}
	text := Quoted(path)
	if !strings.ContainsAny(path, "./\\~") {
		text = token.Quote(path)
	}
	return []Parsed{{len(ts) - len(rest) + 1, path, text}}, ""
}

// Folder reads a path of any form: where a folder is expected, even "src" is one.
func Folder(ts []token.Token) ([]Parsed, string) {
	rest := token.Skip(ts, "the folder directory")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].Text
	if !rest[0].Quoted {
		path = withoutPunctuation(path)
	}
	if path == "" {
		return nil, ""
	}
	return []Parsed{{len(ts) - len(rest) + 1, path, Quoted(path)}}, ""
}

// fileEndings are endings of files that host names hardly ever have, except .md.
const fileEndings = "txt md json csv tsv go js ts html css yaml yml toml xml log sql ini conf diff patch svelte py zip"

// documentEndings are endings of documents that no host name has, since they are no top-level domains.
const documentEndings = "txt csv json log pdf html xml yaml yml toml docx xlsx png jpg db mp4"

// IsDocument reports whether a name can only be a file.
func IsDocument(t token.Token) bool {
	at := strings.LastIndexByte(t.Word, '.')
	return at > 0 && !t.Quoted && !strings.Contains(t.Word, "/") &&
		slices.Contains(strings.Fields(documentEndings), t.Word[at+1:])
}

// IsEnding reports whether a word is the ending of many files' names.
func IsEnding(word string) bool {
	return slices.Contains(strings.Fields(fileEndings+" "+documentEndings), word)
}

// PlainFile reads a name with a file's ending: "open notes.txt" may mean the file.
func PlainFile(ts []token.Token) ([]Parsed, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	name := ts[0].Word
	at := strings.LastIndexByte(name, '.')
	if strings.Contains(name, "://") || at <= 0 || !IsEnding(name[at+1:]) {
		return nil, ""
	}
	return Path(ts)
}

// FileName reads a file as PlainFile does. Its value is printed in quotes, as a text is.
func FileName(ts []token.Token) ([]Parsed, string) {
	all, why := PlainFile(ts)
	for i := range all {
		all[i].Text = token.Quote(fmt.Sprint(all[i].Arg))
	}
	return all, why
}

// withoutPunctuation returns a path without what ends a sentence. "." and ".." stay.
func withoutPunctuation(path string) string {
	path = strings.TrimRight(path, ",;:?!")
	if strings.Trim(path, "./") != "" {
		path = strings.TrimRight(path, ".")
	}
	return path
}
