package scripts

import "strings"

// AwkHasEffects reports whether an awk program may do more than print to standard output. It counts any > after a print
// as writing, even a comparison.
func AwkHasEffects(program string) bool {
	bare := program
	if !strings.ContainsAny(program, "/#") {
		// Without patterns and comments, every quotation mark belongs to a string.
		bare = withoutStrings(program)
	}
	for _, word := range []string{"system", "getline", "@", "close", "fflush", "ENVIRON", "/inet", "ARGV"} {
		if strings.Contains(program, word) {
			return true
		}
	}
	bare = strings.ReplaceAll(bare, "||", "")
	if strings.Contains(bare, "|") {
		return true
	}
	// It does not look for the end of the statement, because a string may contain a semicolon.
	at := strings.Index(bare, "print")
	return at >= 0 && strings.Contains(bare[at:], ">")
}

// withoutStrings removes the strings of an awk program, except an unterminated one.
func withoutStrings(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			out.WriteByte(s[i])
			continue
		}
		end := i + 1
		for end < len(s) && s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s) {
			return out.String() + s[i:]
		}
		i = end
	}
	return out.String()
}
