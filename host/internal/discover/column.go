package discover

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Column is a column of an Entity, with facts from the scan, the profile and the semantic
// layer. In JSON it is one string, see String.
type Column struct {
	Name, NativeType string
	Type             sdk.Type
	Nullable         bool
	// Marks say which keys it is part of: "key", "unique", "fk", "partition", "sorted".
	Marks []string
	// Stats are the counts of the profile; nil = it was not profiled. Withheld is the reason
	// why its values are not stored; "" = they are stored.
	Stats    *sdk.ColumnStats
	Withheld string
	// Unit and Description are from the semantic layer, Comment is from the warehouse.
	Unit, Description string
	Comment           string
	cells             []string // the column's values in the sample rows, as they are printed
}

// columns returns a table's columns, in their order. links are the columns of foreign keys;
// profile and source may be nil.
func columns(t *sdk.Table, links map[string]bool, profile *catalog.Profile, source *listing.Source) []Column {
	all := make([]Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		one := Column{Name: c.Name, NativeType: c.NativeType, Type: c.Type, Nullable: c.Nullable, Comment: c.Comment, Marks: catalog.Marks(t, c.Name, links[c.Name])}
		if profile != nil {
			one.Stats = profile.Column(c.Name)
			if at := slices.IndexFunc(profile.Withheld, func(w catalog.Withheld) bool { return w.Column == c.Name }); at >= 0 {
				one.Withheld = profile.Withheld[at].Reason
			}
		}
		if d := dimension(source, c.Name); d != nil {
			one.Unit, one.Description = d.Unit, d.Description
		}
		all[i] = one
	}
	return all
}

// dimension returns the semantic layer's dimension that is a plain column; nil = none.
func dimension(source *listing.Source, column string) *listing.Member {
	if source == nil {
		return nil
	}
	at := slices.IndexFunc(source.Dimensions, func(m listing.Member) bool {
		return m.Expr == "" && strings.EqualFold(strings.Trim(m.Name, `"`), column)
	})
	if at < 0 {
		return nil
	}
	return &source.Dimensions[at]
}

const (
	maxLabels   = 12 // a column with at most so many values lists all, with their counts
	maxExamples = 3  // values shown of a column that has more
	maxBound    = 40 // characters shown of one value
)

// MarshalText implements encoding.TextMarshaler. It returns the line of String.
func (c Column) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String returns one line: name and type, then facts separated by semicolons, then " -- "
// and the description, and the same for the comment.
func (c Column) String() string {
	facts := append([]string{word(c.Name) + " " + c.NativeType}, c.Marks...)
	facts = append(facts, c.counts()...)
	if c.Unit != "" {
		facts = append(facts, "in "+c.Unit)
	}
	line := strings.Join(facts, "; ")
	for _, text := range []string{c.Description, c.Comment} {
		if text = flat(text); text != "" && !strings.HasSuffix(line, " -- "+text) {
			line += " -- " + text
		}
	}
	return line
}

// counts returns the facts from the profile.
func (c Column) counts() (facts []string) {
	s := c.Stats
	if s == nil {
		if c.Nullable {
			facts = append(facts, "nullable")
		}
		return appendWithheld(facts, c.Withheld)
	}
	filled := s.Rows - s.Nulls
	switch {
	case s.Rows == 0:
		return appendWithheld(facts, c.Withheld)
	case filled == 0:
		return appendWithheld(append(facts, "always NULL"), c.Withheld)
	case s.Nulls > 0:
		facts = append(facts, "null "+percent(s.Nulls, s.Rows))
	}
	key := slices.Contains(c.Marks, catalog.PrimaryMark) || slices.Contains(c.Marks, catalog.UniqueMark)
	unique := s.Complete && !s.DistinctApprox && filled > 1 && s.Distinct == filled
	listed := c.Withheld == "" && c.labelled()
	switch {
	case unique && !key:
		facts = append(facts, "unique")
	case s.Distinct < 0 || unique || listed:
	case s.DistinctApprox:
		facts = append(facts, fmt.Sprintf("~%d distinct", s.Distinct))
	default:
		facts = append(facts, fmt.Sprintf("%d distinct", s.Distinct))
	}
	switch {
	case c.Withheld != "":
		return appendWithheld(facts, c.Withheld)
	case listed:
		facts = append(facts, labels(s))
	case s.Min != nil && s.Max != nil && c.ordered():
		facts = append(facts, c.bound(*s.Min)+".."+c.bound(*s.Max))
	case len(s.Values) > 0:
		var some []string
		for _, v := range s.Values[:min(maxExamples, len(s.Values))] {
			some = append(some, word(v))
		}
		facts = append(facts, "e.g. "+strings.Join(some, ", "))
	}
	return facts
}

func appendWithheld(facts []string, why string) []string {
	if why == "" {
		return facts
	}
	return append(facts, "withheld: "+why)
}

