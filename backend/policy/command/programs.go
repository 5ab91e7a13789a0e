package command

import "maps"

// entry is what is known of one program: the roles of its operands, its options with their
// values, and what a person should know of it. Options that are left out take no value and
// only change how it reads or shows.
type entry struct {
	operands, options, warn string
	// named says that the program's name tells enough for a standing answer.
	named bool
}

// programs are those that need no judge of their own.
var programs = merged(readers, builtins, writers, changers, runners)

func merged(all ...map[string]entry) map[string]entry {
	into := map[string]entry{}
	for _, one := range all {
		maps.Copy(into, one)
	}
	return into
}

const plainRead = "n,lines=t c,bytes=t s=t w=t"

// readers only look, but for the options that are marked.
var readers = map[string]entry{
	"ls": {operands: "r*", options: "I,ignore=t hide=t w,width=t T,tabsize=t block-size=t color?t format=t sort=t " +
		"time=t time-style=t indicator-style=t quoting-style=t"},
	"dir": {operands: "r*"}, "vdir": {operands: "r*"}, "exa": {operands: "r*"}, "eza": {operands: "r*"},
	"cat": {operands: "r*"}, "tac": {operands: "r*", options: "s,separator=t"},
	"nl":   {operands: "r*", options: "b=t d=t f=t h=t i=t l=t n=t s=t v=t w=t"},
	"head": {operands: "r*", options: plainRead},
	"tail": {operands: "r*", options: plainRead + " pid=t max-unchanged-stats=t s,sleep-interval=t"},
	"wc":   {operands: "r*", options: "files0-from=r total=t"},
	"grep": {options: grepOptions}, "egrep": {options: grepOptions}, "fgrep": {options: grepOptions},
	"zgrep": {options: grepOptions},
	"rg": {options: grepOptions +
		" g,glob=t iglob=t t,type=t T,type-not=t pre=x pre-glob=t hostname-bin=x r,replace=t max-filesize=t sort=t " +
		"sortr=t ignore-file=r z,search-zip!"},
	"ag": {options: grepOptions + " G=t p=r ignore=t pager=x"},
	"sort": {operands: "r*", options: "k,key=t t,field-separator=t o,output=w S,buffer-size=t " +
		"T,temporary-directory=w compress-program=x files0-from=r " +
		"parallel=t batch-size=t random-source=r sort=t"},
	"uniq":  {operands: "r w", options: "f,skip-fields=t s,skip-chars=t w,check-chars=t all-repeated?t group?t"},
	"cut":   {operands: "r*", options: "b,bytes=t c,characters=t f,fields=t d,delimiter=t output-delimiter=t"},
	"paste": {operands: "r*", options: "d,delimiters=t"},
	"join":  {operands: "r*", options: "a=t e=t i j=t o=t t=t v=t 1=t 2=t"},
	"comm":  {operands: "r*", options: "output-delimiter=t"}, "tr": {operands: "t*"}, "rev": {operands: "r*"},
	"fold": {operands: "r*", options: "w,width=t"},
	"fmt":  {operands: "r*", options: "w,width=t p,prefix=t g,goal=t"}, "expand": {operands: "r*", options: "t,tabs=t"},
	"unexpand": {operands: "r*", options: "t,tabs=t"},
	"column":   {operands: "r*", options: "c=t s=t o=t t N=t R=t H=t W=t T=t E=t n=t"},
	"pr":       {operands: "r*", options: "h=t l=t o=t w=t"},
	"diff": {operands: "r*", options: "U,unified=t C,context=t x,exclude=t X,exclude-from=r I=t F=t L,label=t W=t " +
		"color?t from-file=r to-file=r line-format=t"},
	"cmp":   {operands: "r r t*", options: "n,bytes=t i,ignore-initial=t"},
	"diff3": {operands: "r*", options: "diff-program=x L=t"},
	"sdiff": {operands: "r*", options: "o,output=w diff-program=x w=t I=t"}, "colordiff": {operands: "r*"},
	"stat": {operands: "r*", options: "c,format=t printf=t t"},
	"file": {operands: "r*", options: "m=r f=r F=t e=t P=t C!"},
	"du": {operands: "r*", options: "d,max-depth=t t,threshold=t B,block-size=t X,exclude-from=r exclude=t " +
		"files0-from=r time?t time-style=t"},
	"df":       {operands: "r*", options: "B,block-size=t t,type=t x,exclude-type=t output?t"},
	"tree":     {operands: "r*", options: "L=t P=t I=t o=w H=t T=t charset=t filelimit=t R! fromfile=r"},
	"basename": {operands: "t*", options: "s,suffix=t"},
	"dirname":  {operands: "t*"}, "realpath": {operands: "r*", options: "relative-to=t relative-base=t"},
	"readlink": {operands: "r*"},
	"md5sum":   {operands: "r*"}, "sha1sum": {operands: "r*"}, "sha224sum": {operands: "r*"},
	"sha256sum": {operands: "r*"}, "sha384sum": {operands: "r*"},
	"sha512sum": {operands: "r*"}, "b2sum": {operands: "r*", options: "l=t"},
	"cksum": {operands: "r*", options: "a=t l=t"}, "sum": {operands: "r*"}, "shasum": {operands: "r*", options: "a=t"},
	"base64": {operands: "r*", options: "w,wrap=t"}, "base32": {operands: "r*", options: "w,wrap=t"},
	"od":      {operands: "r*", options: "A=t j=t N=t S=t t=t w?t"},
	"xxd":     {operands: "r w", options: "c=t g=t l=t o=t s=t n=t r!"},
	"hexdump": {operands: "r*", options: "n=t s=t e=t f=r"}, "strings": {operands: "r*", options: "n=t t=t e=t T=t"},
	"nm": {operands: "r*"}, "objdump": {operands: "r*", options: "j=t M=t"},
	"readelf": {operands: "r*", options: "x=t p=t"}, "size": {operands: "r*"},
	"zcat": {operands: "r*"}, "bzcat": {operands: "r*"}, "xzcat": {operands: "r*"}, "zstdcat": {operands: "r*"},
	"zdiff": {operands: "r*"},
	"jq":    {options: jqOptions}, "shuf": {operands: "r*", options: "n=t o,output=w i=t e random-source=r"},
	"tsort": {operands: "r*"},
	"which": {operands: "t*"}, "whereis": {operands: "t*", options: "B=t M=t S=t f"}, "whoami": {},
	"id": {operands: "t*"}, "groups": {operands: "t*"},
	"uname": {}, "arch": {}, "nproc": {options: "ignore=t"}, "uptime": {}, "tty": {}, "logname": {}, "hostid": {},
	"locale": {operands: "t*"}, "getconf": {operands: "t*"},
	"date": {operands: "t*", options: "d,date=t f,file=r r,reference=r s,set! I?t iso-8601?t rfc-3339=t"},
	"cal":  {operands: "t*"}, "ncal": {operands: "t*"},
	"ps":    {operands: "t*", options: "o=t p=t u=t C=t t=t g=t"},
	"pgrep": {operands: "t*", options: "u=t f d=t g=t P=t t=t F=r"}, "pstree": {operands: "t*"},
	"free":   {options: "s=t c=t"},
	"vmstat": {operands: "t*"}, "lscpu": {}, "lsblk": {operands: "r*", options: "o=t"}, "lsmem": {}, "lspci": {},
	"lsusb": {}, "pidof": {operands: "t*"}, "printenv": {operands: "t*"},
	"seq": {operands: "t*", options: "f=t s=t"}, "expr": {operands: "t*"}, "factor": {operands: "t*"},
	"numfmt": {operands: "t*", options: "from=t to=t field=t format=t padding=t d=t"},
	"sleep":  {operands: "t*"}, "yes": {operands: "t*"}, "clear": {}, "reset": {},
	"tput": {operands: "t*", options: "T=t"}, "lsof": {options: "p=t i?t u=t c=t d=t"},
	"cloc": {operands: "r*"}, "tokei": {operands: "r*"}, "dos2unix": {operands: "w*"}, "pathchk": {operands: "t*"},
	"look": {operands: "t r"}, "cksfv": {operands: "r*"},
	"man":     {operands: "t*", options: "P,pager=x H,html=x M=r C=r l,local-file=r T?t p=t preconv=x"},
	"apropos": {operands: "t*"}, "whatis": {operands: "t*"},
	"info": {operands: "t*", options: "o,output=w restore=r f=r dribble=w"},
}

