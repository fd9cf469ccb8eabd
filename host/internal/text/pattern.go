package text

import (
	"regexp"
	"sync"
)

// Pattern compiles a regular expression on first use: a program links many patterns
// and uses few in one run.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
