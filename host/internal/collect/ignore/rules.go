// Package ignore parses files such as .gitignore and decides by git's rules which paths they exclude. It
// opens no file.
package ignore

import (
	"bytes"
	"strings"
)

// Rules are the rules of one ignore file. They apply to paths below the folder of that file.
type Rules struct{ rules []rule }

type rule struct {
	// prefix is the pattern up to the first special character. Like git, Match compares it separately, and the rest
	// as a pattern of its own: a**/b is the prefix a and the pattern **/b.
	prefix string
	// segments are the rest, split at slashes. A pattern without a slash has one, which matches names in every folder.
	segments []string
	anchored bool
	folder   bool // it matches only folders
	again    bool // it includes again what earlier rules exclude (!)
}

// Parse parses an ignore file. There are no errors: an invalid pattern matches nothing.
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

// unprotected returns a pattern without backslashes before slashes: they change nothing.
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

// trimmed returns a line without trailing spaces, except escaped ones.
func trimmed(line string) string {
	end := 0 // after the last character that stays
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

// Match reports whether the rules exclude a path, which is relative to their folder and has slashes. The last rule
// that matches decides. The caller must check the folders above the path first: below an excluded one everything is
// excluded.
// Shape: decided is false when no rule matches.
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

// anyDepth is the segment that matches any number of folders.
const anyDepth = "**"

// matchPath reports whether the segments of a pattern match a path. When the segments after a ** fail, that ** matches
// one more folder; only the last ** needs to be tried again.
func matchPath(pattern, path []string) bool {
	p, s, star, next := 0, 0, -1, 0
	for s < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == anyDepth:
			if p == len(pattern)-1 {
				return true // everything below matches
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
