package text

import (
	"regexp"
	"strings"
	"sync"
)

// Pattern compiles a regular expression on first use: a program links many patterns
// and uses few in one run.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Words returns a function that reports whether a word is in a list with blanks between its words. The set is made at
// the first call.
func Words(list string) func(word string) bool {
	words := sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			all[w] = true
		}
		return all
	})
	return func(word string) bool { return words()[word] }
}
