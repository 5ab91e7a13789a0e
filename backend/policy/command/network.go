package command

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// networked are the judges of programs that reach the network by their nature.
func networked(name string) func(*call) {
	switch name {
	case "curl":
		return (*call).curl
	case "wget":
		return (*call).wget
	case "ssh", "mosh", "sftp", "autossh":
		return (*call).ssh
	case "scp", "rsync", "rclone":
		return (*call).copies
	case "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "tftp", "aria2c", "axel", "http", "https", "xh",
		"ping", "ping6", "traceroute", "tracepath", "mtr",
		"dig", "nslookup", "host", "drill", "whois", "nmap", "openssl", "ssh-copy-id", "ssh-keyscan", "tcpdump", "ss",
		"netstat", "arp", "w3m", "lynx", "links", "yt-dlp", "youtube-dl", "ngrok", "cloudflared", "ab", "wrk", "hey",
		"iperf", "iperf3", "grpcurl", "websocat", "speedtest":
		return (*call).reaches
	}
	return nil
}

// reaches judges the rest of them: the operands that look like hosts are named, and what
// else they do is not told apart.
func (c *call) reaches() {
	if c.asksVersion() {
		return
	}
	c.network()
	for _, w := range c.words[1:] {
		if w.sure() && !strings.HasPrefix(w.text, "-") &&
			(strings.Contains(w.text, ".") || strings.Contains(w.text, "://")) {
			c.host(w)
		}
	}
	c.warn(c.name + " reaches the network, and what it sends is not read here.")
}