// labelled reports whether all values are listed: there are few, and they are neither keys
// nor measurements.
func (c Column) labelled() bool {
	s := c.Stats
	few := maxLabels
	switch {
	case slices.Contains(c.Marks, catalog.PrimaryMark), c.ordered() && slices.Contains(c.Marks, catalog.ForeignMark):
		return false
	case c.ordered():
		few = maxExamples
	}
	return s.ValuesComplete && len(s.Values) > 0 && len(s.Values) <= few
}

// ordered reports whether a range describes the column's values: they are numbers or times.
func (c Column) ordered() bool {
	switch c.Type {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal, sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return true
	default:
		return false
	}
}

// bound formats the smallest or largest value; a timestamp is cut to its day.
func (c Column) bound(v string) string {
	if (c.Type == sdk.TypeTimestamp || c.Type == sdk.TypeTimestampTZ) && len(v) > len("2006-01-02") && v[4] == '-' && v[7] == '-' {
		v = v[:len("2006-01-02")]
	}
	return word(v)
}

// labels lists all values, with their counts.
func labels(s *sdk.ColumnStats) string {
	all := make([]string, len(s.Values))
	for i, v := range s.Values {
		all[i] = word(v)
		if len(s.Values) > 1 && s.Counts[i] > 0 {
			all[i] += " (" + strconv.FormatInt(s.Counts[i], 10) + ")"
		}
	}
	return strings.Join(all, ", ")
}

// percent formats a share; it never rounds to 0% or 100%.
func percent(part, whole int64) string {
	switch p := 100 * float64(part) / float64(whole); {
	case p < 1:
		return "<1%"
	case p > 99:
		return ">99%"
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}

// word formats a name or value within a line: cut to maxBound characters, and quoted where
// it contains a separator.
func word(s string) string {
	head := cut(s, maxBound)
	if head != s {
		head += "…"
	}
	return quoted(head)
}

// quoted returns a text, in quotes where it contains a separator or is empty.
func quoted(head string) string {
	if head == "" || strings.ContainsAny(head, ",;\"\n\r\t") || head[0] == ' ' || head[len(head)-1] == ' ' {
		return strconv.Quote(head)
	}
	return head
}

// flat puts a text on one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// narrow keeps the requested columns, in the table's order, and adds an error for each that
// does not exist. Names are compared exactly, then without case if only one column matches;
// * stands for any text, ? for one character.
func (l *entityReader) narrow(e *Entity, asked []string) {
	wanted := make([]bool, len(e.Columns))
	for _, name := range asked {
		if strings.ContainsAny(name, "*?") && l.matching(e, name, wanted) {
			continue
		}
		at := columnAt(e.Columns, name)
		if at < 0 {
			l.noColumn(e, name)
			continue
		}
		wanted[at] = true
	}
	kept := []Column{}
	for i, c := range e.Columns {
		if wanted[i] {
			kept = append(kept, c)
		}
	}
	e.Columns = kept
}

// matching marks the columns whose names a pattern matches, in any case.
func (l *entityReader) matching(e *Entity, pattern string, wanted []bool) (any bool) {
	for i := range e.Columns {
		if matches(pattern, e.Columns[i].Name) {
			wanted[i], any = true, true
		}
	}
	return any
}

// matches reports whether a name matches a pattern, without case; * stands for any text,
// ? for one character.
func matches(pattern, name string) bool {
	ok, err := path.Match(strings.NewReplacer("[", "\\[", "/", "\x00").Replace(strings.ToLower(pattern)), strings.ReplaceAll(strings.ToLower(name), "/", "\x00"))
	return ok && err == nil
}

// columnAt returns the position of a column; -1 when none has the name, or several have it
// in other cases.
func columnAt(columns []Column, name string) int {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if at >= 0 {
		return at
	}
	for i := range columns {
		if !strings.EqualFold(columns[i].Name, name) {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

func (l *entityReader) noColumn(e *Entity, name string) {
	names := make([]string, len(e.Columns))
	var same []string
	for i := range e.Columns {
		names[i] = e.Columns[i].Name
		if strings.EqualFold(names[i], name) {
			same = append(same, names[i])
		}
	}
	failed := EntityError{
		Input: e.Display + "." + brief(name), Code: codeNotFound, Candidates: same,
		Message: fmt.Sprintf("%s has no column %q in its snapshot of %s; name one that exists, or run loam scan %s if it is new",
			e.Display, brief(name), l.answer.Snapshot.ExtractedAt, l.connection),
	}
	if len(same) > 0 {
		failed.Code = codeAmbiguous
		failed.Message = fmt.Sprintf("%s has several columns that differ from %q in case alone; spell it as one of them", e.Display, name)
	} else if len(name) <= maxText {
		failed.Candidates = sqlkit.Nearest(name, names)
	}
	l.answer.Errors = append(l.answer.Errors, failed)
}
