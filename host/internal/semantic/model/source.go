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

// Source is a table or query with its dimensions, measures, segments and joins, merged
// from a scan and files.
// Concurrency: never changed once its Model is made.
type Source struct {
	ID SourceID
	// Name is the name in references: "orders". A source of another schema may have it
	// too; Identity is unique: "analytics.orders".
	Name, Identity string
	// Table is set for a table.
	Table sdk.TableRef
	// Scanned: the table was scanned, so that its columns are known.
	Scanned    bool
	Visibility Visibility
	// Grain are the fields of the primary key; nil = not known.
	Grain []Field
	// DefaultTime is the dimension to which time ranges apply; 0 = none.
	DefaultTime DimensionID
	Description string
	Joins       []Join // by the index in their ids
	*Members
	*Particulars

	draft *draft // an outline, unless the source is being linked
	made  atomic.Pointer[draft]
	// whole: the members are there; making is held while they are put in place.
	whole  atomic.Bool
	making sync.Mutex
	// consulted: a reference was resolved by what is reachable.
	consulted bool
	// guessed: a problem offers what could have been meant.
	guessed bool
}

// Members are the dimensions, measures and segments of a source, by the index in their ids. An
// excluded dimension is Hidden.
type Members struct {
	Dimensions []Dimension
	Measures   []Measure
	Segments   []Segment
}

// Particulars are what few sources have: a table that was scanned, and that no file is about, has
// none of it. Those without share one, for a project may have a hundred thousand.
type Particulars struct {
	// SQL is set for a query, without its closing semicolon. TablePos is the place in File that
	// names the table, 0 = none.
	SQL      string
	TablePos Pos
	// File and Pos are the place of the source's definition or overlay, "" = none.
	File string
	Pos  Pos
	// UniqueKeys are keys beside Grain.
	UniqueKeys [][]Field
	// TimeZone is the zone of times without one, an IANA name; "" = UTC.
	TimeZone string
	// Calendar is set where the rows are the days of a calendar.
	Calendar *Calendar
	Synonyms []string
	AI       AIContext
	// Broken says why the source cannot be used; "" when it can.
	Broken string
	// Invalid are the problems of the source's invalid files, which are left out of it.
	Invalid []Problem

	problems []Problem // found when its names were resolved
	flaws    []flaw
}

// noMembers and noParticulars are shared, and never changed.
var (
	noMembers     = &Members{}
	noParticulars = &Particulars{}
)

func newSource(id SourceID, name, identity string, r *draft) *Source {
	return &Source{ID: id, Name: name, Identity: identity, Members: noMembers, Particulars: &Particulars{}, draft: r}
}

// none reports whether nothing is set.
func (p *Particulars) none() bool {
	ai := p.AI.Instructions == "" && len(p.AI.Examples) == 0
	return ai && p.SQL+p.File+p.TimeZone+p.Broken == "" && p.TablePos == Pos{} && p.Pos == Pos{} && p.Calendar == nil &&
		len(p.UniqueKeys)+len(p.Synonyms)+len(p.Invalid)+len(p.problems)+len(p.flaws) == 0
}

// ColumnType returns the type of a column according to a scan or to the engine, or
// TypeUnspecified.
func (s *Source) ColumnType(column string) sdk.Type {
	if c, ok := columnOf(s.draft.group.columns(), column); ok {
		return c.Type
	}
	return sdk.TypeUnspecified
}

// ColumnPath returns the Path of a field of a record; nil for any other column.
func (s *Source) ColumnPath(column string) []string {
	if c, ok := columnOf(s.draft.group.columns(), column); ok {
		return c.Path
	}
	return nil
}

// Field is a dimension, or a column without a dimension: one that no file declares, or
// whose name a computed dimension has.
// Shape: exactly one is set.
type Field struct {
	Dimension DimensionID
	Column    string
}

// Type is the type of a dimension's values.
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
	// Logical is the column's type according to a scan or to the engine, or
	// TypeUnspecified. ColumnType says how a time is stored: "date", "timestamp",
	// "timestamptz", "epoch_s", "epoch_ms", "text_iso"; "" = as Logical says.
	Logical    sdk.Type
	Visibility Visibility
	inherited  bool // Broken is for what it is made of
	// Described: the engine reported it as a column of the query, and no file declares
	// it.
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

