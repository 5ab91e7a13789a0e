package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// wrapper is a program that starts the command that follows its own words.
type wrapper struct {
	options string
	// skip is how many operands of its own come before the command.
	skip int
	// warn is what a person should know of the wrapper itself.
	warn string
}

// plainWrappers start what follows as it stands.
var plainWrappers = map[string]wrapper{
	"timeout": {
		options: "k,kill-after=t s,signal=t foreground preserve-status v,verbose p,preserve-status f",
		skip:    1,
	},
	"gtimeout": {options: "k,kill-after=t s,signal=t foreground preserve-status v", skip: 1},
	"nice":     {options: "n,adjustment=t 0 1 2 3 4 5 6 7 8 9"},
	"ionice":   {options: "c,class=t n,classdata=t p,pid=t P,pgid=t u,uid=t t,ignore"},
	"nohup":    {}, "setsid": {options: "c,ctty f,fork w,wait"}, "stdbuf": {options: "i,input=t o,output=t e,error=t"},
	"time":    {options: "f,format=t o,output=w a,append p,portability v,verbose q,quiet"},
	"taskset": {options: "c,cpu-list p! a", skip: 1}, "chrt": {options: "b d f i o r R p! T=t P=t D=t a m v", skip: 1},
	"numactl":   {options: "N=t m=t C=t i=t p=t l s H"},
	"catchsegv": {}, "unbuffer": {options: "p"}, "fakeroot": {options: "l=x lib=x i=r s=w"},
	"setarch": {options: "R 3 B F I L S T X Z v", skip: 1}, "linux32": {}, "linux64": {},
	"cgexec": {options: "g=t sticky"}, "ccache": {}, "distcc": {}, "caffeinate": {options: "d i m s u t=t w=t"},
	"gosu": {skip: 1, warn: asAnother}, "su-exec": {skip: 1, warn: asAnother},
	"chroot":  {options: "userspec=t groups=t skip-chdir", skip: 1, warn: "runs it with another folder as the root"},
	"unshare": {options: unshareOptions, warn: "runs it in namespaces of its own"},
	"nsenter": {options: nsenterOptions, warn: "runs it inside of another program's namespaces"},
	"sudo": {options: "u,user=t g,group=t h,host=t p,prompt=t C=t r,role=t t,type=t U,other-user=t T=t D,chdir=D " +
		"R,chroot=t A b E,preserve-env?t H i,login K k l e,edit n P S s,shell V v", warn: asAnother},
	"doas":   {options: "u=t C=r a=t L n s", warn: asAnother},
	"pkexec": {options: "user=t disable-internal-agent keep-cwd", warn: asAnother},
	"setpriv": {options: "reuid=t regid=t groups=t clear-groups keep-groups init-groups no-new-privs inh-caps=t " +
		"bounding-set=t", warn: takesRights},
	"runcon": {options: "t=t u=t r=t l=t c", skip: 1, warn: takesRights}, "dbus-run-session": {warn: anyCommand},
	"dbus-launch": {warn: anyCommand}, "xvfb-run": {options: "a n=t e=w s=t f=r", warn: "starts a display of its own"},
	"softlimit": {options: "a=t c=t d=t m=t t=t"}, "faketime": {options: "f m", skip: 1},
	"rlwrap": {options: "f=r H=w", warn: anyCommand}, "toybox": {}, "busybox": {}, "nocache": {}, "eatmydata": {},
	"proxychains": {options: "q f=r", warn: "reaches the network"}, "torsocks": {warn: "reaches the network"},
	"prlimit":         {options: "p,pid=t n,nofile?t c,core?t v,as?t t,cpu?t o,output=t"},
	"systemd-inhibit": {options: "what=t who=t why=t mode=t", warn: changesSystem},
	"aa-exec":         {options: "p=t", warn: takesRights}, "capsh": {warn: takesRights},
	"sg": {skip: 1, warn: asAnother},
}

const (
	unshareOptions = "m,mount?t u,uts?t i,ipc?t n,net?t p,pid?t U,user?t C,cgroup?t T,time?t f,fork r,map-root-user " +
		"c,map-current-user mount-proc?t R,root=t w,wd=D S,setuid=t G,setgid=t kill-child?t propagation=t " +
		"setgroups=t keep-caps map-users=t map-groups=t map-auto"
	nsenterOptions = "t,target=t m,mount?t u,uts?t i,ipc?t n,net?t p,pid?t U,user?t C,cgroup?t T,time?t S,setuid=t " +
		"G,setgid=t r,root?t w,wd?t a,all F,no-fork e,env preserve-credentials W=t"
)

func wrappers(name string) func(*call) {
	if w, is := plainWrappers[name]; is {
		return func(c *call) { c.wrap(w) }
	}
	switch name {
	case "env", "genv":
		return (*call).env
	case "xargs", "gxargs":
		return (*call).xargs
	case "sh", "bash", "dash", "ash", "rbash":
		return (*call).shells
	case "su", "runuser", "script", "flock":
		return (*call).textTo
	case "watch":
		return (*call).watch
	case "parallel", "sem":
		return (*call).parallel
	case "command", "builtin", "exec":
		return (*call).same
	}
	return nil
}

