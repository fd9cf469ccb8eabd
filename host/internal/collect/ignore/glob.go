package ignore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxAlternatives bounds the patterns that the braces of a Glob stand for.
const maxAlternatives = 64

// Glob chooses paths by a pattern with *, ?, [a-z], ** for any number of folders, and {a,b} for alternatives.
type Glob struct {
	// alternatives are the patterns without braces, split at slashes. One without a slash matches names in every folder.
	alternatives [][]string
}

// ParseGlob parses a pattern. Its paths are relative and have slashes; a slash at its beginning means nothing else.
// Errors: a pattern that is empty, has an unpaired brace, or stands for too many alternatives. The text says why.
func ParseGlob(pattern string) (*Glob, error) {
	all, err := unfold(pattern)
	if err != nil {
		return nil, err
	}
	g := &Glob{}
	for _, one := range all {
		anchored := strings.HasPrefix(one, "/") || strings.HasPrefix(one, "./")
		one = strings.Trim(strings.TrimPrefix(one, "./"), "/")
		segments := strings.Split(one, "/")
		if one == "" || slices.Contains(segments, "") || slices.Contains(segments, "..") || slices.Contains(segments, ".") {
			return nil, errors.New("it has an empty part, . or ..")
		}
		if len(segments) == 1 && !anchored && one != anyDepth {
			segments = []string{anyDepth, one}
		}
		g.alternatives = append(g.alternatives, segments)
	}
	return g, nil
}

// Match reports whether the pattern matches a path or a folder above it.
func (g *Glob) Match(path string) bool {
	segments := strings.Split(path, "/")
	return slices.ContainsFunc(g.alternatives, func(one []string) bool {
		for n := 1; n <= len(segments); n++ {
			if matchPath(one, segments[:n]) {
				return true
			}
		}
		return false
	})
}

// unfold returns the patterns that the braces of a pattern stand for.
func unfold(pattern string) (all []string, err error) {
	all = []string{""}
	for rest := pattern; rest != ""; {
		at := strings.IndexAny(rest, `{}\`)
		if at < 0 {
			return extend(all, []string{rest})
		}
		if all, err = extend(all, []string{rest[:at]}); err != nil {
			return nil, err
		}
		rest = rest[at:]
		switch {
		case rest[0] == '}':
			return nil, errors.New("it has a } without a {")
		case rest[0] == '\\':
			n := min(2, len(rest))
			all, err = extend(all, []string{rest[:n]})
			rest = rest[n:]
		default:
			var choices []string
			if choices, rest, err = braces(rest); err == nil {
				all, err = extend(all, choices)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// braces returns the alternatives of the braces with which a pattern begins, and what follows them.
func braces(pattern string) (choices []string, rest string, err error) {
	depth, from := 0, 1
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			depth++
		case c == ',' && depth == 1, c == '}' && depth == 1:
			inner, err := unfold(pattern[from:i])
			if err != nil {
				return nil, "", err
			}
			if choices = append(choices, inner...); len(choices) > maxAlternatives {
				return nil, "", tooMany()
			}
			if from = i + 1; c == '}' {
				return choices, pattern[from:], nil
			}
		case c == '}':
			depth--
		}
	}
	return nil, "", errors.New("it has a { without a }")
}

// extend appends each of the ends to each of the beginnings.
func extend(beginnings, ends []string) (all []string, err error) {
	if len(beginnings)*len(ends) > maxAlternatives {
		return nil, tooMany()
	}
	for _, begin := range beginnings {
		for _, end := range ends {
			all = append(all, begin+end)
		}
	}
	return all, nil
}

func tooMany() error {
	return fmt.Errorf("its braces stand for more than %d patterns", maxAlternatives)
}
