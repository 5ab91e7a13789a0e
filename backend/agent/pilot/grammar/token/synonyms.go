package token

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// synonyms are words and phrases with the words of commands that mean the same, separated by commas. They are used only
// for a message that is no command as it is written. Longer phrases come before shorter ones that begin alike.
const synonyms = `make a copy of=copy, throw away=delete, commit log=git log, ctrl f=find, take it back=undo,
	saved pages=bookmarks, saved sites=bookmarks, f5=reload, ctrl+f=find, post code=postcode, postal code=postcode,
	zip code=postcode, commit history=git log, state of my repo=git status, commits=git log,
	save this page for later=bookmark, for later=, load this again=reload, load it again=reload, key in=type,
	uncommitted changes=git status, what i looked at=history, locate=find, since the last commit=in git,
	since last commit=in git, screen grab=screenshot, screen capture=screenshot, hold on=wait,
	file explorer=files panel, file manager=files panel, command prompt=terminal, command line=terminal,
	what's on here=what is on page, this store=site, the store=site, fire up=open, go on=go to, inside=in,
	shopping basket=basket, shopping cart=basket, trash=delete, terminal window=terminal, page out loud=page,
	what i visited=history, to the last page=back, go back to the previous page=back, to the previous page=back,
	all the way down to the end=to the bottom, all the way up to the start=to the top, how it looks in=as,
	how it looks on=as, make a file=new file, make me a file=new file, create me a file=new file, n=and,
	up to the top=to the top, down to the bottom=to the bottom, keep scrolling=scroll, screen shot=screenshot,
	undo my changes=undo, start the command=run, move the mouse over=hover, the shop demo=the demo,
	the previous page=back, capture the screen=screenshot, take that back=undo, browsing history=history,
	preferences=settings, home screen=home, side bar=sidebar, order by=sort by, highlight=find,
	where is the word=find the word, delete what is in=clear, delete the text in=clear, remove the text in=clear,
	all the way up=to the top, all the way down=to the bottom, i'd like to=, i want to=, let's=, we should=,
	help me=, open up=open, bring up=open, pull up=open, head over to=open, head to=open, jump over to=switch to,
	jump to=switch to, launch=open, start=open, view=show, print=show, see=show, show me=show, look at=show,
	look into=show, where do i find=show, get rid of=close, kill=close, one more=new, first tab=tab 1,
	second tab=tab 2, third tab=tab 3, one page back=back, a page back=back, one page forward=forward,
	step back=back, follow=click, mouse over=hover, move to=hover, switch on=check, turn on=check,
	switch off=uncheck, turn off=uncheck, all the way=to the, everything i can=what can i,
	everything that i can=what can i, everything=all, elements=numbers, things=numbers, contents of=, content of=,
	the article=page, download this page=save page, download the page=save page, export=save,
	this to my bookmarks=bookmark, this to bookmarks=bookmark, duckduckgo=google, bing=google, execute=run,
	pause=wait, rm=delete, erase=delete, append=add, history panel=history, mobile=phone, smartphone=phone`