// wrap judges a plain wrapper and what it starts.
func (c *call) wrap(w wrapper) {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec(w.options), first: true}
	got := q.parse(c.words[1:])
	if w.warn != "" {
		c.warn(c.name + " " + w.warn + ".")
	}
	if len(got.strange) > 0 {
		c.warn(c.name + " is given " + short(got.strange[0]) +
			", which is not known here, so what it starts cannot be told.")
	}
	if got.blurred != "" {
		c.warn("“" + short(got.blurred) + "” could be any option of " + c.name + " when it runs.")
	}
	c.r.apart(func() {
		c.apply(q, parsed{options: got.options})
		if rest := got.operands; len(rest) > w.skip {
			if w.skip > 0 && !rest[0].sure() && rest[0].loose {
				c.warn("What " + c.name + " starts shows only when it runs.")
			}
			c.wrapped(skipAssignments(rest[w.skip:], c.r))
		} else if w.warn == "" && got.has("p") && c.name != "time" {
			c.warn(c.name + " changes a program that runs already.")
		}
	})
}

// skipAssignments judges NAME=value words in front of a command and takes them away.
func skipAssignments(words []value, r *reader) []value {
	for len(words) > 0 {
		name, _, is := strings.Cut(words[0].text, "=")
		other := func(text string) bool { return !strings.HasPrefix(text, name+"=") }
		if !is || words[0].glob || !validName(name) || slices.ContainsFunc(words[0].others, other) {
			return words
		}
		r.variable(name, true)
		words = words[1:]
	}
	return words
}

func validName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (c *call) env() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("i,ignore-environment 0,null u,unset=t C,chdir=D S,split-string=s P=t a,argv0=t " +
		"v,debug block-signal?t default-signal?t ignore-signal?t list-signal-handling f,file=r"), first: true}
	got := q.parse(c.words[1:])
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn("env is given options that are not known here, so what it starts cannot be told.")
	}
	c.r.apart(func() {
		c.apply(q, parsed{options: got.options})
		rest := got.operands
		for _, v := range got.values("split-string") {
			if !v.sure() || strings.ContainsAny(v.text, "\\$\"'#") {
				c.warn("env splits text into a command that cannot be read beforehand: " + short(v.shown) + ".")
				continue
			}
			var front []value
			for _, word := range strings.Fields(v.text) {
				front = append(front, literal(word))
			}
			inner := parser{options: q.options, first: true}.parse(front)
			rest = append(inner.operands, rest...)
			if len(inner.options)+len(inner.strange) > 0 {
				c.warn("env splits text that holds options of its own: " + short(v.text) + ".")
			}
		}
		c.wrapped(skipAssignments(rest, c.r))
	})
}

func (c *call) xargs() {
	q := parser{options: spec("0,null r,no-run-if-empty t,verbose p,interactive x,exit o,open-tty a,arg-file=r " +
		"d,delimiter=t E=t e?t eof?t I,replace=t i?t L,max-lines=t l?t n,max-args=t P,max-procs=t s,max-chars=t " +
		"show-limits process-slot-var=t J=t R=t S=t"), first: true}
	got := q.parse(c.words[1:])
	c.apply(q, parsed{options: got.options})
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn("xargs is given options that are not known here, so what it starts cannot be told.")
	}
	if len(got.operands) == 0 {
		return // it echoes
	}
	added := c.r.fed
	if added == nil || got.has("arg-file") {
		added = []value{{shown: "what xargs reads", unknown: true, loose: true}}
	}
	words := slices.Clone(got.operands)
	if marks := append(got.values("replace"), got.values("J")...); len(marks) > 0 {
		if !marks[0].sure() {
			c.warn("Which words xargs replaces shows only when it runs: " + short(marks[0].shown) + ".")
		}
		words = c.replaced(words, marks[0].text, added)
	} else if got.has("i") {
		words = c.replaced(words, "{}", added)
	} else {
		words = append(words, added...)
	}
	c.r.apart(func() { c.r.fed, c.r.input, c.r.piped = nil, nil, true; c.wrapped(words) })
}

// replaced puts the files into the words where the mark stands.
func (c *call) replaced(words []value, mark string, files []value) []value {
	var all []value
	for i, w := range words {
		switch {
		case mark != "" && slices.ContainsFunc(w.others, func(s string) bool { return strings.Contains(s, mark) }):
			all = append(all, value{shown: w.shown, unknown: true})
		case mark == "" || !strings.Contains(w.text, mark):
			all = append(all, w)
		case w.text == mark && i > 0 && !files[0].unknown:
			all = append(all, files...)
		default:
			all = append(all, value{shown: w.shown, unknown: true})
		}
	}
	return all
}

