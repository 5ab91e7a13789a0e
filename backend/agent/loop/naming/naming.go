// Package naming generates the ids of messages, turns and calls, and the titles of conversations.
package naming

import (
	"crypto/rand"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NewID returns nine random letters and digits, after prefix and "_" unless prefix is "". Without prefix it has the
// format that the strictest providers accept for calls. 53 random bits are enough for one person's history.
func NewID(prefix string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 0, 9)
	var b [16]byte
	for len(id) < 9 {
		_, _ = rand.Read(b[:]) // never fails: it would crash the program
		for _, x := range b {
			if x < 248 && len(id) < 9 {
				id = append(id, alphabet[x%62])
			}
		}
	}
	if prefix == "" {
		return string(id)
	}
	return prefix + "_" + string(id)
}

// Title returns the first line of text as a title, cut after 60 characters.
func Title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(line), " ")
	const most = 60
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	cut := string([]rune(line)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// PlainTitle returns task without quotation marks, question marks and unprintable characters. A model wrote the task,
// and these would break a question to the user that quotes it.
func PlainTitle(task string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("“”\"?", r), !unicode.IsPrint(r) && !unicode.IsSpace(r):
			return -1
		}
		return r
	}, task)
}