var (
	// courtesyPattern matches what people say before a command: "hey, would you be so kind as to".
	courtesyPattern = regexp.MustCompile(`(?i)^(?:(?:hey|hi|hello|yo|um+|uh+|ok(?:ay)?|please|sextant|` +
		`(?:please )?be so (?:kind|good)(?: as to| and)?|if (?:it|that)(?: is|'s) not too much (?:trouble|to ask)|` +
		`if you (?:do not|don't) mind|when(?:ever)? you (?:have|get|find) (?:a|the|some) ` +
		`(?:moment|minute|second|chance|time)|i was (?:just )?wondering (?:if|whether) you (?:could|can|would)|` +
		`(?:would|could) you be so (?:kind|good)(?: as to)?|i(?:'d| would) (?:be (?:very )?(?:grateful|glad|happy)|` +
		`appreciate it|like it|love it) if you (?:would|could|can))[,.! ]+)+`)
	// The next ones match whole messages: "ctrl+a" for "press ctrl+a" (ctrl+f is a command), "number seventeen",
	// "scroll down twice", "add two fen to the basket", "go to example dot com", "find all *.go files", "grep my folder
	// for TODO", "fill in my postcode, it is 1234" and "one fen and one bog in the basket".
	keyPattern      = regexp.MustCompile(`(?i)^(?:esc|escape|enter|(?:ctrl|control|alt|shift|cmd) ?[+-] ?[^\sf])$`)
	numberedPattern = regexp.MustCompile(`(?i)^(number|(?:click|tap)(?: on)?|press|hover) ([a-z]+(?:[- ][a-z]+)?|\d+)$`)
	timesPattern    = regexp.MustCompile(`(?i)^((?:scroll|page|go back|go forward|back|forward|press|hit|undo)` +
		`(?: [\w+]+){0,3}),? (twice|(?:two|three|four|five|[2-9]) times)$`)
	countPattern = regexp.MustCompile(`(?i)^(?:please |can you |could you |you can )?((?:add|put|throw|drop) )` +
		`(two|three|four|five|[2-5])(?: of(?: the)?)? ([\pL -]+ (?:to|in|into) (?:the |my )?(?:basket|cart|bag))[ ?.!]*$`)
	dotPattern = regexp.MustCompile(`(?i)^(?:go to|goto|open|visit|take me to)(?: the)?(?: website| site| page)?` +
		` [\w-]+(?: dot [\w-]+)+$`)
	globPattern = regexp.MustCompile(`(?i)^((?:find|list|show)(?: me)?(?: all)?(?: the| my)?) \*\.(\w+) files$`)
	grepPattern = regexp.MustCompile(`(?i)^grep (?:(?:the |my )?(?:workspace|folder|files|project|code) )?for (.+?)` +
		`(?: in (?:the |my )?(?:workspace|folder|files|project|code))?$`)
	toFillPattern = regexp.MustCompile(`(?i)^(?:please |can you |could you )*(?:fill|type|enter|put|set)(?: in| out)?` +
		` ([\pL ]{1,40}), it(?: is|'s) (.+)$`)
	basketPattern = regexp.MustCompile(`(?i)^(?:one|an?|1) (.+ (?:in|into|to) (?:the |my )?(?:basket|cart|bag))$`)
	// What people say for "run X", "check X", "sort by price", "open X and open Y", "add X to the basket and add Y to
	// the basket" and "postcode is 1234".
	forMePattern = regexp.MustCompile(`(?i)^((?:execute|launch|start) .+?) for me(?: please)?[.!]?$`)
	onOffPattern = regexp.MustCompile(`(?i)^(please )?(?:switch|turn|make sure(?: that)?) (.+?) ` +
		`(?:is )?(?:switched |turned )?(on|off)[.!]?$`)
	sortPattern   = regexp.MustCompile(`(?i)^(?:please )?(?:order|sort|arrange|rank)\b.{0,40}? by (.+)$`)
	bothPattern   = regexp.MustCompile(`(?i)^(.*?)\bboth (.+?) and (.+?)((?: (?:in|into|to) .*)?)$`)
	offersPattern = regexp.MustCompile(`(?i)^(.*\b(?:add|put) )(.+?) and (.+?)( (?:to|in|into) .*(?:basket|cart|bag).*)$`)
	labelPattern  = regexp.MustCompile(`^([\pL]+(?: [\pL]+)?): *([^/].*)$`)
)

// maxPlain bounds the message in bytes.
const maxPlain = 8_000

type synonym struct{ from, to []string }

var knownSynonyms = func() []synonym {
	var all []synonym
	for pair := range strings.SplitSeq(strings.Join(strings.Fields(synonyms), " "), ", ") {
		from, to, _ := strings.Cut(pair, "=")
		all = append(all, synonym{strings.Fields(from), strings.Fields(to)})
	}
	return all
}()

// Plain returns a message of one line with synonyms replaced by the words of commands, outside of quotes.
func Plain(line string) string {
	line = strings.TrimSpace(strings.ToValidUTF8(line, "\uFFFD"))
	if strings.ContainsAny(line, "\r\n") || strings.HasPrefix(line, "/") || len(line) > maxPlain {
		return line
	}
	ts := Split(line)
	if !slices.ContainsFunc(ts, func(t Token) bool { return t.Quoted }) {
		line = reworded(line)
		ts = Split(line)
	}
	var out []string
	for i := 0; i < len(ts); {
		n, to := synonymAt(ts[i:])
		if n == 0 {
			out = append(out, line[ts[i].Start:ts[i].End])
			i++
			continue
		}
		out = append(out, to...)
		i += n
	}
	return strings.Join(out, " ")
}

