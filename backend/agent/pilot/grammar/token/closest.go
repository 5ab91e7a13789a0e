package token

import "slices"

// maxCorrected is how many words of a text are corrected.
const maxCorrected = 8

// Corrected returns text with each of its misspelled words of minLength letters corrected alone, and at last with all
// of them. The first word becomes one of verbs, the others names or words that mean something.
func Corrected(text string, minLength int, verbs, names []string) []string {
	var all []string
	whole, shift := text, 0
	known := slices.Concat(verbs, names, knownWords())
	for i, t := range Split(text) {
		if i >= maxCorrected || t.Quoted || len(t.Word) < minLength || Meaning(t.Word) != t.Word ||
			slices.Contains(known, t.Word) {
			continue
		}
		near := Closest(t.Word, known)
		isPlural := near == t.Word+"s" || near+"s" == t.Word
		if near == "" || isPlural || i == 0 && !slices.Contains(verbs, near) || i > 0 && Meaning(near) == "" {
			continue
		}
		all = append(all, text[:t.Start]+near+text[t.End:])
		whole = whole[:t.Start+shift] + near + whole[t.End+shift:]
		shift += len(near) - (t.End - t.Start)
	}
	if len(all) > 1 {
		all = append(all, whole)
	}
	return all
}

// Closest returns the name with the smallest edit distance to word, "" if no name is close.
func Closest(word string, names []string) string {
	if len(word) > 64 {
		return ""
	}
	best, most := "", min(3, max(1, len(word)/3))
	for _, n := range names {
		if len(word) < 3 {
			break
		}
		if d := distance(word, n); d <= most {
			best, most = n, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and transpositions of bytes (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
