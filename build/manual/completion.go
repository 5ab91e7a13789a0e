package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completion is what can follow the verbs of path, such as "sextant tools".
type completion struct {
	path         string
	verbs, flags []described
}

type described struct{ name, help string }

// completions are those after each verb of a program, and the flags of all verbs.
type completions struct {
	each   []completion
	global []described
}

func completionsOf(model *kong.Application) completions {
	all := completions{global: flagsOf(model.Node)}
	var visit func(node *kong.Node)
	visit = func(node *kong.Node) {
		c := completion{path: node.FullPath()}
		for _, child := range node.Children {
			if !child.Hidden {
				c.verbs = append(c.verbs, described{child.Name, firstLine(child.Help)})
			}
			visit(child)
		}
		for at := node; at.Parent != nil; at = at.Parent {
			c.flags = append(c.flags, flagsOf(at)...)
		}
		all.each = append(all.each, c)
	}
	visit(model.Node)
	return all
}

func flagsOf(node *kong.Node) (flags []described) {
	for _, flag := range node.Flags {
		if !flag.Hidden {
			flags = append(flags, described{"--" + flag.Name, firstLine(flag.Help)})
		}
	}
	return flags
}

func namesOf(lists ...[]described) string {
	var names []string
	for _, list := range lists {
		for _, d := range list {
			names = append(names, d.name)
		}
	}
	return strings.Join(names, " ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// bashCompletion returns a script with which bash completes verbs and flags.
func bashCompletion(all completions) string {
	var cases strings.Builder
	for _, c := range all.each {
		fmt.Fprintf(&cases, "    %q) words=%q ;;\n", c.path, namesOf(c.verbs, c.flags))
	}
	return `# Completes the verbs and flags of sextant, and paths.
_sextant() {
  local i path=sextant words=
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] || path+=" ${COMP_WORDS[i]}"
  done
  case $path in
` + cases.String() + `  esac
  COMPREPLY=($(compgen -W "$words ` + namesOf(all.global) + `" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sextant sextant
`
}

// zshCompletion returns a function with which zsh completes verbs and flags with their descriptions.
func zshCompletion(all completions) string {
	list := func(all []described) string {
		var b strings.Builder
		for _, d := range all {
			b.WriteString(" " + shellQuote(d.name+":"+d.help))
		}
		return b.String()
	}
	var cases strings.Builder
	for _, c := range all.each {
		fmt.Fprintf(&cases, "    %s) verbs=(%s ) flags+=(%s ) ;;\n", shellQuote(c.path), list(c.verbs), list(c.flags))
	}
	return `#compdef sextant
# Completes the verbs and flags of sextant, and paths.
_sextant() {
  local at=sextant word
  local -a verbs
  local -a flags=(` + list(all.global) + ` )
  for word in "${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] || at+=" $word"
  done
  case $at in
` + cases.String() + `  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o flag flags
  elif (( $#verbs )); then
    _describe verb verbs
  else
    _files
  fi
}
_sextant "$@"
`
}

// fishCompletion returns a script with which fish completes verbs and flags with their descriptions.
func fishCompletion(all completions) string {
	var b strings.Builder
	flags := func(when string, list []described) {
		for _, d := range list {
			fmt.Fprintf(&b, "complete -c sextant%s -l %s -d %s\n", when, strings.TrimPrefix(d.name, "--"),
				shellQuote(d.help))
		}
	}
	b.WriteString(`# Completes the verbs and flags of sextant, and paths.
function __sextant_at
  set -l words (commandline -opc | string match -v -- '-*')
  test "sextant $words[2..-1]" = "$argv[1]" -o "$words" = "$argv[1]"
end
`)
	flags("", all.global)
	for _, c := range all.each {
		when := " -n " + shellQuote("__sextant_at "+shellQuote(c.path))
		for _, d := range c.verbs {
			fmt.Fprintf(&b, "complete -c sextant%s -f -a %s -d %s\n", when, d.name, shellQuote(d.help))
		}
		flags(when, c.flags)
	}
	return b.String()
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
