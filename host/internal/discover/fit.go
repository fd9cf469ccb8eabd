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

const (
	// entityChars is what the fixed parts of an entity take as JSON, about.
	entityChars = 200
	// pageColumns is how many columns of a table are listed at once, and leastColumns how
	// many however little room is left.
	pageColumns  = 80
	leastColumns = 10
	// maxComment is the length of a comment in characters, maxDefinition that of a view.
	maxComment    = 2000
	maxDefinition = 4000
)

// page leaves out the columns before the offset and those beyond a page.
func (l *look) page(e *Entity) {
	total := len(e.Columns)
	e.Offset = min(l.offset, total)
	e.Columns = e.Columns[e.Offset:]
	if len(e.Columns) > pageColumns {
		e.Columns = e.Columns[:pageColumns]
	}
	if len(e.Columns) < total {
		e.TotalColumns = total
	}
}

// fit leaves columns out until the answer has about the characters that it may
// have. What is not columns stays whole; the rest is shared so that only the
// widest tables lose columns.
func (a *EntitiesAnswer) fit(chars int) {
	left := cmp.Or(chars, defaultChars)
	type demand struct{ at, chars int }
	demands := make([]demand, len(a.Entities))
	for i := range a.Entities {
		e := &a.Entities[i]
		if chars >= 0 {
			a.shorten(e)
		}
		left -= entityChars + len(e.Display) + length(e.Comment) + length(e.Description) + length(e.Definition)
		for _, j := range e.Joins {
			left -= lineChars(j.String())
		}
		demands[i].at = i
		for _, c := range e.Columns {
			demands[i].chars += c.chars()
		}
	}
	slices.SortStableFunc(demands, func(x, y demand) int { return cmp.Compare(x.chars, y.chars) })
	for i, d := range demands {
		share := max(0, left) / (len(demands) - i)
		if chars >= 0 && d.chars > share {
			a.Entities[d.at].truncate(share)
		}
		left -= min(d.chars, share)
	}
	for i := range a.Entities {
		a.Entities[i].drawSample()
		a.goOn(&a.Entities[i])
	}
}

// shorten cuts texts that are longer than anybody reads.
func (a *EntitiesAnswer) shorten(e *Entity) {
	shortened := shortenText(&e.Comment, maxComment)
	for i := range e.Columns {
		shortened = shortenText(&e.Columns[i].Comment, maxComment) || shortened
	}
	if shortened {
		a.Notes = append(a.Notes, fmt.Sprintf("Comments of %s of more than %d characters are cut and end with ….", e.Display, maxComment))
	}
	if shortenText(&e.Definition, maxDefinition) {
		a.Notes = append(a.Notes, fmt.Sprintf("The definition of %s is cut after %d characters and ends with ….", e.Display, maxDefinition))
	}
}

func shortenText(s *string, most int) bool {
	if len(*s) <= most {
		return false
	}
	head := cut(*s, most)
	if head == *s {
		return false
	}
	*s = head + "…"
	return true
}

// truncate keeps the first columns of an entity.
func (e *Entity) truncate(chars int) {
	kept := 0
	for ; kept < len(e.Columns); kept++ {
		if chars -= e.Columns[kept].chars(); chars < 0 && kept >= leastColumns {
			break
		}
	}
	if kept < len(e.Columns) {
		e.TotalColumns = max(e.TotalColumns, len(e.Columns))
		e.Columns = e.Columns[:kept]
	}
}

// goOn says which columns are listed, and how to get the others.
func (a *EntitiesAnswer) goOn(e *Entity) {
	switch last := e.Offset + len(e.Columns); {
	case e.TotalColumns == 0:
	case len(e.Columns) == 0:
		a.Notes = append(a.Notes, fmt.Sprintf("%s has %d columns: offset %d is behind the last.", e.Display, e.TotalColumns, e.Offset))
	case last < e.TotalColumns:
		a.Notes = append(a.Notes, fmt.Sprintf("Columns %d to %d of %d of %s: offset %d goes on; or name the ones you want in columns, * stands for any text.",
			e.Offset+1, last, e.TotalColumns, e.Display, last))
	default:
		a.Notes = append(a.Notes, fmt.Sprintf("Columns %d to %d of %d of %s, the last.", e.Offset+1, last, e.TotalColumns, e.Display))
	}
}

// chars is what a column takes in an answer.
func (c *Column) chars() int { return lineChars(c.String()) + c.cellChars() }

// lineChars is what a line takes in a JSON list.
func lineChars(line string) int { return length(line) + len(`"",`) }

func length(s string) int { return utf8.RuneCountInString(s) }
