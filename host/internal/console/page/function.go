package page

import (
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/text"
)

// Functions are those that every template has besides the standard ones.
//
//	link "change" .ID            the address of a page, escaped
//	set $.Here "state" "draft"   this page with other parameters
//	when .At                     a time as <time>, local in the browser, UTC in its title
//	ago .At                      how long ago, as <time>
//	count 1 "change"             "1 change", "2 changes"
//	number 12345                 "12,345"
//	lines .Text                  a text split into lines
//	dict "a" 1 "b" 2             a map, for templates with several arguments
func Functions() template.FuncMap {
	return template.FuncMap{
		"link": Link, "set": With, "when": when, "ago": ago, "count": func(n int, one string) string { return text.Count(n, one) }, "number": func(n int) string { return humanize.Comma(int64(n)) },
		"lines": func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") },
		"dict":  dict, "pairs": pairs, "join": strings.Join,
	}
}

// timeForm is how a server without JavaScript shows a time.
const timeForm = "2006-01-02 15:04"

func when(at time.Time) template.HTML {
	if at.IsZero() {
		return ""
	}
	return stamp(at, at.Local().Format(timeForm))
}

func ago(at time.Time) template.HTML {
	if at.IsZero() {
		return ""
	}
	return stamp(at, text.Ago(at))
}

// stamp returns an element of which each part is made here: digits, letters and punctuation without a meaning in HTML.
func stamp(at time.Time, shown string) template.HTML {
	utc := at.UTC().Format(time.RFC3339)
	return template.HTML(`<time datetime="` + utc + `" title="` + utc + `">` + template.HTMLEscapeString(shown) + `</time>`) //nolint:gosec // escaped
}

func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok || i+1 == len(pairs) {
			return nil, fmt.Errorf("dict has names and values in turn")
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}

// Pair is one value of a parameter.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// pairs returns all values of parameters, for hidden fields.
func pairs(values url.Values) (all []Pair) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			all = append(all, Pair{name, v})
		}
	}
	return all
}
