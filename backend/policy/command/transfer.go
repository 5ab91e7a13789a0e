package command

import (
	"path"
	"strings"

	"sextant/shared/toolspec"
)

// transfer judges cp, mv, ln and install.
func (c *call) transfer() {
	if c.asksVersion() {
		return
	}
	warned := c.r.warned
	q := parser{options: spec("t,target-directory=w T,no-target-directory S,suffix=t backup?t b reflink?t sparse=t " +
		"preserve?t no-preserve=t m,mode=t o,owner=t g,group=t d,directory strip-program=x Z,context?t s,symbolic r " +
		"R,recursive a f n i u v p P H L l x,one-file-system D c C exchange! remove-destination attributes-only " +
		"parents dereference no-dereference no-clobber update?t verbose force interactive relative logical physical " +
		"strip")}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	if got.has("owner", "group", "exchange") || len(got.strange) > 0 {
		c.warn(c.name + " is given options that change more than files, or are not known here.")
	}
	files := got.operands
	if c.name == "install" && got.has("directory") {
		for _, v := range files {
			c.file(v, toolspec.UseWrite)
		}
		return
	}
	var target value
	if !got.has("target-directory") && len(files) > 0 {
		target = files[len(files)-1]
		files = files[:len(files)-1]
		if len(files) == 0 && c.name == "ln" {
			files, target = []value{target}, literal(".")
		}
	}
	use := toolspec.UseRead
	if strings.HasSuffix(c.name, "mv") {
		use = toolspec.UseDelete
	}
	for _, v := range files {
		if c.name == "ln" && got.has("symbolic") {
			// A link to anywhere is only text; following it is judged by who follows it.
			if v.unknown || strings.HasPrefix(v.text, "/") || strings.Contains(v.text, "..") {
				c.warn("ln makes a link to " + short(v.shown) + ", which may lead out of the folder.")
			}
			continue
		}
		c.file(v, use)
	}
	if !got.has("target-directory") {
		c.file(target, toolspec.UseWrite)
	}
	if c.name != "mv" && c.r.warned == warned {
		c.label = c.name
	}
}

// remove judges rm and shred.
func (c *call) remove() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("r R,recursive f,force i I v,verbose d,dir interactive?t one-file-system " +
		"preserve-root?t no-preserve-root n,iterations=t s,size=t random-source=r u remove?t x,exact z,zero")}
	got := q.parse(c.words[1:])
	if len(got.strange) > 0 {
		c.warn(c.name + " is given " + short(got.strange[0]) + ", which is not known here.")
	}
	c.apply(q, got)
	if got.has("r", "recursive") {
		for _, v := range got.operands {
			if !v.unknown {
				c.warn(c.name + " -r deletes " + short(v.shown) + " with everything in it.")
			}
		}
	}
	for _, v := range got.operands {
		c.file(v, toolspec.UseDelete)
	}
}

func (c *call) dd() {
	for _, w := range c.words[1:] {
		name, text, _ := strings.Cut(w.text, "=")
		v := value{text: text, shown: w.shown, unknown: w.unknown, glob: w.glob}
		switch {
		case len(w.others) > 0, !w.sure() && (name == w.text || strings.ContainsAny(name, "*?[")):
			c.warn("dd is given words that are only known when it runs.")
		case name == "if":
			c.file(v, toolspec.UseRead)
		case name == "of":
			c.file(v, toolspec.UseWrite)
		}
	}
}

// tar judges archives: packing reads, unpacking writes where it stands.
func (c *call) tar() {
	if c.asksVersion() {
		return
	}
	words := append([]value{}, c.words[1:]...)
	if len(words) > 0 && words[0].sure() && !strings.HasPrefix(words[0].text, "-") {
		words[0] = value{text: "-" + words[0].text, shown: words[0].shown} // tar xzf
	}
	q := parser{options: spec("c,create x,extract,get t,list r,append u,update d,diff,compare " +
		"A,catenate,concatenate delete f,file=t C,directory=D z j J a v p P,absolute-names! k w s S O,to-stdout " +
		"to-command=x checkpoint?t checkpoint-action=! I,use-compress-program=x F,info-script,new-volume-script=x " +
		"rsh-command=x rmt-command=x T,files-from=r X,exclude-from=r " +
		"exclude=t strip-components=t transform,xform=t owner=t group=t mode=t mtime=t K=t N=t L=t b=t " +
		"g,listed-incremental=w index-file=w remove-files! overwrite gzip bzip2 xz zstd lzma " +
		"auto-compress verbose preserve-permissions same-owner no-same-owner keep-old-files wildcards no-recursion " +
		"numeric-owner h,dereference warning=t format=t H=t sort=t one-file-system")}
	got := q.parse(words)
	if len(got.strange) > 0 || got.blurred != "" {
		c.warn("tar is given options that are only known when it runs, or not known here.")
	}
	archives := got.values("file")
	for _, v := range archives {
		if strings.Contains(v.text, ":") && !strings.HasPrefix(v.text, "/") && !strings.HasPrefix(v.text, ".") {
			c.network()
			c.warn("tar reads or writes on another machine: " + short(v.shown) + ".")
		}
	}
	c.r.apart(func() {
		// The archive is named before any change of folder.
		for _, v := range archives {
			use := toolspec.UseRead
			if got.has("create", "r", "append", "update", "concatenate", "delete") {
				use = toolspec.UseWrite
			}
			if v.text != "-" {
				c.file(v, use)
			}
		}
		c.apply(q, parsed{options: got.options})
		switch {
		case got.has("list", "compare"), got.has("to-stdout"):
		case got.has("get"):
			c.file(literal("."), toolspec.UseWrite)
		default:
			c.operands("r*", got.operands)
		}
	})
}

func (c *call) archive() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("d=w x=t i=t T! TT=x unzip-command=x m! l p t v q n o j r u D")}
	if c.name != "unzip" {
		q = parser{options: spec("m! T! TT=x unzip-command=x b=w i=t x=t r q j u 9 0 1")}
	}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	switch {
	case len(got.operands) == 0:
		c.warn(c.name + " packs or unpacks what is only known when it runs.")
	case c.name == "unzip":
		c.file(got.operands[0], toolspec.UseRead)
		if !got.has("l", "p", "t", "v", "d") {
			c.file(literal("."), toolspec.UseWrite)
		}
	case c.name == "zip":
		c.file(got.operands[0], toolspec.UseWrite)
		c.operands("r*", got.operands[1:])
	default:
		c.warn(c.name + " packs or unpacks, and which files that takes cannot be told here.")
	}
}

// compress replaces files by others: the old one goes away.
func (c *call) compress() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("c,stdout,to-stdout d,decompress k,keep f,force l,list t,test v q n r,recursive " +
		"S,suffix=t T,threads=t o=w M=t D=r rm! 1 2 3 4 5 6 7 8 9 fast best")}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	for _, v := range got.operands {
		switch {
		case got.has("to-stdout", "list", "test"):
			c.file(v, toolspec.UseRead)
		case got.has("keep") || strings.HasSuffix(c.name, "zstd"):
			c.file(v, toolspec.UseRead)
			c.file(value{text: path.Dir(v.text), shown: v.shown, unknown: v.unknown, glob: v.glob}, toolspec.UseWrite)
		default:
			c.file(v, toolspec.UseDelete)
			c.file(value{text: path.Dir(v.text), shown: v.shown, unknown: v.unknown, glob: v.glob}, toolspec.UseWrite)
		}
	}
}
