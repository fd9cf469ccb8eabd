package semanticquery

import (
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// SourceRequest asks for the description of one source.
type SourceRequest struct {
	// Connection "" = the only one, else the only one that has the source.
	Connection connection.ID
	// Name is a name for model.FindSource.
	Name string
	// Dimensions restricts the list of dimensions to these names; nil = all.
	Dimensions []string
	// MaxChars is an approximate bound of the answer's JSON in characters: dimensions beyond it
	// are left out and counted; 0 = 40,000, negative = only the number of dimensions is bounded.
	MaxChars int
	// Whole: return all dimensions, whatever MaxChars is.
	Whole bool
	// Origins: return the origins of the source's parts.
	Origins bool
}

// SourceAnswer is the description of one source.
// Shape: no list is nil unless it is omitted. Hidden members are left out, internal ones are
// marked; broken ones have the reason.
type SourceAnswer struct {
	Connection connection.ID `json:"connectionId"`
	Name       string        `json:"name"`
	// Identity distinguishes it from sources of other schemas; it can be used as the name.
	Identity string `json:"identity,omitempty"`
	// Table or SQL is the origin of its rows.
	Table string `json:"table,omitempty"`
	SQL   string `json:"sql,omitempty"`
	// File below the project's folder with its definition or overlay, with the line; "" = it is
	// only scanned.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Version of File, the baseVersion of sl_write_source; "" = that tool cannot write the file.
	Version string `json:"version,omitempty"`
	// Broken is why it cannot be queried.
	Broken      string  `json:"broken,omitempty"`
	Description *string `json:"description,omitempty"`
	Internal    bool    `json:"internal,omitempty"`

	PrimaryKey           []string   `json:"primaryKey,omitempty"`
	UniqueKeys           [][]string `json:"uniqueKeys,omitempty"`
	DefaultTimeDimension *string    `json:"defaultTimeDimension,omitempty"`
	// TimeZone of times without one.
	TimeZone string `json:"timeZone,omitempty"`

	Measures   []Measure   `json:"measures,omitempty"`
	Segments   []Segment   `json:"segments,omitempty"`
	Dimensions []Dimension `json:"dimensions,omitempty"`
	// DimensionsTruncated: Dimensions are only the first ones of TotalDimensions, which is 0
	// otherwise.
	DimensionsTruncated bool   `json:"dimensionsTruncated,omitempty"`
	TotalDimensions     int    `json:"totalDimensions,omitempty"`
	Joins               []Join `json:"joins,omitempty"`
	// Reachable are the sources that are to-one from this one: every measure of this source can be
	// grouped by their dimensions.
	Reachable          []Reachable `json:"reachable,omitempty"`
	ReachableTruncated bool        `json:"reachableTruncated,omitempty"`

	AIContext *AIContext `json:"aiContext,omitempty"`
	// Origins are the origins of the source's parts, if requested.
	Origins  []Origin          `json:"origins,omitempty"`
	Problems []binding.Problem `json:"problems,omitempty"`
	// Disputed is the contradictions of members that wait for a person.
	change.Disputed
	Notes []string `json:"notes,omitempty"`

	// Qualifier stands before the names of its members in requests; "" for the metrics.
	Qualifier string `json:"-"`
	// Modified is when the files of the semantic layer or the scan last changed, RFC 3339; "" = neither exists.
	Modified string `json:"-"`
}

// AIContext is instructions and examples of people for agents.
type AIContext struct {
	Instructions string   `json:"instructions,omitempty"`
	Examples     []string `json:"examples,omitempty"`
	Synonyms     []string `json:"synonyms,omitempty"`
}

// Described is the description of a member.
type Described struct {
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description,omitempty"`
	Synonyms    []string `json:"synonyms,omitempty"`
	// Internal members can be used by their full name, and are listed nowhere else.
	Internal bool   `json:"internal,omitempty"`
	Broken   string `json:"broken,omitempty"`
	Standing
}

// Dimension is a key to group measures by and to filter rows with.
type Dimension struct {
	Name string `json:"name"`
	// Type is string, number, time, boolean, or unknown.
	Type string `json:"type"`
	// ColumnType is the storage type of a time, where a file declares it.
	ColumnType string `json:"columnType,omitempty"`
	Expr       string `json:"expr,omitempty"`
	Described
	// Values are all values, where a file lists them.
	Values []string `json:"values,omitempty"`
	Format string   `json:"format,omitempty"`
	Unit   string   `json:"unit,omitempty"`
	// Granularities of a time.
	Granularities []string `json:"granularities,omitempty"`
}

// Measure is a measure of a source.
// Shape: the fields below Kind depend on it.
type Measure struct {
	Name string `json:"name"`
	Kind string `json:"kind"`

	Agg         string   `json:"agg,omitempty"`
	Parameter   string   `json:"parameter,omitempty"` // of percentile, of string_agg
	Expr        string   `json:"expr,omitempty"`
	Filter      string   `json:"filter,omitempty"`
	Segments    []string `json:"segments,omitempty"`
	Numerator   string   `json:"numerator,omitempty"`
	Denominator string   `json:"denominator,omitempty"`
	Measure     string   `json:"measure,omitempty"` // that it is computed from
	Window      string   `json:"window,omitempty"`
	GrainToDate string   `json:"grainToDate,omitempty"`
	Offset      string   `json:"offset,omitempty"`
	Within      []string `json:"within,omitempty"`
	Per         []string `json:"per,omitempty"`
	// NonAdditive is the rule of a semi-additive measure.
	NonAdditive *NonAdditive `json:"nonAdditive,omitempty"`
	// TimeDimension is its time dimension, where it is not the source's default.
	TimeDimension string `json:"timeDimension,omitempty"`
	// Default replaces a missing value.
	Default *float64 `json:"default,omitempty"`
	// Home is the source whose rows it aggregates, where that is another source.
	Home string `json:"home,omitempty"`
	Described
	Unit   string `json:"unit,omitempty"`
	Format string `json:"format,omitempty"`
}

// NonAdditive is the rule of a semi-additive measure: it aggregates the rows at the first or last
// time only.
type NonAdditive struct {
	Dimension string   `json:"dimension"`
	Pick      string   `json:"pick"`
	Per       []string `json:"per,omitempty"`
}

// Segment is a named condition on rows.
type Segment struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
	Described
}

