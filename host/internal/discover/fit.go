package discover

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// defaultChars is the size of an answer that names none: common MCP clients cut
// or refuse a longer one.
const defaultChars = 40_000

// What the fixed parts of an answer take as JSON, in characters, and how many
// columns of a table are listed however little is left.
const (
	entityChars  = 380
	keyChars     = 160
	columnChars  = 145
	leastColumns = 10
	maxComment   = 2000 // characters
)

// fit leaves columns out until the answer has about the characters that it may
// have. What is not columns stays whole; the rest is shared so that only the
// widest tables lose columns.
func (a *EntitiesAnswer) fit(chars int) {
	if chars < 0 {
		return
	}
	left := cmp.Or(chars, defaultChars)
	type demand struct{ at, chars int }
	demands := make([]demand, len(a.Entities))
	for i := range a.Entities {
		e := &a.Entities[i]
		a.shorten(e)
		left -= entityChars + len(e.Display) + runes(e.Comment) + keyChars*len(e.ForeignKeys)
		demands[i].at = i
		for j := range e.Columns {
			demands[i].chars += e.Columns[j].chars()
		}
	}
	slices.SortStableFunc(demands, func(x, y demand) int { return cmp.Compare(x.chars, y.chars) })
	for i, d := range demands {
		share := max(0, left) / (len(demands) - i)
		if d.chars > share {
			a.truncate(&a.Entities[d.at], share)
		}
		left -= min(d.chars, share)
	}
}

// shorten cuts comments that are longer than anybody reads.
func (a *EntitiesAnswer) shorten(e *Entity) {
	shortened := shortenText(&e.Comment)
	for i := range e.Columns {
		shortened = shortenText(&e.Columns[i].Comment) || shortened
	}
	if shortened {
		a.Notes = append(a.Notes, fmt.Sprintf("Comments of %s of more than %d characters are cut and end with ….", e.Display, maxComment))
	}
}

func shortenText(s **string) bool {
	if *s == nil || len(**s) <= maxComment {
		return false
	}
	head := cut(**s, maxComment)
	if head == **s {
		return false
	}
	*s = known(head + "…")
	return true
}

// truncate keeps the first columns of an entity.
func (a *EntitiesAnswer) truncate(e *Entity, chars int) {
	total, kept := len(e.Columns), 0
	for ; kept < total; kept++ {
		if chars -= e.Columns[kept].chars(); chars < 0 && kept >= leastColumns {
			break
		}
	}
	if kept == total {
		return
	}
	e.Columns, e.ColumnsTruncated, e.TotalColumns = e.Columns[:kept], true, total
	a.Notes = append(a.Notes, fmt.Sprintf(
		"The first %d of %d columns of %s are listed: name the ones you want in columns, or ask for fewer tables at once.", kept, total, e.Display))
}

func (c *Column) chars() int {
	return columnChars + utf8.RuneCountInString(c.Name) + len(c.NativeType) + runes(c.Comment)
}

func runes(s *string) int {
	if s == nil {
		return 0
	}
	return utf8.RuneCountInString(*s)
}
