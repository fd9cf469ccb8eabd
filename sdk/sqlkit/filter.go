package sqlkit

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Filter selects tables by the globs of a ScanRequest: included, and not
// excluded. Globs ignore case; "*" is any run of characters within one part of
// the name, "?" any one. A glob with fewer parts than the engine has levels
// matches the last ones: "orders" is the table orders of any schema.
type Filter struct {
	levels           int
	include, exclude [][]string
}

// NewFilter reads globs for an engine whose names have levels parts, 1 to 3.
// Errors: KindInvalid for a glob with an empty part.
func NewFilter(include, exclude []string, levels int) (*Filter, error) {
	f := &Filter{levels: levels}
	for _, list := range []struct {
		globs []string
		into  *[][]string
	}{{include, &f.include}, {exclude, &f.exclude}} {
		for _, glob := range list.globs {
			parts := strings.SplitN(strings.ToLower(glob), ".", levels)
			if slices.Contains(parts, "") {
				return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no glob over table names", glob).
					WithHint("write up to %d parts with dots between them, such as %s", levels, example(levels))
			}
			*list.into = append(*list.into, parts)
		}
	}
	return f, nil
}

func example(levels int) string {
	return strings.Join([]string{"catalog", "schema", "orders*"}[3-levels:], ".")
}

// Match reports whether a table is selected.
func (f *Filter) Match(ref sdk.TableRef) bool {
	name := []string{strings.ToLower(ref.Catalog), strings.ToLower(ref.Schema), strings.ToLower(ref.Name)}[3-f.levels:]
	matches := func(glob []string) bool {
		for i, part := range name[len(name)-len(glob):] {
			if !match(glob[i], part) {
				return false
			}
		}
		return true
	}
	included := len(f.include) == 0 || slices.ContainsFunc(f.include, matches)
	return included && !slices.ContainsFunc(f.exclude, matches)
}

// match is linear in both lengths: after a failure it goes back to the last "*"
// only.
func match(glob, s string) bool {
	g, t := []rune(glob), []rune(s)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(g) && g[i] == '*':
			star, mark = i, j
			i++
		case i < len(g) && (g[i] == '?' || g[i] == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(g) && g[i] == '*' {
		i++
	}
	return i == len(g)
}
