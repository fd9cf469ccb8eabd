// Package ignore parses files such as .gitignore and decides by git's rules which paths they exclude. It
// opens no file.
package ignore

import (
	"bytes"
	"strings"
)

// Rules are those of one file, which are about what is in the folder of that file.
type Rules struct{ rules []rule }

type rule struct {
	// prefix is how a path has to begin, up to the first special character. Git compares it apart, so that
	// what follows stands at a beginning: a**/b is a, and then **/b.
	prefix string
	// segments of the rest; of a pattern without a slash there is one, which is about names in every folder.
	segments []string
	anchored bool
	folder   bool // it is about folders alone
	again    bool // it takes back what earlier rules leave out
}

// Parse reads a file. A line that is no pattern matches nothing.
func Parse(content []byte) *Rules {
	r := &Rules{}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(content), "\n") {
		if one, ok := parse(strings.TrimSuffix(line, "\r")); ok {
			r.rules = append(r.rules, one)
		}
	}
	return r
}

func parse(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	line = trimmed(line)
	var r rule
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		line, r.again = rest, true
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		line, r.folder = rest, true
	}
	if line == "" {
		return rule{}, false
	}
	r.anchored = strings.Contains(line, "/")
	if !r.anchored {
		r.segments = []string{line}
		return r, true
	}
	line = strings.TrimPrefix(unprotected(line), "/")
	if at := strings.IndexAny(line, `*?[\`); at >= 0 {
		r.prefix, line = line[:at], line[at:]
	} else {
		r.prefix, line = line, ""
	}
	r.segments = strings.Split(line, "/")
	for i, s := range r.segments {
		if len(s) > len(anyDepth) && strings.Trim(s, "*") == "" {
			r.segments[i] = anyDepth
		}
	}
	return r, true
}

// unprotected is a pattern whose slashes have no backslash in front: they mean the same without.
func unprotected(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			if i++; line[i] != '/' {
				out.WriteByte('\\')
			}
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

// trimmed is a line without the blanks at its end that no backslash protects.
func trimmed(line string) string {
	end := 0 // behind the last character that stays
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// Match decides about a path below the folder of the rules, with slashes. The last rule that matches counts.
// Shape: decided = a rule is about it; ignored = it is left out. Whether a folder above it is left out, the
// caller asks first.
func (r *Rules) Match(path string, folder bool) (ignored, decided bool) {
	for i := len(r.rules) - 1; i >= 0; i-- {
		one := &r.rules[i]
		if one.folder && !folder {
			continue
		}
		if one.matches(path) {
			return !one.again, true
		}
	}
	return false, false
}

func (r *rule) matches(path string) bool {
	if !r.anchored {
		return matchSegment(r.segments[0], path[strings.LastIndexByte(path, '/')+1:])
	}
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && matchPath(r.segments, strings.Split(rest, "/"))
}

// anyDepth is the segment that stands for any number of folders.
const anyDepth = "**"

// matchPath reports whether segments of a pattern match a path. The last ** so far takes one more folder each
// time that what follows fails; earlier ones need not be tried again.
func matchPath(pattern, path []string) bool {
	p, s, star, next := 0, 0, -1, 0
	for s < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == anyDepth:
			if p == len(pattern)-1 {
				return true // whatever is below
			}
			star, next = p, s
			p++
			continue
		case p < len(pattern) && matchSegment(pattern[p], path[s]):
			p, s = p+1, s+1
			continue
		case star < 0:
			return false
		}
		next++
		p, s = star+1, next
	}
	return p == len(pattern)
}
