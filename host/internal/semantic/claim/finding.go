package claim

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// Finding is the result of checking a claim.
type Finding struct {
	// Rows counts the rows of Home. Nulls counts rows with NULL in the key; of a join, those of
	// them that match no row. Orphans counts rows of a join that have a key but match no row.
	Rows, Nulls, Orphans int64
	// Violations counts repeated values of a key, or rows that match several rows. Most is the
	// largest number of rows with one value, or that one row matches.
	Violations, Most int64
	// Back counts rows of To that several rows of Home match, which OneToOne forbids. BackMost is
	// the largest number of them for one row.
	Back, BackMost int64
	// Examples are the smallest and the largest violating key, else those of the way back, else
	// those of orphans. Each has at most MaxExample code points; none if keys cannot be shown.
	Examples []string

	// The statement's rows come in any order, so the examples of each are collected first.
	atFault, behind, orphans []string
}

// MaxExample is the longest example. Units: code points.
const MaxExample = 80

// Holds reports whether a claim of this kind is true.
func (f *Finding) Holds(k Kind) bool {
	return f.Violations+f.Back == 0 && (k != PrimaryKey || f.Nulls == 0)
}

// OrphanRate returns the share of orphans among the rows with a key. Units: 0 to 1; 0 if no row
// has a key.
func (f *Finding) OrphanRate() float64 {
	if f.Rows == f.Nulls {
		return 0
	}
	return float64(f.Orphans) / float64(f.Rows-f.Nulls)
}

const (
	numbers  = 6 // columns before the examples
	examples = 2 // columns per kind of example
	backward = 2 // value of the column direction for the way back
)

// Read adds a row of the statement's result to the finding.
// Shape: cells are JSON values, one per column.
// Errors: KindInternal for a row that the statement cannot return.
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

// whole parses a count. Engines return sums as integers, decimals, floats or texts; NULL, the sum
// of no rows, is 0.
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

// keyText returns a key as text; false for NULL.
func keyText(cell []byte) (string, bool) {
	if string(cell) == "null" {
		return "", false
	}
	return Text(cell), true
}

// Text returns a JSON value as an example, cut to MaxExample code points.
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
