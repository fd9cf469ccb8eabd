package claim

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// Finding is what the data says of a claim.
type Finding struct {
	// Rows of Home. Nulls are those without a whole key; of a join, those that lead
	// nowhere for that. Orphans have a key and lead nowhere.
	Rows, Nulls, Orphans int64
	// Violations are values of a key that repeat, or rows that lead to several, and
	// Most is how many rows have one value or one row leads to.
	Violations, Most int64
	// Back are rows of To to which several lead, at most BackMost, where at most one
	// should: OneToOne.
	Back, BackMost int64
	// Examples are keys at fault, else those of To, else keys of orphans: the first
	// and the last one as text, at most MaxExample code points each.
	Examples []string

	// Rows of the statement come in any order.
	atFault, behind, orphans []string
}

// MaxExample is how much is kept of a key. Units: code points.
const MaxExample = 80

// Holds reports whether a claim of a kind is true.
func (f *Finding) Holds(k Kind) bool {
	return f.Violations+f.Back == 0 && (k != PrimaryKey || f.Nulls == 0)
}

// OrphanRate is the part of the rows with a key that lead nowhere. Units: 0..1; 0
// where no row has a key.
func (f *Finding) OrphanRate() float64 {
	if f.Rows == f.Nulls {
		return 0
	}
	return float64(f.Orphans) / float64(f.Rows-f.Nulls)
}

const (
	numbers  = 6 // columns before the examples
	examples = 2 // of each kind
	backward = 2 // direction of the way back
)

// Read adds a row of the statement to the finding.
// Shape: cells are JSON values as they come from the engine.
// Errors: KindInternal for a row that is not one of the statement.
func (f *Finding) Read(cells [][]byte) error {
	if len(cells) < numbers {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the check gave %d columns, not %d or more", len(cells), numbers).WithHint("report this")
	}
	var n [numbers]int64
	for i := range n {
		var err error
		if n[i], err = whole(cells[i]); err != nil {
			return err
		}
	}
	if n[0] == backward {
		f.Back, f.BackMost = n[4], n[5]
	} else {
		f.Rows, f.Nulls, f.Orphans, f.Violations, f.Most = n[1], n[2], n[3], n[4], n[5]
	}
	for i, cell := range cells[numbers:] {
		text, ok := keyText(cell)
		switch {
		case !ok:
		case i < examples && n[0] == backward:
			f.behind = appendNew(f.behind, text)
		case i < examples:
			f.atFault = appendNew(f.atFault, text)
		case n[0] != backward:
			f.orphans = appendNew(f.orphans, text)
		}
	}
	for _, f.Examples = range [][]string{f.atFault, f.behind, f.orphans} {
		if len(f.Examples) > 0 {
			break
		}
	}
	return nil
}

func appendNew(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
}

// whole reads a whole number, whatever type the engine gives sums. A sum of
// nothing is 0.
func whole(cell []byte) (int64, error) {
	text := string(cell)
	if text == "null" {
		return 0, nil
	}
	var quoted string
	if json.Unmarshal(cell, &quoted) == nil {
		text = quoted
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if n := int64(x); err == nil && float64(n) == x {
		return n, nil
	}
	return 0, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the check gave something that is no count").WithHint("report this")
}

// keyText reads a key as text; false for NULL.
func keyText(cell []byte) (string, bool) {
	if string(cell) == "null" {
		return "", false
	}
	return Text(cell), true
}

// Text is a value as an example: at most MaxExample code points.
func Text(cell []byte) string {
	var text string
	if err := json.Unmarshal(cell, &text); err != nil {
		text = string(cell)
	}
	if utf8.RuneCountInString(text) > MaxExample {
		text = string([]rune(text)[:MaxExample-1]) + "…"
	}
	return text
}