const (
	grepOptions = "e,regexp=t f,file=r m,max-count=t A,after-context=t B,before-context=t C,context=t include=t " +
		"exclude=t exclude-dir=t exclude-from=r " +
		"label=t color?t colour?t binary-files=t d,directories=t D,devices=t l,files-with-matches " +
		"L,files-without-match o,only-matching z,null-data"
	jqOptions = "f,from-file=r L=r indent=t"
)

// builtins of bash that change nothing but the shell itself.
var builtins = map[string]entry{
	":": {operands: "t*"}, "true": {}, "false": {}, "echo": {operands: "t*"}, "pwd": {}, "type": {operands: "t*"},
	"hash":   {operands: "t*", options: "p!"},
	"return": {operands: "t*"}, "exit": {operands: "t*"}, "break": {}, "continue": {}, "shift": {}, "times": {},
	"umask": {operands: "t*"}, "wait": {operands: "t*", options: "p=t"},
	"jobs": {operands: "t*", options: "x!"}, "bg": {}, "fg": {}, "disown": {operands: "t*"}, "dirs": {},
	"ulimit": {operands: "t*"}, "help": {operands: "t*"}, "caller": {},
	"getopts": {operands: "t*"}, "logout": {}, "suspend": {},
	"history": {options: "a! w! r! n! s! d! c!"}, "fc": {warn: "runs commands of the history"},
	"bind":     {warn: "ties commands to keys"},
	"enable":   {options: "f! d!", operands: "t*", warn: "changes what the shell's own commands are"},
	"complete": {warn: "ties commands to completion"}, "compgen": {warn: "can run commands for completion"},
	"compopt": {},
}

// writers make or change files, and only those they name.
var writers = map[string]entry{
	"touch": {operands: "w*", options: "d,date=t r,reference=r t=t", named: true},
	"mkdir": {operands: "w*", options: "m,mode=t Z,context?t", named: true},
	"rmdir": {operands: "d*"}, "tee": {operands: "w*", options: "output-error?t"},
	"truncate": {operands: "w*", options: "s,size=t r,reference=r"},
	"mkfifo":   {operands: "w*", options: "m,mode=t"}, "unlink": {operands: "d*"},
	"patch": {
		operands: "w r",
		options:  "i,input=r o,output=w d,directory=D r,reject-file=w p=t B=t z=t F=t D=t g=t V=t Y=t",
	},
	"split":  {operands: "r w", options: "b=t C=t l=t n=t a=t d filter=x additional-suffix=t t=t"},
	"csplit": {operands: "r t*", options: "f=w b=t n=t"}, "mktemp": {operands: "w*", options: "p,tmpdir=w suffix=t t"},
	"chmod": {operands: "t w*", options: "reference=r"},
	"gofmt": {operands: "r*", options: "w! r=t d l s cpuprofile=w"}, "gofumpt": {operands: "r*", options: "w! d l"},
}
