package text

import (
	"regexp"
	"strings"
	"sync"
)

// Pattern compiles a regular expression on first use: a program links many patterns
// and uses few in one run.
func Pattern(expression string) func() *regexp.Regexp {
	p := patterns.next()
	p.expression = expression
	return p.get
}

// A pattern and a wordSet take one allocation each where they are declared, and one for every few of them: a start pays for
// all of them.
var (
	patterns slab[pattern]
	wordSets slab[wordSet]
)

// slab hands out values that live as long as the program, many from one allocation.
// Concurrency: safe for several goroutines.
type slab[T any] struct {
	mu   sync.Mutex
	free []T
}

func (s *slab[T]) next() *T {
	const together = 32
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		s.free = make([]T, together)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

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
	s := wordSets.next()
	s.list = list
	return s.has
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