// ReadSource describes one source; for a broken source with the reason.
// Errors: KindNotFound with near names, KindInvalid for the name of several sources, which are the
// candidates, or of a hidden one; those of Compile for the connection; those of the layer. No
// connector is needed.
func (s *Service) ReadSource(ctx context.Context, r SourceRequest) (*SourceAnswer, error) {
	c, state, notes, err := s.state(ctx, r.Connection, func(state *layer.State, _ *dialect.Dialect) bool {
		_, err := binding.Find(state, r.Name)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	source, err := binding.Find(state, r.Name)
	if err != nil {
		return nil, err
	}
	b := &reader{model: state.Model, source: source}
	if b.told, err = s.told(ctx, c.ID, state.Model, source); err != nil {
		return nil, err
	}
	a := b.answer()
	a.Connection, a.Qualifier = c.ID, qualifier(state.Model, source)
	a.Version = versionOf(state.Files.List, a.File)
	a.File = binding.File(c.ID, a.File)
	a.Problems = problemsOf(c.ID, state, source)
	if r.Origins {
		a.Origins = originsOf(c.ID, state.Model.Origins(source))
	}
	a.Notes = notes
	a.Modified = modified(state)
	a.Disputed = change.Shown(b.told.against)
	if open := state.Model.Undescribed([]model.SourceID{source.ID}); len(open) > 0 {
		a.Notes = append(a.Notes, unasked(open))
	}
	if err := a.narrow(r.Dimensions); err != nil {
		return nil, err
	}
	if !r.Whole {
		a.fit(r.MaxChars)
	}
	return a, nil
}

// modified is the later of the last scan and the newest file of a semantic layer; "" = neither exists.
func modified(state *layer.State) string {
	at := state.Files.Newest
	if state.Snapshot != nil && state.Snapshot.ExtractedAt.After(at) {
		at = state.Snapshot.ExtractedAt
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// versionOf returns the hash of a file that a person writes, in hexadecimal; "" of any other.
func versionOf(all []*model.File, name string) string {
	if strings.Contains(name, "/") || path.Ext(name) != ".yaml" {
		return ""
	}
	at, found := slices.BinarySearchFunc(all, name, func(f *model.File, name string) int { return strings.Compare(f.Path, name) })
	if !found {
		return ""
	}
	return hex.EncodeToString(all[at].Hash[:])
}

// state returns the semantic layer of a connection, in the dialect that is known.
func (s *Service) state(ctx context.Context, id connection.ID, has func(*layer.State, *dialect.Dialect) bool) (warehouse.Warehouse, *layer.State, []string, error) {
	c, err := s.choose(ctx, id, has)
	if err != nil {
		return c, nil, nil, err
	}
	var notes []string
	var d *dialect.Dialect
	if known, err := c.Known(ctx); err == nil {
		d = known.Dialect()
	} else {
		reason := sdk.AsError(err, sdk.SourceHost)
		notes = append(notes, fmt.Sprintf("Connection %s cannot be queried: %s.", c.ID, reason.Msg))
	}
	state, err := s.Layer.Current(ctx, c.ID, d)
	if err != nil {
		return c, nil, nil, err
	}
	return c, state, append(notes, state.Notes...), nil
}

// problemsOf returns what is wrong with a source.
func problemsOf(id connection.ID, state *layer.State, source *model.Source) (all []binding.Problem) {
	for _, list := range [][]model.Problem{state.Files.Problems, state.Model.Problems()} {
		for _, p := range list {
			if binding.Concerns(p, source) {
				all = append(all, binding.NewProblem(id, p))
			}
		}
	}
	return all
}

func tableName(s *model.Source) string {
	if s.SQL != "" || s.Table.Name == "" {
		return ""
	}
	return catalog.Display(s.Table)
}
