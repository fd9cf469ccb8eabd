package ignore

// matchSegment reports whether a pattern without slashes matches a name. As in git, * stands for any text, ? for any
// byte, [a-z] for one byte of a set, and \ escapes. ** is the same as *.
// Units: the time is at most proportional to the product of the lengths.
func matchSegment(pattern, name string) bool {
	p, s, star, next := 0, 0, -1, 0
	for s < len(name) {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, next = p, s
				p++
				continue
			}
			if size, width := one(pattern[p:], name[s:]); width > 0 {
				p, s = p+size, s+width
				continue
			}
		}
		if star < 0 {
			return false
		}
		next++
		p, s = star+1, next
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// one matches the first element of a pattern with the beginning of a name.
// Shape: size is the length of the element, width that of the match; width 0 = no match.
func one(pattern, name string) (size, width int) {
	switch pattern[0] {
	case '?':
		return 1, 1
	case '\\':
		if len(pattern) > 1 && pattern[1] == name[0] {
			return 2, 1
		}
		return 0, 0
	case '[':
		return set(pattern, name)
	}
	if pattern[0] == name[0] {
		return 1, 1
	}
	return 0, 0
}

// set matches a set such as [a-z], [!0-9] or [[:alpha:]] with one byte.
func set(pattern, name string) (size, width int) {
	c, i, in := name[0], 1, false
	negated := len(pattern) > 1 && (pattern[1] == '!' || pattern[1] == '^')
	if negated {
		i++
	}
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, 0 // the set has no ]
		}
		if pattern[i] == ']' && !first {
			break
		}
		if end, test := class(pattern[i:]); end > 0 {
			if test == nil {
				return 0, 0
			}
			in, i = in || test(c), i+end
			continue
		}
		low, n := literal(pattern[i:])
		if n == 0 {
			return 0, 0
		}
		i += n
		high := low
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if high, n = literal(pattern[i+1:]); n == 0 {
				return 0, 0
			}
			i += 1 + n
		}
		in = in || low <= c && c <= high
	}
	if in == negated {
		return 0, 0
	}
	return i + 1, 1
}

// literal returns the byte of a set's element, and the element's length; 0 = the pattern ends within it.
func literal(pattern string) (c byte, n int) {
	if pattern[0] != '\\' {
		return pattern[0], 1
	}
	if len(pattern) < 2 {
		return 0, 0
	}
	return pattern[1], 2
}

// class returns the length of a named class such as [:digit:], and its test; 0 = the pattern does not begin with one.
// The test is nil for an unknown name.
func class(pattern string) (n int, test func(byte) bool) {
	const shortest = len("[::]")
	if len(pattern) < shortest || pattern[:2] != "[:" {
		return 0, nil
	}
	for i := 2; i+1 < len(pattern) && pattern[i] != ']'; i++ {
		if pattern[i] == ':' && pattern[i+1] == ']' {
			return i + 2, classes[pattern[2:i]]
		}
	}
	return 0, nil
}

func between(c, low, high byte) bool { return low <= c && c <= high }

func letter(c byte) bool { return between(c, 'a', 'z') || between(c, 'A', 'Z') }

func digit(c byte) bool { return between(c, '0', '9') }

func graph(c byte) bool { return between(c, '!', '~') }

var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return letter(c) || digit(c) },
	"alpha":  letter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  digit,
	"graph":  graph,
	"lower":  func(c byte) bool { return between(c, 'a', 'z') },
	"print":  func(c byte) bool { return between(c, ' ', '~') },
	"punct":  func(c byte) bool { return graph(c) && !letter(c) && !digit(c) },
	"space":  func(c byte) bool { return c == ' ' || between(c, '\t', '\r') },
	"upper":  func(c byte) bool { return between(c, 'A', 'Z') },
	"xdigit": func(c byte) bool { return digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F') },
}
