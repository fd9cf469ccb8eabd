package model

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Source is a source as queries see it: what a scan found and what files say,
// put together.
// Concurrency: never changed once its Model is made.
type Source struct {
	ID SourceID
	// Name is what references use: "orders". Another schema's source may have it
	// too; Identity is unique: "analytics.orders".
	Name, Identity string
	// Table is set for a table, SQL for a query, without its closing semicolon.
	// TablePos is the place in File that names the table, 0 = none.
	Table    sdk.TableRef
	TablePos Pos
	SQL      string
	// Scanned: a scan found the table, so that its columns are known.
	Scanned bool
	// File and Pos are where the source is defined or overlaid, "" = nowhere.
	File string
	Pos  Pos
	// Grain are the fields of the primary key; nil = not known.
	Grain []Field
	// UniqueKeys are further fields of which no two rows have the same values.
	UniqueKeys [][]Field
	// DefaultTime is the dimension that time ranges mean; 0 = none.
	DefaultTime DimensionID
	// TimeZone is the zone of times without one, an IANA name; "" = UTC.
	TimeZone string
	// Calendar is set where the rows are the days of a calendar.
	Calendar    *Calendar
	Description string
	Synonyms    []string
	AI          AIContext
	Visibility  Visibility

	// Dimensions, Measures, Segments and Joins by the place in their ids.
	// A dimension that is excluded is Hidden.
	Dimensions []Dimension
	Measures   []Measure
	Segments   []Segment
	Joins      []Join

	// Broken says why the source cannot be used, "" = it can.
	Broken string
	// Invalid are the problems of files that are not valid. The source is made of its
	// other layers.
	Invalid []Problem

	draft    *draft // an outline, unless the source is being linked
	made     atomic.Pointer[draft]
	problems []Problem // found when its names were resolved
	flaws    []flaw
	// whole: the members are there; making is held while they are put in place.
	whole  atomic.Bool
	making sync.Mutex
	// consulted: a reference was resolved by what is reachable.
	consulted bool
	// guessed: a problem offers what could have been meant.
	guessed bool
}

// ColumnType is the type of a column as a scan found it or the engine describes it, or
// TypeUnspecified.
func (s *Source) ColumnType(column string) sdk.Type {
	if c, ok := columnOf(s.draft.group.columns(), column); ok {
		return c.Type
	}
	return sdk.TypeUnspecified
}

// Field is a dimension, or a column that no dimension stands for: one that nobody
// declares, or that a computed dimension is called like.
// Shape: exactly one is set.
type Field struct {
	Dimension DimensionID
	Column    string
}

// Type is what the values of a dimension are.
type Type uint8

const (
	AnyType Type = iota // not said and not known
	String
	Number
	Time
	Boolean
)

// Dimension is an attribute of a source's rows.
type Dimension struct {
	ID   DimensionID
	Name string
	Type Type
	// Logical is the column's type as a scan found it or the engine describes it, or
	// TypeUnspecified. ColumnType says how a time is stored: "date", "timestamp",
	// "timestamptz", "epoch_s", "epoch_ms", "text_iso"; "" = as Logical says.
	Logical    sdk.Type
	Visibility Visibility
	inherited  bool // Broken is for what it is made of
	// Described: no file declares it; the engine reported it as a column of the query.
	Described bool
	// Column is the physical column; Expr is set instead for a computed one.
	Column string
	Expr   *Expr

	Description string
	*Details
	Pos Pos
	// Broken says why it cannot be used, "" = it can.
	Broken string
}

