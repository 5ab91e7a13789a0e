package token

import (
	"regexp"
	"slices"
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
	// What people say for "run X", "check X", "sort by price", "open X and open Y", "add X to the basket and add Y to
	// the basket" and "postcode is 1234".
	forMePattern  = regexp.MustCompile(`(?i)^((?:execute|launch|start) .+?) for me(?: please)?[.!]?$`)
	onOffPattern  = regexp.MustCompile(`(?i)^(please )?(?:switch|turn|make sure(?: that)?) (.+?) (?:is )?(on|off)[.!]?$`)
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
