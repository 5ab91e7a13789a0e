package programs

// Wrapper describes a program that starts the command in its operands.
type Wrapper struct {
	Options string
	// Skip is the number of operands before the command.
	Skip int
	// Warning is the predicate of a sentence that starts with the wrapper's name, "" for no warning.
	Warning string
}

var wrapperTable = map[string]Wrapper{
	"timeout": {
		Options: "k,kill-after=t s,signal=t foreground preserve-status v,verbose p,preserve-status f",
		Skip:    1,
	},
	"gtimeout": {Options: "k,kill-after=t s,signal=t foreground preserve-status v", Skip: 1},
	"nice":     {Options: "n,adjustment=t 0 1 2 3 4 5 6 7 8 9"},
	"ionice":   {Options: "c,class=t n,classdata=t p,pid=t P,pgid=t u,uid=t t,ignore"},
	"nohup":    {}, "setsid": {Options: "c,ctty f,fork w,wait"}, "stdbuf": {Options: "i,input=t o,output=t e,error=t"},
	"time":    {Options: "f,format=t o,output=w a,append p,portability v,verbose q,quiet"},
	"taskset": {Options: "c,cpu-list p! a", Skip: 1}, "chrt": {Options: "b d f i o r R p! T=t P=t D=t a m v", Skip: 1},
	"numactl":   {Options: "N=t m=t C=t i=t p=t l s H"},
	"catchsegv": {}, "unbuffer": {Options: "p"}, "fakeroot": {Options: "l=x lib=x i=r s=w"},
	"setarch": {Options: "R 3 B F I L S T X Z v", Skip: 1}, "linux32": {}, "linux64": {},
	"cgexec": {Options: "g=t sticky"}, "ccache": {}, "distcc": {}, "caffeinate": {Options: "d i m s u t=t w=t"},
	"gosu": {Skip: 1, Warning: RunsAsOtherUserWarning}, "su-exec": {Skip: 1, Warning: RunsAsOtherUserWarning},
	"chroot":  {Options: "userspec=t groups=t skip-chdir", Skip: 1, Warning: "runs it with another folder as the root"},
	"unshare": {Options: unshareOptions, Warning: "runs it in namespaces of its own"},
	"nsenter": {Options: nsenterOptions, Warning: "runs it inside of another program's namespaces"},
	"sudo": {Options: "u,user=t g,group=t h,host=t p,prompt=t C=t r,role=t t,type=t U,other-user=t T=t D,chdir=D " +
		"R,chroot=t A b E,preserve-env?t H i,login K k l e,edit n P S s,shell V v", Warning: RunsAsOtherUserWarning},
	"doas":   {Options: "u=t C=r a=t L n s", Warning: RunsAsOtherUserWarning},
	"pkexec": {Options: "user=t disable-internal-agent keep-cwd", Warning: RunsAsOtherUserWarning},
	"setpriv": {Options: "reuid=t regid=t groups=t clear-groups keep-groups init-groups no-new-privs inh-caps=t " +
		"bounding-set=t", Warning: ChangesRightsWarning},
	"runcon":           {Options: "t=t u=t r=t l=t c", Skip: 1, Warning: ChangesRightsWarning},
	"dbus-run-session": {Warning: RunsAnyCommandWarning},
	"dbus-launch":      {Warning: RunsAnyCommandWarning},
	"xvfb-run":         {Options: "a n=t e=w s=t f=r", Warning: "starts a display of its own"},
	"softlimit":        {Options: "a=t c=t d=t m=t t=t"}, "faketime": {Options: "f m", Skip: 1},
	"rlwrap": {Options: "f=r H=w", Warning: RunsAnyCommandWarning},
	"toybox": {}, "busybox": {}, "nocache": {}, "eatmydata": {},
	"proxychains": {Options: "q f=r", Warning: "reaches the network"}, "torsocks": {Warning: "reaches the network"},
	"prlimit":         {Options: "p,pid=t n,nofile?t c,core?t v,as?t t,cpu?t o,output=t"},
	"systemd-inhibit": {Options: "what=t who=t why=t mode=t", Warning: ChangesSystemWarning},
	"aa-exec":         {Options: "p=t", Warning: ChangesRightsWarning}, "capsh": {Warning: ChangesRightsWarning},
	"sg": {Skip: 1, Warning: RunsAsOtherUserWarning},
}

const (
	unshareOptions = "m,mount?t u,uts?t i,ipc?t n,net?t p,pid?t U,user?t C,cgroup?t T,time?t f,fork r,map-root-user " +
		"c,map-current-user mount-proc?t R,root=t w,wd=D S,setuid=t G,setgid=t kill-child?t propagation=t " +
		"setgroups=t keep-caps map-users=t map-groups=t map-auto"
	nsenterOptions = "t,target=t m,mount?t u,uts?t i,ipc?t n,net?t p,pid?t U,user?t C,cgroup?t T,time?t S,setuid=t " +
		"G,setgid=t r,root?t w,wd?t a,all F,no-fork e,env preserve-credentials W=t"
)

// LookupWrapper returns the entry of a wrapper. ok is false if there is none.
func LookupWrapper(name string) (w Wrapper, ok bool) {
	w, ok = wrapperTable[name]
	return w, ok
}
