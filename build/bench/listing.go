package main

import (
	"regexp"
	"slices"
	"strings"
)

// ListedElement is one line of a system's answer that has a handle.
type ListedElement struct {
	Ref, Role, Name string
	// Usable is false if the line itself marks the element as unusable.
	Usable bool
	// Marked is true if the line marks an element without a role as usable.
	Marked bool
}

var (
	sextantLine     = regexp.MustCompile(`^\[(\d+)\] (\S+)(?: "((?:[^"\\]|\\.)*)")?(.*)$`)
	sextantUnusable = regexp.MustCompile(`\((?:[^()]*, )?(?:disabled|covered|invisible)`)
	yamlLine        = regexp.MustCompile(`^( *)- '?(\S+?)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)'?(?:: ?(.*)|)$`)
	yamlRef         = regexp.MustCompile(`\[ref=(\w+)\]`)
	devLine         = regexp.MustCompile(`^( *)uid=(\S+)(?: ([A-Za-z]\S*))?(?: "(.*?)")?((?: [a-z]+(?:="[^"]*")?)*)$`)
	agentLine       = regexp.MustCompile(`^( *)- (\S+)(?: "((?:[^"\\]|\\.)*)")? \[([^\]]*)\](.*)$`)
	agentRef        = regexp.MustCompile(`ref=(\w+)`)
)

func unquote(s string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
}

// parseSextant parses `[12] button "Save" = "value" (states)`.
func parseSextant(text string) []ListedElement {
	var out []ListedElement
	for line := range strings.Lines(text) {
		m := sextantLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		out = append(out, ListedElement{
			Ref: m[1], Role: m[2], Name: unquote(m[3]), Usable: !sextantUnusable.MatchString(m[4]),
			Marked: true,
		})
	}
	return out
}

// node is a line of an indented answer. A nameless node is named by its content.
type node struct {
	ListedElement
	depth int
	text  string
}

// parsePlaywright parses `- button "Save" [disabled] [ref=e3] [cursor=pointer]: text`.
func parsePlaywright(text string) []ListedElement {
	var nodes []node
	for line := range strings.Lines(text) {
		m := yamlLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		n := node{depth: len(m[1]), text: strings.Trim(m[5], `"`)}
		n.Role, n.Name = strings.TrimSuffix(m[2], ":"), unquote(m[3])
		if ref := yamlRef.FindStringSubmatch(m[4]); ref != nil {
			n.Ref = ref[1]
		}
		n.Usable = !strings.Contains(m[4], "[disabled]")
		n.Marked = strings.Contains(m[4], "cursor=pointer")
		nodes = append(nodes, n)
	}
	return nameFromContent(nodes)
}

// parseDevtools parses `uid=1_4 textbox "Name" disableable disabled value="x"`.
func parseDevtools(text string) []ListedElement {
	var nodes []node
	for line := range strings.Lines(text) {
		m := devLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		n := node{depth: len(m[1])}
		n.Ref, n.Role, n.Name = m[2], m[3], m[4]
		if n.Role == "" {
			n.Role, n.text = "text", m[4]
		}
		n.Usable = !slices.Contains(strings.Fields(m[5]), "disabled")
		nodes = append(nodes, n)
	}
	return nameFromContent(nodes)
}

// parseAgent parses `- generic "Div" [disabled, ref=e2] clickable [cursor:pointer]: text`.
func parseAgent(text string) []ListedElement {
	var nodes []node
	for line := range strings.Lines(text) {
		m := agentLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		n := node{depth: len(m[1])}
		n.Role, n.Name = m[2], unquote(m[3])
		if ref := agentRef.FindStringSubmatch(m[4]); ref != nil {
			n.Ref = ref[1]
		}
		n.Usable = !strings.Contains(m[4], "disabled")
		n.Marked = strings.Contains(m[5], "clickable") || strings.Contains(m[5], "editable") ||
			strings.Contains(m[5], "focusable")
		if _, after, ok := strings.Cut(m[5], ": "); ok {
			n.text = after
		}
		nodes = append(nodes, n)
	}
	return nameFromContent(nodes)
}

// nameFromContent names nameless nodes by their content and returns the nodes with a handle.
func nameFromContent(nodes []node) []ListedElement {
	var out []ListedElement
	for i, n := range nodes {
		if n.Ref == "" {
			continue
		}
		if n.Name == "" {
			words := []string{n.text}
			for _, in := range nodes[i+1:] {
				if in.depth <= n.depth {
					break
				}
				if len(words) > 8 {
					break
				}
				words = append(words, in.Name, in.text)
			}
			n.Name = strings.Join(words, " ")
		}
		out = append(out, n.ListedElement)
	}
	return out
}
