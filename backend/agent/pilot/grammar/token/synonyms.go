package token

import "strings"

// synonyms are words and phrases with the words of commands that mean the same, separated by commas. They are used only
// for a message that is no command as it is written. Longer phrases come before shorter ones that begin alike.
const synonyms = `open up=open, bring up=open, pull up=open, bring me to=open, take me to=open, head over to=open,
	head to=open, jump over to=switch to, jump to=switch to, launch=open, start=open, display=show, view=show, print=show,
	let me see=show, give me=show, where do i find=show, which=what, what's=what is, whats=what is, where's=where is,
	get rid of=close, shut=close, kill=close, leave=close, another=new, an extra=new, one more=new,
	one page back=back, a page back=back, one page forward=forward, step back=back,
	tap on=click, mouse over=hover, move to=hover,
	switch on=check, turn on=check, switch off=uncheck, turn off=uncheck, untick=uncheck,
	all the way=to the, the end=bottom, the beginning=top, snap=take, grab=take, capture=take, photo=picture,
	everything=all, elements=numbers, contents of=, content of=, the article=page, the site=page, this site=page,
	download this page=save page, download the page=save page, this to my bookmarks=bookmark, this to bookmarks=bookmark,
	online for=web for, the internet=the web, execute=run, sleep=wait, pause=wait, rm=delete, erase=delete,
	cart=basket, bag=basket, append=add, directory=folder, history panel=history, downloads do i have=show
	downloads, do i have=are there`

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
