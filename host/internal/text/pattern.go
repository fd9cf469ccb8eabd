package text

import (
	"regexp"
	"strings"
	"sync"
)

// Pattern compiles a regular expression on first use: a program links many patterns
// and uses few in one run.
func Pattern(expression string) func() *regexp.Regexp {
	return (&pattern{expression: expression}).get
}

// A pattern and a wordSet take two allocations each where they are declared, half of what sync.OnceValue takes: a start
// pays for all of them.
type pattern struct {
	once       sync.Once
	expression string
	compiled   *regexp.Regexp
}

func (p *pattern) get() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.expression) })
	return p.compiled
}

// Words returns a function that reports whether a word is in a list with blanks between its words. The set is made at
// the first call.
func Words(list string) func(word string) bool {
	return (&wordSet{list: list}).has
}

type wordSet struct {
	once sync.Once
	list string
	all  map[string]bool
}

func (s *wordSet) has(word string) bool {
	s.once.Do(func() {
		s.all = map[string]bool{}
		for w := range strings.FieldsSeq(s.list) {
			s.all[w] = true
		}
	})
	return s.all[word]
}