// shells are sh and its like: text after -c, a script, or standard input.
func (c *call) shells() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("c o=t O=t i l,login r s x e u n v f rcfile=r init-file=r norc noprofile posix " +
		"restricted verbose debugger! dump-strings dump-po-strings"), first: true}
	words := c.words[1:]
	for len(words) > 0 && words[0].sure() && len(words[0].text) > 1 && words[0].text[0] == '+' {
		words = words[1:] // set +x
	}
	got := q.parse(words)
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn(c.name + " is given options that are not known here, so what it runs cannot be told.")
	}
	c.apply(q, parsed{options: got.options})
	switch {
	case got.has("rcfile", "init-file", "i", "login"):
		c.warn(c.name + " reads start-up files before it runs anything.")
		fallthrough
	case got.has("c"):
		if len(got.operands) > 0 {
			c.shell(got.operands[0])
			return
		}
		if got.has("c") {
			return
		}
		fallthrough
	case len(got.operands) == 0, got.has("s"):
		c.fromInput()
	default:
		c.file(got.operands[0], toolspec.UseRead)
		c.warn(c.name + " runs the script " + short(got.operands[0].shown) + ", which is not read here.")
	}
}

// fromInput judges a shell that reads its commands from standard input.
func (c *call) fromInput() {
	switch {
	case c.r.input != nil:
		input := *c.r.input
		c.r.apart(func() { c.r.inner(input, c.name) })
	case c.r.piped:
		c.warn(c.name + " runs what comes from another command or a file, and that is not known beforehand.")
	default:
		c.warn(c.name + " waits for commands.")
	}
}

// textTo are programs that hand a text to a shell with -c.
func (c *call) textTo() {
	q := parser{options: spec("c,command=x u,user=t g,group=t G=t s,shell=t w=t l,login m p P f,fork q,quiet " +
		"a,append e,return r,return t?t T=t o,output-limit=t E,echo=t I=w O=w B=w n,nonblock x,exclusive timeout=t " +
		"conflict-exit-code=t F,no-fork v"), first: true}
	got := q.parse(c.words[1:])
	switch c.name {
	case "su", "runuser":
		c.warn(c.name + " " + asAnother + ".")
	}
	c.apply(q, got)
	rest := got.operands
	switch {
	case len(got.strange) > 0:
		c.warn(c.name + " is given options that are not known here.")
	case c.name == "flock" && len(rest) > 0:
		c.file(rest[0], toolspec.UseWrite)
		rest = rest[1:]
		if len(rest) > 1 && rest[0].text == "-c" {
			c.shell(rest[1])
		} else {
			c.wrapped(rest)
		}
	case c.name == "script":
		if len(rest) == 0 {
			rest = []value{literal("typescript")}
		}
		c.file(rest[0], toolspec.UseWrite)
		// script ends its options at no operand: the command may stand behind the file.
		more := q.parse(rest[1:])
		c.apply(q, more)
		if !got.has("command") && !more.has("command") {
			c.warn("script starts a shell that waits for commands.")
		}
	case c.name == "runuser" && got.has("user"):
		c.wrapped(rest)
	default:
		for i, w := range rest {
			if w.text == "-c" && i+1 < len(rest) {
				c.shell(rest[i+1])
			}
		}
	}
}

func (c *call) watch() {
	q := parser{options: spec("n,interval=t d,differences?t x,exec t,no-title b,beep e,errexit g,chgexit c,color " +
		"p,precise q,equexit=t w,no-wrap C,no-color s,shotsdir=w"), first: true}
	got := q.parse(c.words[1:])
	c.apply(q, parsed{options: got.options})
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn("watch is given options that are not known here.")
	}
	if got.has("exec") {
		c.wrapped(got.operands)
		return
	}
	c.joined(got.operands)
}

// joined judges words that a shell reads as one line.
func (c *call) joined(words []value) {
	texts := make([]string, 0, len(words))
	for _, w := range words {
		if !w.sure() {
			c.warn(c.name + " runs a command that is only known when it runs: " + short(w.shown) + ".")
			return
		}
		texts = append(texts, w.text)
	}
	if len(texts) > 0 {
		c.shell(literal(strings.Join(texts, " ")))
	}
}

// parallel makes commands of its own out of what it reads; those are not known.
func (c *call) parallel() {
	c.warn(c.name + " makes commands out of what it reads, and those are not known beforehand.")
	q := parser{options: spec("j,jobs=t k,keep-order a,arg-file=r I=t n=t N=t S,sshlogin=n sshloginfile=n joblog=w " +
		"results=w"), first: true}
	got := q.parse(c.words[1:])
	c.apply(q, parsed{options: got.options})
	var words []value
	for _, w := range got.operands {
		if strings.HasPrefix(w.text, ":::") {
			break
		}
		words = append(words, w)
	}
	c.wrapped(append(words, unknown("what parallel reads")))
}

// same are command, builtin and exec: the command that follows, in this very shell.
func (c *call) same() {
	q := parser{options: spec("p v V a=t c l"), first: true}
	if c.name == "builtin" {
		q.options = nil
	}
	got := q.parse(c.words[1:])
	if c.name == "command" && got.has("v", "V") {
		return
	}
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn(c.name + " is given options that are not known here, so what it starts cannot be told.")
	}
	c.here(got.operands)
}