// synonymAt returns how many tokens the synonym at the start of ts has, 0 for none, and what it means.
func synonymAt(ts []Token) (int, []string) {
	for _, s := range knownSynonyms {
		if len(s.from) > len(ts) {
			continue
		}
		same := true
		for i, w := range s.from {
			same = same && IsOneOf(ts[i], w)
		}
		if same {
			return len(s.from), s.to
		}
	}
	return 0, nil
}

// reworded puts a line without quotes into the words and the order of commands.
func reworded(line string) string {
	if keyPattern.MatchString(line) {
		line = "press " + strings.ReplaceAll(line, " ", "")
	}
	if p := numberedPattern.FindStringSubmatch(line); p != nil && numberOf(p[2]) > 0 {
		line = strings.Replace(strings.ToLower(p[1]), "number", "click", 1) + " " + strconv.Itoa(numberOf(p[2]))
	}
	if p := timesPattern.FindStringSubmatch(line); p != nil {
		line = repeated(p[1], p[2])
	}
	if p := countPattern.FindStringSubmatch(line); p != nil {
		line = repeated(p[1]+p[3], p[2])
	}
	if dotPattern.MatchString(line) {
		line = dotWord.ReplaceAllString(line, ".")
	}
	line = globPattern.ReplaceAllString(line, "$1 $2 files")
	line = grepPattern.ReplaceAllString(line, "search files for $1")
	line = toFillPattern.ReplaceAllString(line, "fill $1 with $2")
	line = basketPattern.ReplaceAllString(line, "add $1")
	line = forMePattern.ReplaceAllString(line, "$1")
	line = onOffPattern.ReplaceAllStringFunc(line, func(found string) string {
		p := onOffPattern.FindStringSubmatch(found)
		if strings.EqualFold(p[3], "off") {
			return p[1] + "uncheck " + p[2]
		}
		return p[1] + "check " + p[2]
	})
	line = sortPattern.ReplaceAllString(line, "sort by $1")
	line = bothPattern.ReplaceAllString(line, "$1$2$4 and $1$3$4")
	line = offersPattern.ReplaceAllString(line, "$1$2$4 and $1$3$4")
	if p := labelPattern.FindStringSubmatch(line); p != nil && strings.HasSuffix(strings.ToLower(p[1]), "search") {
		return "search web for " + p[2]
	}
	return labelPattern.ReplaceAllString(line, "$1 is $2")
}

var dotWord = regexp.MustCompile(`(?i) dot `)

// WithoutCourtesy returns a message without what people say before a command.
func WithoutCourtesy(line string) string {
	return courtesyPattern.ReplaceAllString(strings.TrimSpace(line), "")
}

// repeated returns a command as often as times says: "twice", "three times".
func repeated(command, times string) string {
	n, _, _ := strings.Cut(times, " ")
	return strings.Repeat(command+" then ", max(numberOf(n), 2)-1) + command
}

// RepeatVerb returns a line that names several things after one verb with the verb before each: "tick a, b and c". It
// returns "" for others.
func RepeatVerb(line string) string {
	verb, things, _ := strings.Cut(line, " ")
	all := betweenThings.Split(things, -1)
	if len(all) < 2 || strings.ContainsAny(line, "\"'“") {
		return ""
	}
	return verb + " " + strings.Join(all, " and "+verb+" ")
}

var betweenThings = regexp.MustCompile(`(?i)\s*(?:,|\band\b|&)\s*(?:and\s+)?`)

// numberOf returns the number that a word or digits mean, up to 99: "seventeen", "forty two". Others are 0.
func numberOf(words string) int {
	units := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	sum := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(words), func(r rune) bool { return r == ' ' || r == '-' }) {
		if i := slices.Index(units, w); i > 0 {
			sum += i
		} else if i := slices.Index(tens, w); i > 1 {
			sum += 10 * i
		} else if n, err := strconv.Atoi(w); err == nil {
			sum += n
		} else {
			return 0
		}
	}
	return sum
}
