package readonly

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Allowance lists the statements that the guard accepts for a connector.
type Allowance struct {
	// Words that a statement may begin with, in the order of the dialects.
	Words []string
	// Beyond are those of Words that only a few engines have; see
	// dialect.OpensCommonly.
	Beyond []string
	// Ignored are further beginnings that the dialects declare and the guard refuses:
	// "DELETE as query".
	Ignored []string
}

// Allowed returns the allowance over all dialects of a connector.
func Allowed(dialects []dialect.Dialect) Allowance {
	var a Allowance
	add := func(list *[]string, word string) {
		if !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
	}
	for _, d := range dialects {
		for _, s := range d.Guard.Statements {
			switch {
			case len(s.Words) == 0:
			case !dialect.Opens(s.Words[0], s.Kind):
				add(&a.Ignored, ignored(s))
			default:
				word := strings.ToUpper(s.Words[0])
				add(&a.Words, word)
				if !dialect.OpensCommonly(word) {
					add(&a.Beyond, word)
				}
			}
			for _, option := range s.Options {
				if !dialect.ExplainOption(option) {
					add(&a.Ignored, fmt.Sprintf("the option %s of %s", option, s.Words[0]))
				}
			}
		}
	}
	return a
}

func ignored(s dialect.Statement) string {
	words := strings.Join(s.Words, " ")
	if s.Kind == "" {
		return words + " of no kind"
	}
	return fmt.Sprintf("%s as %s", words, s.Kind)
}

// String returns the allowance in one line: "SELECT WITH EXPLAIN (nothing beyond the
// common set)".
func (a Allowance) String() string {
	beyond := "nothing beyond the common set"
	if len(a.Beyond) > 0 {
		beyond = "beyond the common set: " + strings.Join(a.Beyond, " ")
	}
	text := fmt.Sprintf("%s (%s)", strings.Join(a.Words, " "), beyond)
	if len(a.Ignored) > 0 {
		text += "; declared and refused all the same: " + strings.Join(a.Ignored, ", ")
	}
	return text
}
