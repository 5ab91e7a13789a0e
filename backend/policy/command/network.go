package command

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func networkJudge(name string) func(*simpleCommand) {
	switch name {
	case "curl":
		return (*simpleCommand).curl
	case "wget":
		return (*simpleCommand).wget
	case "ssh", "mosh", "sftp", "autossh":
		return (*simpleCommand).ssh
	case "scp", "rsync", "rclone":
		return (*simpleCommand).remoteCopy
	case "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "tftp", "aria2c", "axel", "http", "https", "xh",
		"ping", "ping6", "traceroute", "tracepath", "mtr", "dig", "nslookup", "host", "drill", "whois", "nmap",
		"ssh-copy-id", "ssh-keyscan", "tcpdump", "ss", "netstat", "arp", "w3m", "lynx", "links", "yt-dlp",
		"youtube-dl", "ngrok", "cloudflared", "ab", "wrk", "hey", "iperf", "iperf3", "grpcurl", "websocat",
		"speedtest":
		return (*simpleCommand).networkProgram
	case "openssl":
		return (*simpleCommand).openssl
	}
	return nil
}

func (c *simpleCommand) openssl() {
	if len(c.words) > 1 && c.words[1].IsLiteral() &&
		!slices.Contains([]string{"s_client", "s_time", "ocsp", "cmp"}, c.words[1].Text) {
		c.warn("openssl " + excerpt.Line(c.words[1].Text, 80) + " is not a command that Sextant reads.")
		return
	}
	c.networkProgram()
}

// Every word that looks like a host is one.
func (c *simpleCommand) networkProgram() {
	if c.asksVersionOrHelp() {
		return
	}
	c.useNetwork()
	for _, w := range c.words[1:] {
		if w.IsLiteral() && !strings.HasPrefix(w.Text, "-") &&
			(strings.Contains(w.Text, ".") || strings.Contains(w.Text, "://")) {
			c.useHost(w)
		}
	}
	c.warn(c.name + " reaches the network, and Sextant does not read what it sends.")
}

