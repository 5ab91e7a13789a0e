// Package programs has tables that say how programs use their words: which are files, hosts and commands, which options
// have a value, and what the person must be warned of.
//
// It makes no decisions: package command does, and assumes that a program or subcommand without a table entry could do
// anything.
package programs

import "maps"

// Program describes one program. Operands are the roles of its operands in order, such as "t r*". Options lists its
// options for ParseOptions; an option that is not listed has no value and only changes how the program reads or
// displays. Warning is the predicate of a sentence that starts with the program's name, "" for no warning.
type Program struct {
	Operands, Options, Warning string
	// Grantable is true if the name of the program alone says enough for a grant.
	Grantable bool
}

var programTable = merge(readers, builtins, writers, riskyPrograms, codeRunners)

// Lookup returns the entry of a program. ok is false if it has none.
func Lookup(name string) (p Program, ok bool) {
	p, ok = programTable[name]
	return p, ok
}

func merge(all ...map[string]Program) map[string]Program {
	into := map[string]Program{}
	for _, one := range all {
		maps.Copy(into, one)
	}
	return into
}

const lineOptions = "n,lines=t c,bytes=t s=t w=t"

// readers only read, except with options that are marked.
var readers = map[string]Program{
	"ls": {Operands: "r*", Options: "I,ignore=t hide=t w,width=t T,tabsize=t block-size=t color?t format=t sort=t " +
		"time=t time-style=t indicator-style=t quoting-style=t"},
	"dir": {Operands: "r*"}, "vdir": {Operands: "r*"}, "exa": {Operands: "r*"}, "eza": {Operands: "r*"},
	"cat": {Operands: "r*"}, "tac": {Operands: "r*", Options: "s,separator=t"},
	"nl":   {Operands: "r*", Options: "b=t d=t f=t h=t i=t l=t n=t s=t v=t w=t"},
	"head": {Operands: "r*", Options: lineOptions},
	"tail": {Operands: "r*", Options: lineOptions + " pid=t max-unchanged-stats=t s,sleep-interval=t"},
	"wc":   {Operands: "r*", Options: "files0-from=r total=t"},
	"grep": {Options: grepOptions}, "egrep": {Options: grepOptions}, "fgrep": {Options: grepOptions},
	"zgrep": {Options: grepOptions},
	"rg": {Options: grepOptions +
		" g,glob=t iglob=t t,type=t T,type-not=t pre=x pre-glob=t hostname-bin=x r,replace=t max-filesize=t sort=t " +
		"sortr=t ignore-file=r z,search-zip!"},
	"ag": {Options: grepOptions + " G=t p=r ignore=t pager=x"},
	"sort": {Operands: "r*", Options: "k,key=t t,field-separator=t o,output=w S,buffer-size=t " +
		"T,temporary-directory=w compress-program=x files0-from=r " +
		"parallel=t batch-size=t random-source=r sort=t"},
	"uniq":  {Operands: "r w", Options: "f,skip-fields=t s,skip-chars=t w,check-chars=t all-repeated?t group?t"},
	"cut":   {Operands: "r*", Options: "b,bytes=t c,characters=t f,fields=t d,delimiter=t output-delimiter=t"},
	"paste": {Operands: "r*", Options: "d,delimiters=t"},
	"join":  {Operands: "r*", Options: "a=t e=t i j=t o=t t=t v=t 1=t 2=t"},
	"comm":  {Operands: "r*", Options: "output-delimiter=t"}, "tr": {Operands: "t*"}, "rev": {Operands: "r*"},
	"fold": {Operands: "r*", Options: "w,width=t"},
	"fmt":  {Operands: "r*", Options: "w,width=t p,prefix=t g,goal=t"}, "expand": {Operands: "r*", Options: "t,tabs=t"},
	"unexpand": {Operands: "r*", Options: "t,tabs=t"},
	"column":   {Operands: "r*", Options: "c=t s=t o=t t N=t R=t H=t W=t T=t E=t n=t"},
	"pr":       {Operands: "r*", Options: "h=t l=t o=t w=t"},
	"diff": {Operands: "r*", Options: "U,unified=t C,context=t x,exclude=t X,exclude-from=r I=t F=t L,label=t W=t " +
		"color?t from-file=r to-file=r line-format=t"},
	"cmp":   {Operands: "r r t*", Options: "n,bytes=t i,ignore-initial=t"},
	"diff3": {Operands: "r*", Options: "diff-program=x L=t"},
	"sdiff": {Operands: "r*", Options: "o,output=w diff-program=x w=t I=t"}, "colordiff": {Operands: "r*"},
	"stat": {Operands: "r*", Options: "c,format=t printf=t t"},
	"file": {Operands: "r*", Options: "m=r f=r F=t e=t P=t C!"},
	"du": {Operands: "r*", Options: "d,max-depth=t t,threshold=t B,block-size=t X,exclude-from=r exclude=t " +
		"files0-from=r time?t time-style=t"},
	"df":       {Operands: "r*", Options: "B,block-size=t t,type=t x,exclude-type=t output?t"},
	"tree":     {Operands: "r*", Options: "L=t P=t I=t o=w H=t T=t charset=t filelimit=t R! fromfile=r"},
	"basename": {Operands: "t*", Options: "s,suffix=t"},
	"dirname":  {Operands: "t*"}, "realpath": {Operands: "r*", Options: "relative-to=t relative-base=t"},
	"readlink": {Operands: "r*"},
	"md5sum":   {Operands: "r*"}, "sha1sum": {Operands: "r*"}, "sha224sum": {Operands: "r*"},
	"sha256sum": {Operands: "r*"}, "sha384sum": {Operands: "r*"},
	"sha512sum": {Operands: "r*"}, "b2sum": {Operands: "r*", Options: "l=t"},
	"cksum": {Operands: "r*", Options: "a=t l=t"}, "sum": {Operands: "r*"}, "shasum": {Operands: "r*", Options: "a=t"},
	"base64": {Operands: "r*", Options: "w,wrap=t"}, "base32": {Operands: "r*", Options: "w,wrap=t"},
	"od":      {Operands: "r*", Options: "A=t j=t N=t S=t t=t w?t"},
	"xxd":     {Operands: "r w", Options: "c=t g=t l=t o=t s=t n=t r!"},
	"hexdump": {Operands: "r*", Options: "n=t s=t e=t f=r"}, "strings": {Operands: "r*", Options: "n=t t=t e=t T=t"},
	"nm": {Operands: "r*"}, "objdump": {Operands: "r*", Options: "j=t M=t"},
	"readelf": {Operands: "r*", Options: "x=t p=t"}, "size": {Operands: "r*"},
	"zcat": {Operands: "r*"}, "bzcat": {Operands: "r*"}, "xzcat": {Operands: "r*"}, "zstdcat": {Operands: "r*"},
	"zdiff": {Operands: "r*"},
	"jq":    {Options: jqOptions}, "shuf": {Operands: "r*", Options: "n=t o,output=w i=t e random-source=r"},
	"tsort": {Operands: "r*"},
	"which": {Operands: "t*"}, "whereis": {Operands: "t*", Options: "B=t M=t S=t f"}, "whoami": {},
	"id": {Operands: "t*"}, "groups": {Operands: "t*"},
	"uname": {}, "arch": {}, "nproc": {Options: "ignore=t"}, "uptime": {}, "tty": {}, "logname": {}, "hostid": {},
	"locale": {Operands: "t*"}, "getconf": {Operands: "t*"},
	"date": {Operands: "t*", Options: "d,date=t f,file=r r,reference=r s,set! I?t iso-8601?t rfc-3339=t"},
	"cal":  {Operands: "t*"}, "ncal": {Operands: "t*"},
	"ps":    {Operands: "t*", Options: "o=t p=t u=t C=t t=t g=t"},
	"pgrep": {Operands: "t*", Options: "u=t f d=t g=t P=t t=t F=r"}, "pstree": {Operands: "t*"},
	"free":   {Options: "s=t c=t"},
	"vmstat": {Operands: "t*"}, "lscpu": {}, "lsblk": {Operands: "r*", Options: "o=t"}, "lsmem": {}, "lspci": {},
	"lsusb": {}, "pidof": {Operands: "t*"}, "printenv": {Operands: "t*"},
	"seq": {Operands: "t*", Options: "f=t s=t"}, "expr": {Operands: "t*"}, "factor": {Operands: "t*"},
	"numfmt": {Operands: "t*", Options: "from=t to=t field=t format=t padding=t d=t"},
	"sleep":  {Operands: "t*"}, "yes": {Operands: "t*"}, "clear": {}, "reset": {},
	"tput": {Operands: "t*", Options: "T=t"}, "lsof": {Options: "p=t i?t u=t c=t d=t"},
	"cloc": {Operands: "r*"}, "tokei": {Operands: "r*"}, "dos2unix": {Operands: "w*"}, "pathchk": {Operands: "t*"},
	"look": {Operands: "t r"}, "cksfv": {Operands: "r*"},
	"man":     {Operands: "t*", Options: "P,pager=x H,html=x M=r C=r l,local-file=r T?t p=t preconv=x"},
	"apropos": {Operands: "t*"}, "whatis": {Operands: "t*"},
	"info": {Operands: "t*", Options: "o,output=w restore=r f=r dribble=w"},
}

