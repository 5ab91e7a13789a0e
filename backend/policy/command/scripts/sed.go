package scripts

import "strings"

// ReadSed returns the actions of a GNU sed script, in order of mention. If understood is false, actions after the part
// that it did not understand are missing.
func ReadSed(script string) (actions []Action, understood bool) {
	s := sedScript{text: script}
	understood = s.read()
	return s.actions, understood
}

// sedScript parses a sed script. at is the offset of the next character.
type sedScript struct {
	text    string
	at      int
	actions []Action
}

func (s *sedScript) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *sedScript) skip(chars string) {
	for s.at < len(s.text) && strings.IndexByte(chars, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *sedScript) read() bool {
	for {
		s.skip(" \t\n;")
		if s.at >= len(s.text) {
			return true
		}
		if !s.address() {
			return false
		}
		s.skip(" \t")
		if s.peek() == ',' {
			s.at++
			s.skip(" \t+~")
			if !s.address() {
				return false
			}
		}
		s.skip(" \t!")
		if s.at >= len(s.text) || !s.command() {
			return false
		}
	}
}

func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c == '$':
		s.at++
	case c >= '0' && c <= '9':
		s.skip("0123456789")
		if s.peek() == '~' {
			s.at++
			s.skip("0123456789")
		}
	case c == '/':
		s.at++
		if !s.skipPast('/', true) {
			return false
		}
		s.skip("IM")
	case c == '\\':
		if s.at+1 >= len(s.text) {
			return false
		}
		delimiter := s.text[s.at+1]
		s.at += 2
		if !s.skipPast(delimiter, true) {
			return false
		}
		s.skip("IM")
	}
	return true
}

// In a pattern, skipPast ignores delimiters in brackets.
func (s *sedScript) skipPast(delimiter byte, pattern bool) bool {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '\\':
			s.at++
		case c == delimiter:
			return true
		case c == '[' && pattern && !s.skipBracket(delimiter):
			return false
		}
	}
	return false
}

// skipBracket skips a bracket expression. It fails if the brackets contain a delimiter or a backslash, which versions
// of sed read differently.
func (s *sedScript) skipBracket(delimiter byte) bool {
	end := s.at
	if end < len(s.text) && s.text[end] == '^' {
		end++
	}
	if end < len(s.text) && s.text[end] == ']' {
		end++
	}
	for end < len(s.text) && s.text[end] != ']' {
		if s.text[end] == '[' && end+1 < len(s.text) && strings.IndexByte(":.=", s.text[end+1]) >= 0 {
			class := strings.Index(s.text[end+2:], s.text[end+1:end+2]+"]")
			if class < 0 {
				return false
			}
			end += class + 3
		}
		end++
	}
	if end >= len(s.text) || strings.IndexByte(s.text[s.at:end], delimiter) >= 0 ||
		strings.Contains(s.text[s.at:end], `\]`) || strings.HasSuffix(s.text[s.at:end], `\`) {
		return false
	}
	s.at = end + 1
	return true
}

func (s *sedScript) restOfLine() string {
	rest := s.text[min(s.at, len(s.text)):]
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	s.at += end
	return strings.TrimLeft(rest[:end], " \t")
}

func continuesOnNextLine(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

func (s *sedScript) command() bool {
	c := s.peek()
	s.at++
	switch {
	case strings.IndexByte("{}=dDgGhHnNpPxzF", c) >= 0:
		return true
	case strings.IndexByte("qQlL", c) >= 0:
		s.skip(" \t")
		s.skip("0123456789")
		return true
	case strings.IndexByte(":btT", c) >= 0:
		return s.label(c == ':')
	case strings.IndexByte("aic", c) >= 0:
		// The text extends to the end of the line, and continues while lines end in a backslash.
		for continuesOnNextLine(s.restOfLine()) && s.at < len(s.text) {
			s.at++
		}
		return true
	case c == '#':
		s.restOfLine()
		return true
	case c == 's':
		return s.substitute()
	case c == 'y':
		delimiter := s.peek()
		s.at++
		from := s.skipPast(delimiter, false)
		return s.skipPast(delimiter, false) && from
	}
	return s.act(c)
}

// label skips a label, and reports whether every version of sed would end it here. GNU sed allows a command after a
// space, and a } in the name of a label that is declared.
func (s *sedScript) label(declared bool) bool {
	s.skip(" \t")
	s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
	return s.at >= len(s.text) || strings.IndexByte(" \t\n;", s.peek()) >= 0 || s.peek() == '}' && !declared
}

func (s *sedScript) act(c byte) bool {
	switch c {
	case 'r', 'R':
		s.add(ActionReadFile, s.restOfLine())
	case 'w', 'W':
		s.add(ActionWriteFile, s.restOfLine())
	case 'e':
		s.add(ActionRunCommand, s.restOfLine())
	default:
		return false
	}
	return true
}

func (s *sedScript) substitute() bool {
	delimiter := s.peek()
	s.at++
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' || !s.skipPast(delimiter, true) ||
		!s.skipPast(delimiter, false) {
		return false
	}
	for s.at < len(s.text) {
		c := s.peek()
		switch {
		case strings.IndexByte("gpiIMm0123456789", c) >= 0:
			s.at++
		case c == 'e':
			s.at++
			s.add(ActionRunResult, "")
		case c == 'w':
			s.at++
			s.add(ActionWriteFile, s.restOfLine())
			return true
		default:
			return strings.IndexByte(" \t\n;}#", c) >= 0
		}
	}
	return true
}

func (s *sedScript) add(kind ActionKind, text string) {
	s.actions = append(s.actions, Action{kind, text})
}
