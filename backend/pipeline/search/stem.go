package search

import (
	"slices"
	"strings"
	"unicode"
)

// words returns the stems of the words in text, in lower case and without stop words. It splits names:
// "createPullRequest" and "create_pull_request" are three words each.
func words(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if w := strings.ToLower(string(word)); len(word) > 0 && !stopWords[w] {
			if plain, ok := irregular[w]; ok {
				w = plain
			}
			out = append(out, stem(w))
		}
		word = word[:0]
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\'' || r == '’':
			continue // "what's" and "team's" are one word each
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case len(word) > 0 && beginsWord(word[len(word)-1], r, runes[i+1:]):
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

func beginsWord(before, r rune, after []rune) bool {
	return unicode.IsUpper(r) &&
		(unicode.IsLower(before) || unicode.IsUpper(before) && len(after) > 0 && unicode.IsLower(after[0]))
}

// stopWords contains common words, which say nothing about a tool.
var stopWords = set(`a an the this that these those it its i im ive me my mine we our us you your he him his she her they them their
	is are was were be been am do does did done has have had can could would should will shall may might must
	of to in on at by for from with about into onto as and or but if then than so not no any some all also just only
	what whats which who whom when where how why there here please want need wants needs like lets let us
	one two up out off over again now each other others using use uses via given given specific
	string object array true false null`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

var irregular = map[string]string{
	"written": "write", "wrote": "write", "sent": "send", "said": "say", "says": "say", "made": "make", "bought": "buy",
	"sold":  "sell",
	"found": "find", "ran": "run", "told": "tell", "got": "get", "given": "give", "gave": "give", "took": "take",
	"taken": "take",
	"shown": "show", "chosen": "choose", "chose": "choose", "kept": "keep", "left": "leave", "lost": "lose",
	"paid": "pay", "spent": "spend",
	"done": "do", "saw": "see", "seen": "see", "began": "begin", "begun": "begin", "built": "build", "held": "hold",
	"met": "meet",
}

// stem removes the ending of an English word, so that "created", "creating" and "creates" become equal. A stem need not
// be a word.
func stem(w string) string {
	if len(w) <= 3 || strings.ContainsFunc(w, unicode.IsDigit) {
		return w
	}
	switch {
	case strings.HasSuffix(w, "sses"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") &&
		!strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ed"} {
		if root := strings.TrimSuffix(w, ending); root != w && len(root) >= 3 && strings.ContainsAny(root, "aeiouy") {
			w = root
			if n := len(w); w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
				w = w[:n-1] // as in "stopping"
			}
			break
		}
	}
	for _, ending := range []string{"ation", "ition", "ment", "ion", "ly"} {
		if root := strings.TrimSuffix(w, ending); root != w && len(root) >= 4 {
			w = root
			break
		}
	}
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	if len(w) > 3 && strings.HasSuffix(w, "y") {
		w = w[:len(w)-1] + "i"
	}
	return w
}

var synonymGroups = []string{
	"delete remove erase discard drop destroy trash rid wipe",
	"create add new make insert register",
	"open create", "start begin launch run trigger kick", "stop halt cancel abort end terminate",
	"list show all overview browse display",
	"search find look query lookup seek",
	"update change edit modify alter adjust correct fix",
	"rename title name", "get read fetch retrieve view details see show look",
	"send post message write tell notify inform text say ping",
	"reply answer respond", "comment remark note feedback",
	"download export save", "upload attach put import",
	"copy duplicate clone", "move transfer shift relocate", "share invite access permission grant",
	"close finish complete done resolve", "reopen restore undo revert back rollback undelete",
	"archive hide", "schedule plan book reserve appointment", "mail email inbox letter",
	"photo picture image photograph", "meeting event appointment calendar",
	"bill invoice", "pay payment charge paid money", "refund reimburse money back", "customer client buyer",
	"bug issue ticket problem defect", "task todo item chore", "repository repo code project",
	"merge combine join", "branch line", "deploy release publish rollout ship live", "log logs output",
	"user person people member account colleague", "team group", "assign give hand responsible owner",
	"price cost expensive rate much", "buy order purchase", "sell sale", "stock inventory warehouse left",
	"track follow watch monitor", "status state progress health", "weather forecast", "song track music tune",
	"play listen", "pause halt", "film movie video clip", "route direction way drive",
	"place location spot near nearby where",
	"translate translation language", "convert turn transform", "summarize summary short",
	"report statistics analytics figures metrics",
	"alert alarm warn warning incident", "page document doc", "spreadsheet sheet table", "row line record entry",
	"column field", "cell value", "folder directory", "file document", "database table sql",
	"key secret credential password token", "block ban forbid", "approve accept confirm sign",
	"reject decline refuse deny",
	"subscribe subscription plan", "subscriber recipient audience", "newsletter campaign mailing",
	"label tag category mark",
	"job position vacancy opening", "candidate applicant", "employee staff worker",
	"leave vacation holiday absence off",
	"ship parcel package delivery shipment", "flight plane fly", "hotel room stay", "book booking reservation",
	"light lamp", "temperature thermostat warm heat cold degrees", "lock door", "domain dns",
	"server machine instance vm",
	"backup snapshot", "scale size resize bigger smaller", "restart reboot", "run execute", "build compile pipeline ci",
	"test check verify", "contact address phone", "lead prospect", "deal opportunity", "call phone ring", "sms text",
	"remind reminder", "time hours timer clock", "expense receipt spent spending", "budget spend", "balance account",
	"survey form questionnaire poll", "response answer submission", "webhook callback hook",
	"flag toggle feature switch",
	"error exception crash", "draft unsent", "thread conversation discussion", "channel room", "board column",
	"sprint iteration", "story narrative", "epic theme", "version revision history", "diff difference changed",
	"dashboard chart graph", "star favourite favorite like", "playlist mix", "recipe dish cook meal",
	"workout exercise training run",
	"sleep night", "step walk", "weight kilos", "course class lesson", "student pupil learner", "grade mark score",
	"every recurring repeat daily weekly monthly yearly", "postpone reschedule delay push change update later",
	"prolong extend renew longer keep",
	"language french german english spanish italian portuguese dutch polish russian chinese japanese translate",
	"worth price value quote",
	"satisfied satisfaction happy rating", "redirect send forward", "forward pass hand", "manager boss reports",
	"sort order rank arrange",
	"propose request open", "prepare draft compose", "email gmail mail outlook", "borrow loan lend library",
	"phone mobile device emulate tablet", "mark select highlight selection",
	"command shell terminal bash compile install script make",
	"download wget fetch url link", "mention contain grep occur", "big size large long length info",
	"picture screenshot capture", "say write text content read",
	"mouse pointer cursor hover", "memory processor disk ram system", "remember note learn", "key keyboard shortcut",
	"article post blog", "publish public", "redirect forward", "coupon discount voucher promo", "cart basket",
	"tax vat",
}

var synonyms = indexSynonyms()

func indexSynonyms() map[string][]string {
	m := map[string][]string{}
	for _, group := range synonymGroups {
		list := words(group)
		for _, w := range list {
			for _, other := range list {
				if other != w && !slices.Contains(m[w], other) {
					m[w] = append(m[w], other)
				}
			}
		}
	}
	return m
}
