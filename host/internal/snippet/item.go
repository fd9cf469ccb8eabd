// Package snippet reads definitions that people paste: LookML, dbt and MetricFlow, Cube, Ossie, semantic views
// and metric views in YAML, SQL, our own YAML. A fragment needs no project around it. The result lists every
// construct: accepted, accepted with a note, or left out with a reason. The package is pure.
//
// An SQL expression is accepted if the portable language can parse it. Engine-specific SQL is left out as unsupported,
// because a snippet does not name its engine. Nothing is run: templates and code are left out as templated, except ref()
// and source().
package snippet

// Format of a snippet.
type Format string

// The formats.
const (
	LookML       Format = "lookml"
	MetricFlow   Format = "metricflow"
	DBT          Format = "dbt"
	Cube         Format = "cube"
	Ossie        Format = "ossie"
	SemanticView Format = "semantic_view" // a semantic view in YAML, or an older semantic model
	MetricView   Format = "metric_view"   // a metric view in YAML
	Own          Format = "loam"
	SQL          Format = "sql"
)

// ItemKind is what an item defines.
type ItemKind string

// The kinds of items.
const (
	Table       ItemKind = "table" // describes a table
	Column      ItemKind = "column"
	MeasureItem ItemKind = "measure"
	SegmentItem ItemKind = "segment"
	JoinItem    ItemKind = "join"
	Metric      ItemKind = "metric" // over measures, also of several tables
)

// Item is one construct of a snippet.
type Item struct {
	Kind ItemKind
	// Table that it belongs to, as a warehouse may name it: "orders", "analytics.orders"; "" = not said.
	Table string `json:",omitempty"`
	Name  string
	// What describes it.
	Label, Description, Unit string   `json:",omitempty"`
	Synonyms                 []string `json:",omitempty"`
	// Values of a column, all that there are.
	Values []string `json:",omitempty"`
	// Definition is the entry as our own YAML has it below its name (agg, expr, filter,
	// numerator …), keys in a fixed order; columns without a table before them. nil for what only describes.
	// A list or a mapping is in YAML's flow style: "[a, b]".
	Definition []Key `json:",omitempty"`
	// LeftOut says why it is not taken, "" = it is: a code like "templated", "unknown_key",
	// "not_an_aggregate", "join_needed", "period_in_filter", "unsupported"; Message explains it in a sentence, also of what is
	// taken with a note.
	LeftOut string `json:",omitempty"`
	Message string `json:",omitempty"`
	// Line of the snippet, from 1, and its text.
	Line  int
	Quote string
	// Nearest are known keys or names that were probably meant.
	Nearest []string `json:",omitempty"`
}

// Key is one key of a definition.
type Key struct{ Name, Value string }

// Snippet is a text as one format has it.
type Snippet struct {
	Format Format
	Items  []Item
}

// The reasons for which an item is left out.
const (
	templated      = "templated"
	unknownKey     = "unknown_key"
	notAnAggregate = "not_an_aggregate"
	joinNeeded     = "join_needed"
	periodInFilter = "period_in_filter"
	unsupported    = "unsupported"
)