const (
	grepOptions = "e,regexp=t f,file=r m,max-count=t A,after-context=t B,before-context=t C,context=t include=t " +
		"exclude=t exclude-dir=t exclude-from=r " +
		"label=t color?t colour?t binary-files=t d,directories=t D,devices=t l,files-with-matches " +
		"L,files-without-match o,only-matching z,null-data"
	jqOptions = "f,from-file=r L=r indent=t"
)

// builtins are builtins of bash. Those without a warning change nothing but the shell itself.
var builtins = map[string]Program{
	":": {Operands: "t*"}, "true": {}, "false": {}, "echo": {Operands: "t*"}, "pwd": {}, "type": {Operands: "t*"},
	"hash":   {Operands: "t*", Options: "p!"},
	"return": {Operands: "t*"}, "exit": {Operands: "t*"}, "break": {}, "continue": {}, "shift": {}, "times": {},
	"umask": {Operands: "t*"}, "wait": {Operands: "t*", Options: "p=t"},
	"jobs": {Operands: "t*", Options: "x!"}, "bg": {}, "fg": {}, "disown": {Operands: "t*"}, "dirs": {},
	"ulimit": {Operands: "t*"}, "help": {Operands: "t*"}, "caller": {},
	"getopts": {Operands: "t*"}, "logout": {}, "suspend": {},
	"history": {Options: "a! w! r! n! s! d! c!"}, "fc": {Warning: "runs commands of the history"},
	"bind":     {Warning: "ties commands to keys"},
	"enable":   {Options: "f! d!", Operands: "t*", Warning: "changes what the shell's own commands are"},
	"complete": {Warning: "ties commands to completion"}, "compgen": {Warning: "can run commands for completion"},
	"compopt": {},
}