func (c *simpleCommand) useHost(v bash.Word) {
	if !v.IsLiteral() || strings.ContainsAny(v.Text, "{}[]*") && !strings.Contains(v.Text, "://[") {
		c.useNetwork()
		c.warn("“" + excerpt.Line(v.Display, 80) + "” names a host that is known only when it runs.")
		return
	}
	text := v.Text
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	if strings.Contains(text, `\`) || strings.Count(text, "@") > 1 {
		// Programs disagree on where the host ends in such a URL.
		c.useNetwork()
		c.warn("“" + excerpt.Line(v.Display, 80) + "” names a host that is known only when it runs.")
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.HasSuffix(u.Host, ":") {
		c.useNetwork()
		c.warn("“" + excerpt.Line(v.Display, 80) + "” is not an address that can be read.")
		return
	}
	if u.Scheme == "file" {
		c.useFile(bash.LiteralWord(u.Path), toolspec.UseRead)
		return
	}
	c.useNetwork()
	host := strings.ToLower(u.Host)
	if !slices.Contains(c.reader.reading.Hosts, host) {
		c.reader.reading.Hosts = append(c.reader.reading.Hosts, host)
	}
}

func (c *simpleCommand) curl() {
	if c.asksVersionOrHelp() {
		return
	}
	c.useNetwork()
	parser := programs.OptionParser{Options: programs.OptionsOf("curl")}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	for _, s := range args.UnknownOptions {
		c.warn("curl has the unknown option " + excerpt.Line(s, 80) + ".")
	}
	for _, o := range args.Options {
		if o.Role != 'B' || !o.HasValue {
			continue
		}
		// A body or header may come from a file: @file, name@file, name=@file.
		if o.Value.Unknown {
			c.warn("What curl sends is known only when it runs: " + excerpt.Line(o.Value.Display, 80) + ".")
			continue
		}
		_, file, ok := strings.Cut(o.Value.Text, "@")
		if o.Name == "form" && !ok {
			_, file, ok = strings.Cut(o.Value.Text, "=<")
		}
		if ok && (o.Name != "header" || strings.HasPrefix(o.Value.Text, "@")) {
			c.useFile(bash.LiteralWord(strings.SplitN(file, ";", 2)[0]), toolspec.UseRead)
			c.warn("curl sends the file " + excerpt.Line(file, 80) + ".")
		}
	}
	if len(args.Values("upload-file")) > 0 {
		c.warn("curl sends the file " + excerpt.Line(args.Values("upload-file")[0].Display, 80) + ".")
	}
	for _, w := range args.Operands {
		c.useHost(w)
		if args.Has("remote-name", "remote-name-all") {
			c.useFile(bash.Word{Text: path.Base(w.Text), Display: w.Display, Unknown: w.Unknown}, toolspec.UseWrite)
		}
	}
	if args.Has("location", "location-trusted") {
		c.warn("curl follows redirects, and where they lead is known only when it runs.")
	}
	if args.Has("remote-header-name") {
		c.warn("The server chooses the name of the file that curl writes.")
	}
}

func (c *simpleCommand) wget() {
	if c.asksVersionOrHelp() {
		return
	}
	c.useNetwork()
	parser := programs.OptionParser{Options: programs.OptionsOf("wget")}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	if len(args.UnknownOptions) > 0 {
		c.warn("wget has the unknown option " + excerpt.Line(args.UnknownOptions[0], 80) + ".")
	}
	if args.Has("post-file", "body-file") {
		c.warn("wget sends a file.")
	}
	if args.Has("input-file") {
		c.warn("wget reads the addresses from a file.")
	}
	for _, w := range args.Operands {
		c.useHost(w)
	}
	if len(args.Values("output-document")) == 0 && !args.Has("spider") {
		c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
	}
}

func (c *simpleCommand) ssh() {
	if c.asksVersionOrHelp() || len(c.words) == 2 && c.words[1].Text == "-V" {
		return
	}
	c.useNetwork()
	parser := programs.OptionParser{Options: programs.OptionsOf("ssh"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	if len(args.Operands) > 0 {
		c.useRemote(args.Operands[0])
	}
	c.warn(c.name + " runs commands on another machine, outside of any sandbox.")
}

// useRemote adds the host in user@host or user@host:path.
func (c *simpleCommand) useRemote(v bash.Word) {
	if v.Unknown {
		c.useHost(v)
		return
	}
	text := v.Text
	if !strings.Contains(text, "://") {
		text, _, _ = strings.Cut(text, ":")
	}
	if at := strings.LastIndex(text, "@"); at >= 0 && !strings.Contains(text, "://") {
		text = text[at+1:]
	}
	c.useHost(bash.Word{Text: text, Display: v.Display, HasGlob: v.HasGlob})
}

// remoteCopy judges scp, rsync and rclone: host:path is remote, and anything else is a local file.
func (c *simpleCommand) remoteCopy() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("rsync")}
	if c.name == "scp" {
		port := programs.Option{Names: []string{"P"}, ValueMode: '=', Role: programs.RoleText}
		parser.Options = append([]programs.Option{port}, parser.Options...)
	}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" || c.name == "rclone" {
		c.warn(c.name + " has words that are unknown, or known only when it runs.")
	}
	for i, v := range args.Operands {
		before, _, colon := strings.Cut(v.Text, ":")
		elsewhere := colon && !strings.Contains(before, "/") || strings.Contains(v.Text, "://")
		switch {
		case elsewhere:
			c.useRemote(v)
			c.warn(c.name + " copies between this machine and " + excerpt.Line(v.Display, 80) + ".")
		case i == len(args.Operands)-1 && i > 0:
			c.useFile(v, toolspec.UseWrite)
		default:
			c.useFile(v, toolspec.UseRead)
		}
	}
	if c.name == "scp" || c.name == "rclone" {
		c.useNetwork()
	}
}
