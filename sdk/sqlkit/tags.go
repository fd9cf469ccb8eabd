package sqlkit

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Tags writes the tags of a statement in the order of their names, each in a
// format for name and value, such as "%s='%s'". Both are escaped as in a URL,
// so that they cannot end a comment, a quoted text or a pair.
func Tags(tags map[string]string, format, separator string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		pairs = append(pairs, fmt.Sprintf(format, escape(name), escape(tags[name])))
	}
	return strings.Join(pairs, separator)
}

func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