// writers create or change only the files that they name.
var writers = map[string]Program{
	"touch": {Operands: "w*", Options: "d,date=t r,reference=r t=t", Grantable: true},
	"mkdir": {Operands: "w*", Options: "m,mode=t Z,context?t", Grantable: true},
	"rmdir": {Operands: "d*"}, "tee": {Operands: "w*", Options: "output-error?t"},
	"truncate": {Operands: "w*", Options: "s,size=t r,reference=r"},
	"mkfifo":   {Operands: "w*", Options: "m,mode=t"}, "unlink": {Operands: "d*"},
	"patch": {
		Operands: "w r",
		Options:  "i,input=r o,output=w d,directory=D r,reject-file=w p=t B=t z=t F=t D=t g=t V=t Y=t",
	},
	"split":  {Operands: "r w", Options: "b=t C=t l=t n=t a=t d filter=x additional-suffix=t t=t"},
	"csplit": {Operands: "r t*", Options: "f=w b=t n=t"}, "mktemp": {Operands: "w*", Options: "p,tmpdir=w suffix=t t"},
	"chmod": {Operands: "t w*", Options: "reference=r"},
	"gofmt": {Operands: "r*", Options: "w! r=t d l s cpuprofile=w"}, "gofumpt": {Operands: "r*", Options: "w! d l"},
}