// Measure is an aggregate with a home.
// Shape: which fields are set depends on Kind. A definition of several
// aggregates is Derived from anonymous measures, which have no name.
type Measure struct {
	ID   MeasureID
	Name string
	Kind MeasureKind

	// Agg of a Simple or Nested measure; "" for a simple one whose Expr is an
	// aggregate in the engine's own SQL, which cannot be taken apart.
	Agg expression.AggregateFunction
	// Parameter is percentile's fraction, string_agg's separator, else nil.
	Parameter *expression.Literal
	// Home is the source whose rows a simple measure aggregates: where it is
	// declared, or the one source that all fields of Expr are to-one from.
	Home SourceID
	// Expr is what is aggregated, nil for a count of rows; of a derived measure,
	// the calculation over measures.
	Expr *Expr
	// Filter are conditions on rows, all of which hold.
	Filter      []*Expr
	Segments    []SegmentID
	NonAdditive *NonAdditive
	// Time is the dimension that a file gives the measure as its time, as seen from
	// Home; the zero Ref = none. See TimeOf.
	Time Ref

	Numerator, Denominator MeasureID // Ratio
	Base                   MeasureID // Cumulative, TimeShift, Share, Nested
	Window, Offset         Period
	ToDate                 dialect.Grain
	Within, Per            []Ref // Share; Nested

	// Default stands for a missing value; nil = NULL stays.
	Default *float64
	// Uses are the measures that this one is made of, each once.
	Uses []MeasureID

	Description string
	*Details
	Visibility Visibility
	Pos        Pos
	// Broken says why it cannot be used, "" = it can.
	Broken    string
	inherited bool // Broken is for what it is made of
}

// NonAdditive takes the rows at one end of time instead of all.
type NonAdditive struct {
	Time Field
	Pick Pick
	Per  []Ref
}

// Segment is a named condition on a source's rows.
type Segment struct {
	ID          SegmentID
	Name        string
	Expr        *Expr
	Description string
	*Details
	Visibility Visibility
	Pos        Pos
	Broken     string
}

// Join is a declared way from a source to another.
type Join struct {
	ID JoinID
	To SourceID
	// Role is the name under which the other source is known here, "" = its own.
	Role         string
	Relationship Relationship
	// On is the condition; its references are to this source and to To.
	On *Expr
	// Equal are the pairs of columns that On equates, and Rest says whether it
	// says more than that (a range of validity, a constant).
	Equal []Pair
	Rest  bool
	// landing are the scanned columns of the only pair, of this source and of To; "" =
	// there are more, or it is no column of a table that was scanned.
	landing [2]string
	// The rest in one spelling, as seen from here and from the other side.
	rest, mirrored string
	// Inferred: nobody declared it, neither a person nor the warehouse.
	Inferred    bool
	Description string
	Pos         Pos
	// Broken joins stay in the way of others, so that no other path is taken
	// for theirs.
	Broken string
}

// Pair is two fields with equal values: one of the declaring source, one of To.
type Pair struct{ From, To Field }

// Expr is an expression with its names resolved.
type Expr struct {
	Text
	Tree expression.Node
	// Refs are what its names mean, in the order in which they are written.
	Refs []NameRef
}

// NameRef is the meaning of one name in a tree.
type NameRef struct {
	Name *expression.Name
	Ref
}

// Ref returns what a name of the tree means.
func (e *Expr) Ref(n *expression.Name) (Ref, bool) {
	for i := range e.Refs {
		if e.Refs[i].Name == n {
			return e.Refs[i].Ref, true
		}
	}
	return Ref{}, false
}

// Ref is a reference as it was resolved.
type Ref struct {
	// Via are the roles and sources that were written before the field, in order;
	// nil = the source itself, from which it was looked up.
	Via []string
	// Source that the field belongs to.
	Source SourceID
	// Field or Measure is set.
	Field
	Measure MeasureID
	// Grain is the period that a time is cut to in what a nested measure is per, "" = it
	// is not.
	Grain dialect.Grain
}

// Through returns the reference over the roles or sources of an explicit path. The
// name before a field may be the last one of its path: both are one step.
func (r Ref) Through(via ...string) Ref {
	if last := len(via) - 1; len(r.Via) > 0 && last >= 0 && strings.EqualFold(via[last], r.Via[0]) {
		via = via[:last]
	}
	r.Via = append(slices.Clip(via), r.Via...)
	return r
}
