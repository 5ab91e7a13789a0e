package token

import (
	"slices"
	"strings"
)

// meanings are words with the word for their meaning, which is the first of a line. Words that are not listed mean
// themselves.
const meanings = `click press hit push tap
select choose pick
what which what's whats
all everything every
check tick enable
uncheck untick disable deselect unselect
type write input put fill insert
set change switch adjust
close shut hide
clear empty wipe reset
scroll move slide
back backwards backward return previous
forward forwards next ahead
reload refresh
new another fresh extra additional blank
screenshot screenshots screengrab screencap snapshot snap capture picture photo foto pic ss image shot
bookmark favourite favorite fav
bookmarks bookmarked favourites favorites favs
history visit visited visits
downloads download downloaded downloading
web internet online net
files documents
file document
folder directory
size big large
undo revert reverse rollback
wait pause hold sleep
read recite
text content contents words writing
headings outline structure
selected selection highlighted
system computer machine pc
sidebar bar
find locate spot
search lookup look
page site website webpage
basket cart bag
whole full entire complete
top start beginning
bottom end
numbers numbered annotations marks labels
annotate number label
settings preferences options`

// Fields are the roles of elements that text is typed into.
const Fields = "textbox searchbox combobox spinbutton"

// fillers are words that add nothing to what a command means.
const fillers = `the a an this that these those my your our me i i'd i'll i'm im we us it its it's is are was be been am to of
	for from in into on onto at with by as so and then now please can could would will want wants wanna like love
	need let let's lets get got give take make do does did has have had just also here there some any out over
	quickly kindly yo lol
	you u ur pls plz oh no oops sorry mate ta looking today mind only front well um very bit little
	more further details try able possible go going open show display see view bring tell list again where's were
	where too about currently current away really actually maybe perhaps somehow sure dear one thing things called
	named kind using use via available existing moment inside within`

// weakWords name what a command is about anyway, so that they may be left over.
const weakWords = `what all page browser screen window app thing button link item field box menu panel option value
	filter section`

// negations are words that turn a command into something else.
const negations = `not don't dont never without if unless why who when should than nor instead except but before
	after whether until`

var meaningOf = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(meanings) {
		words := strings.Fields(line)
		for _, w := range words {
			all[w] = words[0]
		}
	}
	for w := range strings.FieldsSeq(fillers) {
		all[w] = ""
	}
	return all
}()

// Meaning returns the word for what a word means, "" if it adds nothing.
func Meaning(word string) string {
	if meaning, known := meaningOf[word]; known {
		return meaning
	}
	for _, ending := range []string{"ing", "s"} {
		stem, cut := strings.CutSuffix(word, ending)
		for _, one := range []string{stem, stem + "e"} {
			if meaning, known := meaningOf[one]; cut && known && meaning != "" {
				return meaning
			}
		}
	}
	return word
}

// knownWords returns the words that mean something, sorted.
func knownWords() []string {
	var all []string
	for word, meaning := range meaningOf {
		if meaning != "" {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// IsWeak reports whether a meaning may be left over.
func IsWeak(meaning string) bool {
	return meaning != "" && slices.Contains(strings.Fields(weakWords), meaning)
}

// Negates reports whether words may turn a command into its opposite, or into a question how to do it.
func Negates(ts []Token) bool {
	for i, t := range ts {
		asksHow := i > 0 && IsOneOf(ts[i-1], "how") && IsOneOf(t, "do to can could should would")
		if IsOneOf(t, negations) || asksHow {
			return true
		}
	}
	return false
}

// SoleName returns the only word of letters that means something, which may be the name of a website: "open reddit".
func SoleName(ts []Token) string {
	name := ""
	for _, t := range ts {
		isOther := func(r rune) bool { return r < 'a' || r > 'z' }
		switch meaning := Meaning(t.Word); {
		case t.Quoted || meaning != t.Word && meaning != "":
			return ""
		case meaning == "" || IsWeak(meaning):
		case name != "" || len(t.Word) < 4 || strings.ContainsFunc(t.Word, isOther):
			return ""
		default:
			name = t.Word
		}
	}
	return name
}

// IsContent reports whether words are what to put into a file, rather than what to write: "a poem about tea".
func IsContent(ts []Token) bool {
	ts = WithoutNoun(ts)
	return len(ts) <= 2 || !IsOneOf(ts[0], "a an the some me")
}

// RolesOf returns the roles of the elements that a word such as "links" is for.
func RolesOf(t Token) string {
	switch strings.TrimSuffix(t.Word, "s") {
	case "link", "button", "checkbox":
		return strings.TrimSuffix(t.Word, "s")
	case "field", "box":
		return Fields
	}
	return ""
}