// Measure is a named aggregate, or a calculation over other measures.
// Shape: which fields are set depends on Kind. A definition with several aggregates is
// Derived from measures without a name.
type Measure struct {
	ID   MeasureID
	Name string
	Kind MeasureKind

	// Agg of a Simple or Nested measure; "" for a simple one whose Expr is an
	// aggregate in the engine's own SQL, which cannot be taken apart.
	Agg expression.AggregateFunction
	// Parameter is percentile's fraction, string_agg's separator, else nil.
	Parameter *expression.Literal
	// Home is the source whose rows a simple measure aggregates: its declaring source,
	// or the one source from which all fields of Expr are to-one.
	Home SourceID
	// Expr is the aggregated expression, nil for a count of rows; for a derived measure,
	// the calculation over measures.
	Expr *Expr
	// Filter are conditions on rows, all of which hold.
	Filter      []*Expr
	Segments    []SegmentID
	NonAdditive *NonAdditive
	// Time is the measure's time_dimension, resolved from Home; the zero Ref = none. See
	// TimeOf.
	Time Ref

	Numerator, Denominator MeasureID // Ratio
	Base                   MeasureID // Cumulative, TimeShift, Share, Nested
	Window, Offset         Period
	ToDate                 dialect.Grain
	Within, Per            []Ref // Share; Nested

	// Default replaces a missing value; nil = NULL stays.
	Default *float64
	// Uses are the measures that this one is computed from, each once.
	Uses []MeasureID

	Description string
	*Details
	Visibility Visibility
	Pos        Pos
	// Broken says why it cannot be used, "" = it can.
	Broken    string
	inherited bool // Broken is for what it is made of
}

// NonAdditive is the rule of a semi-additive measure: it aggregates the rows at the
// first or last time only.
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

// Join is a declared join from one source to another.
type Join struct {
	ID JoinID
	To SourceID
	// Role is the name under which the other source is known here, "" = its own.
	Role         string
	Relationship Relationship
	// On is the condition; its references are to this source and to To.
	On *Expr
	// Equal are the pairs of columns that On equates. Rest: On has further terms (a
	// range of validity, a constant).
	Equal []Pair
	Rest  bool
	// landing are the scanned columns of the only pair, of this source and of To; "" =
	// there are more, or it is no column of a table that was scanned.
	landing [2]string
	// total: each row of this source has exactly one of To; and the other way round.
	total [2]bool
	// The rest in one spelling, as seen from here and from the other side.
	rest, mirrored string
	// Inferred: nobody declared it, neither a person nor the warehouse.
	Inferred    bool
	Description string
	Pos         Pos
	// Broken is why the join cannot be used; "" when it can. It still counts when paths
	// are chosen, so that no other path silently replaces it.
	Broken string
}

// Pair is two fields with equal values: one of the declaring source, one of To.
type Pair struct{ From, To Field }

// Expr is an expression with its names resolved.
type Expr struct {
	Text
	Tree expression.Node
	// Refs are the meanings of its names, in the order of the text.
	Refs []NameRef
}

// NameRef is the meaning of one name in a tree.
type NameRef struct {
	Name *expression.Name
	Ref
}

// Ref returns the meaning of a name of the tree.
func (e *Expr) Ref(n *expression.Name) (Ref, bool) {
	for i := range e.Refs {
		if e.Refs[i].Name == n {
			return e.Refs[i].Ref, true
		}
	}
	return Ref{}, false
}

// Ref is a resolved reference.
type Ref struct {
	// Via are the roles and sources written before the field, in order; nil = the source
	// that it was looked up from.
	Via []string
	// Source that the field belongs to.
	Source SourceID
	// Field or Measure is set.
	Field
	Measure MeasureID
	// Grain is the period to which a time in Per of a nested measure is truncated, "" =
	// it is not.
	Grain dialect.Grain
}

// Through returns the reference with an explicit path of roles or sources. Where the
// path ends with the qualifier of the reference, both are one step.
func (r Ref) Through(via ...string) Ref {
	if last := len(via) - 1; len(r.Via) > 0 && last >= 0 && strings.EqualFold(via[last], r.Via[0]) {
		via = via[:last]
	}
	r.Via = append(slices.Clip(via), r.Via...)
	return r
}
