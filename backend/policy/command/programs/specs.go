package programs

// optionSpecs has the options of programs that package command judges without a table entry.
var optionSpecs = map[string]string{
	"git rm": "f,force r n,dry-run q d x X i e,exclude=t cached ignore-unmatch pathspec-from-file=r",
	"wget": "O,output-document=w o,output-file=w a,append-output=w i,input-file=r " +
		"P,directory-prefix=w e,execute=! config=! post-file=r post-data=t body-file=r body-data=t method=t header=t " +
		"U,user-agent=t referer=t load-cookies=r save-cookies=w use-askpass=x t,tries=t T,timeout=t w,wait=t " +
		"Q,quota=t l,level=t A,accept=t R,reject=t D,domains=t B,base=t user=t password=t " +
		"limit-rate=t r,recursive p k m,mirror H,span-hosts np nc c,continue N q,quiet v,verbose nv " +
		"S,server-response spider no-check-certificate nd x E b,background content-disposition no-verbose " +
		"no-clobber no-parent show-progress 4 6 n=t certificate=r private-key=r ca-certificate=r hsts-file=w " +
		"warc-file=w rejected-log=w start-pos=t cut-dirs=t",
	"ssh": "b=t c=t D=t E=w e=t F=r I=! i=r J=h L=t l=t m=t O=t o=! p=t Q=t R=t S=! W=h w=t B=t " +
		"P=t s f n N q t T v x X y A a C K k M G g Y 4 6 V ssh=x",
	"rsync": "e,rsh=x rsync-path=! exclude=t include=t f,filter=t exclude-from=r include-from=r " +
		"files-from=r T,temp-dir=w backup-dir=w log-file=w partial-dir=w compare-dest=r copy-dest=r link-dest=r " +
		"a,archive v,verbose z,compress r,recursive n,dry-run u,update P progress h,human-readable delete! " +
		"delete-after! delete-before! delete-excluded! remove-source-files! i=r F=r o=! S=! J=h c=t l=t " +
		"p q,quiet C B D 3 4 6 t g x,one-file-system H A X L k K b,backup s m password-file=r write-batch=w " +
		"read-batch=r chmod=t chown=t max-size=t min-size=t bwlimit=t timeout=t port=t info=t out-format=t checksum " +
		"stats partial inplace",
	"read": "a=v d=t i=t n=t N=t p=t t=t u=t e! C=! c=t O=t s=t r f v",
	"fd": "x,exec=z X,exec-batch=z e,extension=t t,type=t E,exclude=t d,max-depth=t min-depth=t " +
		"exact-depth=t S,size=t changed-within=t changed-before=t o,owner=t c,color=t j,threads=t base-directory=D " +
		"ignore-file=r max-results=t and=t path-separator=t search-path=r format=t",
	"awk": "F,field-separator=t v,assign=t f,file=! e,source=t i,include=! l,load=! E,exec=! b c " +
		"C d,dump-variables?w D,debug! g h k L?t n N M o,pretty-print?w O p,profile?w P r S,sandbox t s",
	"sed": "e,expression=t f,file=! i,in-place?t n,quiet,silent E r,regexp-extended s,separate " +
		"u,unbuffered z,null-data l,line-length=t posix debug sandbox follow-symlinks b,binary",
	"cp": "t,target-directory=w T,no-target-directory S,suffix=t backup?t b reflink?t sparse=t " +
		"preserve?t no-preserve=t m,mode=t o,owner=t g,group=t d,directory strip-program=x Z,context?t s,symbolic r " +
		"R,recursive a f n i u v p P H L l x,one-file-system D c C exchange! remove-destination attributes-only " +
		"parents dereference no-dereference no-clobber update?t verbose force interactive relative logical physical " +
		"strip",
	"rm": "r R,recursive f,force i I v,verbose d,dir interactive?t one-file-system " +
		"preserve-root?t no-preserve-root n,iterations=t s,size=t random-source=r u remove?t x,exact z,zero",
	"tar": "c,create x,extract,get t,list r,append u,update d,diff,compare " +
		"A,catenate,concatenate delete f,file=t C,directory=D z j J a v p P,absolute-names! k w s S O,to-stdout " +
		"to-command=x checkpoint?t checkpoint-action=! I,use-compress-program=x F,info-script,new-volume-script=x " +
		"rsh-command=x rmt-command=x T,files-from=r X,exclude-from=r " +
		"exclude=t strip-components=t transform,xform=t owner=t group=t mode=t mtime=t K=t N=t L=t b=t " +
		"g,listed-incremental=w index-file=w remove-files! overwrite gzip bzip2 xz zstd lzma " +
		"auto-compress verbose preserve-permissions same-owner no-same-owner keep-old-files wildcards no-recursion " +
		"numeric-owner h,dereference warning=t format=t H=t sort=t one-file-system",
	"unzip": "d=w x=t i=t T! TT=x unzip-command=x m! l p t v q n o j r u D",
	"zip":   "m! T! TT=x unzip-command=x b=w i=t x=t r q j u 9 0 1",
	"gzip": "c,stdout,to-stdout d,decompress k,keep f,force l,list t,test v q n r,recursive " +
		"S,suffix=t T,threads=t o=w M=t D=r rm! 1 2 3 4 5 6 7 8 9 fast best",
	"env": "i,ignore-environment 0,null u,unset=t C,chdir=D S,split-string=s P=t a,argv0=t " +
		"v,debug block-signal?t default-signal?t ignore-signal?t list-signal-handling f,file=r",
	"xargs": "0,null r,no-run-if-empty t,verbose p,interactive x,exit o,open-tty a,arg-file=r " +
		"d,delimiter=t E=t e?t eof?t I,replace=t i?t L,max-lines=t l?t n,max-args=t P,max-procs=t s,max-chars=t " +
		"show-limits process-slot-var=t J=t R=t S=t",
	"parallel": "j,jobs=t k,keep-order a,arg-file=r I=t n=t N=t S,sshlogin=n sshloginfile=n joblog=w " +
		"results=w",
	"command": "p v V a=t c l",
	"sh": "c o=t O=t i l,login r s x e u n v f rcfile=r init-file=r norc noprofile posix " +
		"restricted verbose debugger! dump-strings dump-po-strings",
	"su": "c,command=x u,user=t g,group=t G=t s,shell=t w=t l,login m p P f,fork q,quiet " +
		"a,append e,return r,return t?t T=t o,output-limit=t E,echo=t I=w O=w B=w n,nonblock x,exclusive timeout=t " +
		"conflict-exit-code=t F,no-fork v",
	"watch": "n,interval=t d,differences?t x,exec t,no-title b,beep e,errexit g,chgexit c,color " +
		"p,precise q,equexit=t w,no-wrap C,no-color s,shotsdir=w",
	"curl": "o,output=w O,remote-name remote-name-all output-dir=w T,upload-file=r d,data=B data-raw=t " +
		"data-ascii=B data-binary=B data-urlencode=B json=B F,form=B form-string=t " +
		"H,header=B X,request=t u,user=t A,user-agent=t e,referer=t b,cookie=B c,cookie-jar=w K,config=! x,proxy=h " +
		"socks5=h socks5-hostname=h preproxy=h connect-to=! resolve=! " +
		"m,max-time=t connect-timeout=t retry=t retry-delay=t retry-max-time=t w,write-out=t D,dump-header=w trace=w " +
		"trace-ascii=w stderr=w E,cert=r key=r cacert=r capath=r netrc-file=r " +
		"url=h L,location location-trusted s,silent S,show-error f,fail fail-with-body i,include I,head k,insecure " +
		"v,verbose g,globoff G,get compressed C,continue-at=t r,range=t z,time-cond=t unix-socket=! " +
		"abstract-unix-socket=! interface=t dns-servers=t etag-save=w etag-compare=r hsts=w alt-svc=w libcurl=w " +
		"Q,quote=! P,ftp-port=t 0 1 2 3 4 6 http1.1 http2 http3 a,append l M q,disable n,netrc N,no-buffer " +
		"p,proxytunnel j J,remote-header-name R Z,parallel progress-bar create-dirs retry-all-errors proto=t " +
		"proto-redir=t max-redirs=t limit-rate=t y=t Y=t t=t ciphers=t engine=! variable=B aws-sigv4=t doh-url=h " +
		"oauth2-bearer=t rate=t url-query=B",
}

// OptionsOf returns the options of a program that is in optionSpecs or the program table, nil for any other.
func OptionsOf(program string) []Option {
	if spec, ok := optionSpecs[program]; ok {
		return ParseOptions(spec)
	}
	return ParseOptions(programTable[program].Options)
}
