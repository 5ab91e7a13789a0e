package scripts

import "strings"

// AwkActs reports whether an awk program may do more than print. A > outside of a text could
// compare or write; anywhere after a print it counts as writing.
func AwkActs(program string) bool {
	bare := program
	if !strings.ContainsAny(program, "/#") {
		// Where there are no patterns and remarks, every quotation mark is one of a text.
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
	// Where a statement ends is not told apart: a text may hold the ; and a line go on after a comma.
	at := strings.Index(bare, "print")
	return at >= 0 && strings.Contains(bare[at:], ">")
}

// withoutStrings takes quoted texts out of an awk program. One that does not end is left in.
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
