package model

import (
	"crypto/sha256"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// Hash is the beginning of a SHA-256.
type Hash [16]byte

func hashOf(content []byte) Hash {
	sum := sha256.Sum256(content)
	return Hash(sum[:len(Hash{})])
}

// File is a parsed file. It has no pointers into other values and its fields are exported, so that
// a cache can store it by its Hash.
// Concurrency: never changed after Parse.
type File struct {
	// Path below the connection's folder, with slashes: "orders.yaml",
	// "_schema/public.yaml".
	Path string
	Hash Hash
	Kind FileKind
	// Sources are those that the file defines or overlays: one, or one per table
	// of a shard, in the order of the file.
	Sources []SourceDef
	// Metrics are the cross-source measures.
	Metrics  []MeasureDef
	Problems []Problem
}

// FileKind is the kind of a file's content.
type FileKind uint8

const (
	SourceFile FileKind = iota
	MetricsFile
	ShardFile // the tables of a schema, as ktx projects keep them
)

// Visibility is the extent to which a member may be used.
type Visibility uint8

const (
	Public   Visibility = iota
	Internal            // for definitions and by its full name; listed nowhere
	Hidden              // for definitions alone
)

// SourceDef is a source or an overlay as it was written.
type SourceDef struct {
	Pos
	Name Text
	// Table and SQL exclude each other; an overlay has neither.
	Table, SQL Text
	// Shard: it comes from a file of tables, and overlays may build on it.
	Shard       bool
	Description string
	// DescriptionPos and SynonymsPos are the positions of these keys.
	DescriptionPos, SynonymsPos Pos
	// Grain is nil when the file has no grain; Keyless: it is written as null.
	Grain       []Text
	Keyless     bool
	UniqueKeys  [][]Text
	DefaultTime Text
	TimeZone    Text
	Calendar    *CalendarDef // nil = it is none
	Visibility  Visibility
	HasVisible  bool
	Synonyms    []string
	AI          AIContext
	Dimensions  []DimensionDef
	// Overrides change dimensions that the base has.
	Overrides    []DimensionDef
	Measures     []MeasureDef
	Segments     []SegmentDef
	Joins        []JoinDef
	Exclude      []Text
	DisableJoins []Text
	InheritsFrom Text
	// Broken is the first problem of the source as a whole, or "".
	Broken string
}

func (d *SourceDef) overlay() bool { return d.Table.Value == "" && d.SQL.Value == "" }

// AIContext is instructions and examples for agents.
type AIContext struct {
	Instructions string
	Examples     []string
}

// Details are the properties that few members have, kept apart so that other members take a third
// of the memory.
type Details struct {
	Label, Format, Unit string
	Synonyms            []string
	// Dialect whose SQL the expressions are, "" = the portable language.
	Dialect string
	// Values of a dimension, and how a time is stored, or "".
	Values     []string
	ColumnType string
	// Learned is set for members that the memory wrote, and Verified for those that were tested.
	Learned  *Learned
	Verified *Verified
}

// Learned is the origin of an entry of a file of _memory.
type Learned struct {
	Change   string `json:"changeId,omitempty"`
	By       string `json:"by,omitempty"`
	At       string `json:"at,omitempty"` // as it is written: RFC 3339
	Source   string `json:"source,omitempty"`
	Reviewed bool   `json:"-"` // the trust of an answer says it
}

// Verified says how far an entry of a file of _memory was tested.
type Verified struct {
	Level  string `json:"level"`
	At     string `json:"at,omitempty"` // as it is written: RFC 3339
	Of     string `json:"of,omitempty"` // the other measure, of level "equal"
	Reason string `json:"reason,omitempty"`
}

// retried is how long ago something was tried at most that is known to work.
const retried = 30 * 24 * time.Hour

// Stale reports whether its last test is long ago; false when there was none. v may be nil.
func (v *Verified) Stale(now time.Time) bool {
	if v == nil {
		return false
	}
	at, err := time.Parse(time.RFC3339, v.At)
	return err == nil && now.Sub(at) > retried
}

// Get returns the details; those of nil are empty.
func (d *Details) Get() Details {
	if d == nil {
		return Details{}
	}
	return *d
}

var noDetails Details

// shown returns the details as a model has them: never nil, and never changed.
func (d *Details) shown() *Details {
	if d == nil {
		return &noDetails
	}
	return d
}

// kept returns what a definition keeps: nil when the details are empty.
func (d Details) kept() *Details {
	if d.Label == "" && d.Format == "" && d.Unit == "" && d.Synonyms == nil && d.Dialect == "" && d.Values == nil && d.ColumnType == "" && d.Learned == nil && d.Verified == nil {
		return nil
	}
	return &d
}

// DimensionDef is a dimension as it was written.
// Most of what ten thousand sources take is dimensions: what few of them have is behind pointers.
type DimensionDef struct {
	Name        Text
	Computed    *Text // nil = the column of that name
	Description string
	Broken      string
	Details     *Details
	Type        Type
	Visibility  Visibility
	HasVisible  bool
	// Key: the column belongs to the primary key (of a shard's table).
	Key bool
}

// Expr returns the expression of a computed dimension; the empty Text = it is the column of its name.
func (d *DimensionDef) Expr() Text {
	if d.Computed == nil {
		return Text{}
	}
	return *d.Computed
}

// MeasureKind is the way in which a measure is computed.
type MeasureKind string

const (
	Simple     MeasureKind = "simple"     // Agg over the rows of its source
	Ratio      MeasureKind = "ratio"      // Numerator / Denominator
	Derived    MeasureKind = "derived"    // Expr over measures
	Cumulative MeasureKind = "cumulative" // Base over Window or since the start of ToDate
	TimeShift  MeasureKind = "time_shift" // Base, Offset earlier
	Share      MeasureKind = "share"      // Base divided by its total within Within
	Nested     MeasureKind = "nested"     // Agg over the values of Base for each Per
)

// Period is a number of calendar units.
type Period struct {
	N     int
	Grain dialect.Grain
}

// Pick is the end of time that a semi-additive measure uses.
type Pick string

const (
	First Pick = "first"
	Last  Pick = "last"
)

// NonAdditiveDef is the rule of a semi-additive measure as it was written.
type NonAdditiveDef struct {
	Dimension Text
	Pick      Pick
	Per       []Text
}

// MeasureDef is a measure as it was written.
type MeasureDef struct {
	Name        Text
	Kind        MeasureKind                  // "" = from Agg and Expr
	Agg         expression.AggregateFunction // "" = inside Expr
	Expr        Text
	Description string
	Broken      string
	Details     *Details
	Options     *MeasureOptions
	Visibility  Visibility
}

// Adds reports whether the definition only adds names: in a file of _memory, synonyms of a measure
// of another layer.
func (d *MeasureDef) Adds() bool {
	return d.Kind == "" && d.Agg == "" && d.Expr.Value == "" && d.Broken == "" && d.Details.Get().Synonyms != nil
}

// MeasureOptions are the keys of a definition that few measures have; most belong to one kind.
type MeasureOptions struct {
	Filter      Text
	Segments    []Text
	Percentile  string // the number as it was written, "" = none
	Default     *float64
	NonAdditive *NonAdditiveDef
	Time        Text // time_dimension
	Numerator   Text
	Denominator Text
	Measure     Text
	Window      Period
	ToDate      dialect.Grain
	Offset      Period
	Within      []Text
	Per         []Text
}

var noOptions MeasureOptions

// Get returns the options, which must not be changed; those of nil are empty.
func (o *MeasureOptions) Get() *MeasureOptions {
	if o == nil {
		return &noOptions
	}
	return o
}

// SegmentDef is a named filter as it was written.
type SegmentDef struct {
	Name        Text
	Expr        Text
	Description string
	Broken      string
	Details     *Details
	Visibility  Visibility
}

// Adds is as MeasureDef.Adds.
func (d *SegmentDef) Adds() bool {
	return d.Expr.Value == "" && d.Broken == "" && d.Details.Get().Synonyms != nil
}

// Relationship is the cardinality of a join: how many rows of this source match how many of the
// other.
type Relationship string

const (
	ManyToOne Relationship = "many_to_one"
	OneToOne  Relationship = "one_to_one"
	OneToMany Relationship = "one_to_many"
)

// JoinDef is a join as it was written.
type JoinDef struct {
	To           Text
	Role         Text
	On           Text
	Relationship Relationship
	// Inferred: the file says that nobody declared it.
	Inferred    bool
	Description string
	Broken      string
}
