package discover

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// defaultChars is the size of an answer whose request names none, in characters: common MCP
// clients cut or refuse a longer one.
const defaultChars = 40_000

const (
	// entityChars is the approximate size of an entity's fixed parts as JSON.
	entityChars = 200
	// pageColumns is the largest number of columns listed at once, leastColumns the number
	// listed even when no room is left.
	pageColumns  = 80
	leastColumns = 10
	// maxComment and maxDefinition are the characters shown of a comment and of a view's SQL.
	maxComment    = 2000
	maxDefinition = 4000
)

// page keeps at most pageColumns columns, from the offset on.
func (l *entityReader) page(e *Entity) {
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

// fit removes columns until the entities have about the given size in characters. Only the
// widest tables lose columns; everything else stays whole.
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

// shorten cuts long comments and definitions, and adds a note.
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

// truncate keeps the first columns of an entity that fit into chars, but at least leastColumns.
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

// goOn adds a note with the columns that are listed and the offset of the next ones.
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

// chars returns the size of a column in an answer, in characters.
func (c *Column) chars() int { return lineChars(c.String()) + c.cellChars() }

// lineChars returns the size of a line in a JSON list, in characters.
func lineChars(line string) int { return length(line) + len(`"",`) }

func length(s string) int { return utf8.RuneCountInString(s) }
