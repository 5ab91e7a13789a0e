package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	sourceTop = regexp.MustCompile(`^(\.github|app|backend|build|docs|frontend|panels|shared)/[\w./-]+$`)
	makeCall  = regexp.MustCompile(`^make ([a-z0-9-]+)$`)
	slugDrops = regexp.MustCompile(`[^\w\- ]`)
)

// Repository lists what documents may refer to.
type Repository struct {
	// Exists reports whether a slash-separated path from the top of the tree exists.
	Exists func(path string) bool
	// Targets are the targets of the Makefile.
	Targets []string
}

// CheckReferences checks what Markdown documents name in backticks and links: paths of the source tree, make targets,
// other documents and their headings. Built files (build/bin) and blocks of code are not checked.
func CheckReferences(documents []File, repository Repository) []string {
	texts := map[string]string{}
	for _, d := range documents {
		texts[d.Path] = d.Text
	}
	var problems []string
	for _, d := range documents {
		inCode := false
		for i, line := range strings.Split(d.Text, "\n") {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			if inCode {
				continue
			}
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				if missing := repository.missing(span[1]); missing != "" {
					problems = append(problems, problem(d.Path, i+1, "%s does not exist", missing))
				}
			}
			for _, to := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
				if broken := repository.brokenLink(d.Path, to[1], texts); broken != "" {
					problems = append(problems,
						problem(d.Path, i+1, "the link leads to %s, which does not exist", broken))
				}
			}
		}
	}
	return problems
}

// missing returns the first path or make target in a code span that does not exist, "" for none.
func (r Repository) missing(span string) string {
	if call := makeCall.FindStringSubmatch(span); call != nil && !slices.Contains(r.Targets, call[1]) {
		return span
	}
	for _, word := range strings.Fields(span) {
		p := strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
		if sourceTop.MatchString(p) && !strings.HasPrefix(p, "build/bin/") && !r.Exists(path.Clean(p)) {
			return word
		}
	}
	return ""
}

// brokenLink returns the target of a link in the document from if it does not exist, else "".
func (r Repository) brokenLink(from, to string, texts map[string]string) string {
	if strings.Contains(to, "://") {
		return ""
	}
	file, anchor, _ := strings.Cut(to, "#")
	target := from
	if file != "" {
		target = path.Join(path.Dir(from), file)
	}
	if !r.Exists(target) {
		return to
	}
	text, document := texts[target]
	if anchor == "" || !document {
		return ""
	}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		if headingAnchor(h[1]) == anchor {
			return ""
		}
	}
	return to
}

// headingAnchor returns the anchor that GitHub generates for a heading.
func headingAnchor(text string) string {
	return strings.ReplaceAll(strings.ToLower(slugDrops.ReplaceAllString(text, "")), " ", "-")
}