// host notes an address or host that a command names.
func (c *call) host(v value) {
	if !v.sure() || strings.ContainsAny(v.text, "{}[]*") && !strings.Contains(v.text, "://[") {
		c.network()
		c.warn("Which host “" + short(v.shown) + "” is shows only when it runs.")
		return
	}
	text := v.text
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	if strings.Contains(text, `\`) || strings.Count(text, "@") > 1 {
		// Programs part on where the host ends in such an address.
		c.network()
		c.warn("Which host “" + short(v.shown) + "” is shows only when it runs.")
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.HasSuffix(u.Host, ":") {
		c.network()
		c.warn("“" + short(v.shown) + "” is no address that can be read.")
		return
	}
	if u.Scheme == "file" {
		c.file(literal(u.Path), toolspec.UseRead)
		return
	}
	c.network()
	host := strings.ToLower(u.Host)
	if !slices.Contains(c.r.out.Hosts, host) {
		c.r.out.Hosts = append(c.r.out.Hosts, host)
	}
}

const curlOptions = "o,output=w O,remote-name remote-name-all output-dir=w T,upload-file=r d,data=B data-raw=t " +
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
	"oauth2-bearer=t rate=t url-query=B"

func (c *call) curl() {
	if c.asksVersion() {
		return
	}
	c.network()
	q := parser{options: spec(curlOptions)}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	for _, s := range got.strange {
		c.warn("curl is given " + short(s) + ", which is not known here.")
	}
	for _, o := range got.options {
		if o.role != 'B' || !o.has {
			continue
		}
		// A body or header may be taken from a file: @file, name@file, name=@file.
		if o.value.unknown {
			c.warn("What curl sends is only known when it runs: " + short(o.value.shown) + ".")
			continue
		}
		_, file, is := strings.Cut(o.value.text, "@")
		if o.name == "form" && !is {
			_, file, is = strings.Cut(o.value.text, "=<")
		}
		if is && (o.name != "header" || strings.HasPrefix(o.value.text, "@")) {
			c.file(literal(strings.SplitN(file, ";", 2)[0]), toolspec.UseRead)
			c.warn("curl sends the file " + short(file) + ".")
		}
	}
	if len(got.values("upload-file")) > 0 {
		c.warn("curl sends the file " + short(got.values("upload-file")[0].shown) + ".")
	}
	for _, w := range got.operands {
		c.host(w)
		if got.has("remote-name", "remote-name-all") {
			c.file(value{text: path.Base(w.text), shown: w.shown, unknown: w.unknown}, toolspec.UseWrite)
		}
	}
	if got.has("location", "location-trusted") {
		c.warn("curl goes wherever the server sends it, and that is known only when it runs.")
	}
	if got.has("remote-header-name") {
		c.warn("The server chooses the name of the file that curl writes.")
	}
}

func (c *call) wget() {
	if c.asksVersion() {
		return
	}
	c.network()
	q := parser{options: spec("O,output-document=w o,output-file=w a,append-output=w i,input-file=r " +
		"P,directory-prefix=w e,execute=! config=! post-file=r post-data=t body-file=r body-data=t method=t header=t " +
		"U,user-agent=t referer=t load-cookies=r save-cookies=w use-askpass=x t,tries=t T,timeout=t w,wait=t " +
		"Q,quota=t l,level=t A,accept=t R,reject=t D,domains=t B,base=t user=t password=t " +
		"limit-rate=t r,recursive p k m,mirror H,span-hosts np nc c,continue N q,quiet v,verbose nv " +
		"S,server-response spider no-check-certificate nd x E b,background content-disposition no-verbose " +
		"no-clobber no-parent show-progress 4 6 n=t certificate=r private-key=r ca-certificate=r hsts-file=w " +
		"warc-file=w rejected-log=w start-pos=t cut-dirs=t")}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	if len(got.strange) > 0 {
		c.warn("wget is given " + short(got.strange[0]) + ", which is not known here.")
	}
	if got.has("post-file", "body-file") {
		c.warn("wget sends a file.")
	}
	if got.has("input-file") {
		c.warn("The addresses that wget opens stand in a file.")
	}
	for _, w := range got.operands {
		c.host(w)
	}
	if len(got.values("output-document")) == 0 && !got.has("spider") {
		c.file(literal("."), toolspec.UseWrite)
	}
}

func (c *call) ssh() {
	if c.asksVersion() || len(c.words) == 2 && c.words[1].text == "-V" {
		return
	}
	c.network()
	q := parser{options: spec("b=t c=t D=t E=w e=t F=r I=! i=r J=h L=t l=t m=t O=t o=! p=t Q=t R=t S=! W=h w=t B=t " +
		"P=t s f n N q t T v x X y A a C K k M G g Y 4 6 V ssh=x"), first: true}
	got := q.parse(c.words[1:])
	c.apply(q, parsed{options: got.options})
	if len(got.operands) > 0 {
		c.remote(got.operands[0])
	}
	c.warn(c.name + " runs commands on another machine, outside of any sandbox.")
}

// remote is user@host or user@host:path.
func (c *call) remote(v value) {
	if v.unknown {
		c.host(v)
		return
	}
	text := v.text
	if !strings.Contains(text, "://") {
		text, _, _ = strings.Cut(text, ":")
	}
	if at := strings.LastIndex(text, "@"); at >= 0 && !strings.Contains(text, "://") {
		text = text[at+1:]
	}
	c.host(value{text: text, shown: v.shown, glob: v.glob})
}

// copies judges scp, rsync and rclone: host:path is elsewhere, the rest are files here.
func (c *call) copies() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("e,rsh=x rsync-path=! exclude=t include=t f,filter=t exclude-from=r include-from=r " +
		"files-from=r T,temp-dir=w backup-dir=w log-file=w partial-dir=w compare-dest=r copy-dest=r link-dest=r " +
		"a,archive v,verbose z,compress r,recursive n,dry-run u,update P progress h,human-readable delete! " +
		"delete-after! delete-before! delete-excluded! remove-source-files! i=r F=r o=! S=! J=h c=t l=t " +
		"p q,quiet C B D 3 4 6 t g x,one-file-system H A X L k K b,backup s m password-file=r write-batch=w " +
		"read-batch=r chmod=t chown=t max-size=t min-size=t bwlimit=t timeout=t port=t info=t out-format=t checksum " +
		"stats partial inplace")}
	if c.name == "scp" {
		q.options = append([]option{{names: []string{"P"}, takes: '=', role: roleText}}, q.options...)
	}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	if len(got.strange) > 0 || got.blurred != "" || c.name == "rclone" {
		c.warn(c.name + " is given words that are only known when it runs, or not known here.")
	}
	for i, v := range got.operands {
		before, _, colon := strings.Cut(v.text, ":")
		elsewhere := colon && !strings.Contains(before, "/") || strings.Contains(v.text, "://")
		switch {
		case elsewhere:
			c.remote(v)
			c.warn(c.name + " copies between this machine and " + short(v.shown) + ".")
		case i == len(got.operands)-1 && i > 0:
			c.file(v, toolspec.UseWrite)
		default:
			c.file(v, toolspec.UseRead)
		}
	}
	if c.name == "scp" || c.name == "rclone" {
		c.network()
	}
}
