package semanticquery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// reader puts a source of a model into words.
type reader struct {
	model  *model.Model
	source *model.Source
	told   *told
}

// answer is all that is known of the source, whole.
func (b *reader) answer() *SourceAnswer {
	s := b.source
	a := &SourceAnswer{
		Name: s.Name, Identity: s.Identity, Table: tableName(s), SQL: s.SQL, File: s.File, Line: int(s.Pos.Line),
		Broken: s.Broken, Description: known(s.Description), Internal: s.Visibility == model.Internal,
		PrimaryKey: b.fields(s.Grain), TimeZone: s.TimeZone,
		Measures: []Measure{}, Segments: []Segment{}, Dimensions: []Dimension{}, Joins: []Join{}, Reachable: []Reachable{},
	}
	if a.TimeZone == "" {
		a.TimeZone = "UTC"
	}
	for _, key := range s.UniqueKeys {
		a.UniqueKeys = append(a.UniqueKeys, b.fields(key))
	}
	if s.DefaultTime != 0 {
		a.DefaultTimeDimension = known(b.model.Dimension(s.DefaultTime).Name)
	}
	for i := range s.Measures {
		if m := &s.Measures[i]; m.Name != "" && m.Visibility != model.Hidden {
			a.Measures = append(a.Measures, b.measure(m))
		}
	}
	for i := range s.Segments {
		if g := &s.Segments[i]; g.Visibility != model.Hidden {
			a.Segments = append(a.Segments, Segment{g.Name, text(g.Expr), b.described("segments", g.Name, g.Details, g.Description, g.Visibility, g.Broken)})
		}
	}
	for i := range s.Dimensions {
		if d := &s.Dimensions[i]; d.Visibility != model.Hidden {
			a.Dimensions = append(a.Dimensions, b.dimension(d))
		}
	}
	if ai := (AIContext{s.AI.Instructions, s.AI.Examples, s.Synonyms}); ai.Instructions != "" || len(ai.Examples)+len(ai.Synonyms) > 0 {
		a.AIContext = &ai
	}
	if s.ID != model.Metrics {
		a.Joins = b.joins()
		a.Reachable, a.ReachableTruncated = b.reachable()
	}
	return a
}

func (b *reader) dimension(d *model.Dimension) Dimension {
	out := Dimension{
		Name: d.Name, Type: d.Type.String(), ColumnType: d.ColumnType, Expr: text(d.Expr), Values: d.Values, Format: d.Format, Unit: d.Unit,
		Described: b.described("dimensions", d.Name, d.Details, d.Description, d.Visibility, d.Broken),
	}
	if out.Type == "" {
		out.Type = "unknown"
	}
	if d.Type == model.Time {
		grains := dialect.Grains()
		if d.ColumnType == "date" || d.ColumnType == "" && d.Logical == sdk.TypeDate {
			grains = grains[slices.Index(grains, dialect.Day):]
		}
		for _, g := range grains {
			out.Granularities = append(out.Granularities, string(g))
		}
	}
	return out
}

func (b *reader) measure(m *model.Measure) Measure {
	measures := "measures"
	if b.source.ID == model.Metrics {
		measures = "metrics"
	}
	out := Measure{
		Name: m.Name, Kind: string(m.Kind), Agg: string(m.Agg), Expr: aggregated(m),
		Numerator: b.measureName(m.Numerator), Denominator: b.measureName(m.Denominator), Measure: b.measureName(m.Base),
		Window: period(m.Window), Offset: period(m.Offset), GrainToDate: string(m.ToDate),
		Within: b.references(m.Within), Per: b.references(m.Per), Default: m.Default, Unit: m.Unit, Format: m.Format,
		Described: b.described(measures, m.Name, m.Details, m.Description, m.Visibility, m.Broken),
	}
	if m.Parameter != nil {
		out.Parameter = m.Parameter.Value
	}
	var filters []string
	for _, f := range m.Filter {
		filters = append(filters, text(f))
	}
	if len(filters) > 1 {
		out.Filter = "(" + strings.Join(filters, ") AND (") + ")"
	} else {
		out.Filter = strings.Join(filters, "")
	}
	for _, id := range m.Segments {
		out.Segments = append(out.Segments, b.named(id.Source(), b.model.Segment(id).Name))
	}
	if n := m.NonAdditive; n != nil {
		out.NonAdditive = &NonAdditive{Dimension: b.field(n.Time), Pick: string(n.Pick), Per: b.references(n.Per)}
	}
	if m.Time.Dimension != 0 {
		out.TimeDimension = b.references([]model.Ref{m.Time})[0]
	}
	if m.Kind == model.Simple && m.Home != b.source.ID && m.Home != model.Metrics {
		out.Home = b.model.Source(m.Home).Name
	}
	return out
}

// described is what is said about a member of a kind of model.Origin.
func (b *reader) described(kind, name string, d *model.Details, description string, v model.Visibility, broken string) Described {
	return Described{
		Label: d.Label, Description: description, Synonyms: d.Synonyms, Internal: v == model.Internal, Broken: broken,
		Standing: b.told.stand(b.source, kind, name, d, broken),
	}
}

// text is an expression as it was written; "" for none.
func text(e *model.Expr) string {
	switch {
	case e == nil:
		return ""
	case e.Value == "" && e.Tree != nil: // made of a key that the warehouse declares
		return expression.String(e.Tree)
	}
	return e.Value
}

// aggregated is what a measure aggregates, without the aggregate that it may be
// written in.
func aggregated(m *model.Measure) string {
	if m.Agg != "" && m.Expr != nil && m.Expr.Tree != nil {
		if written, err := expression.Parse(m.Expr.Value); err == nil && expression.ClassOf(written) == expression.Aggregated {
			return expression.String(m.Expr.Tree)
		}
	}
	return text(m.Expr)
}

func period(p model.Period) string {
	if p.N == 0 {
		return ""
	}
	unit := string(p.Grain)
	if p.N != 1 && p.N != -1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", p.N, unit)
}

// measureName names a measure as seen from the source.
func (b *reader) measureName(id model.MeasureID) string {
	if id == 0 {
		return ""
	}
	m := b.model.Measure(id)
	if m.Name == "" { // an aggregate that a definition has in it
		return string(m.Agg) + "(" + aggregated(m) + ")"
	}
	return b.named(id.Source(), m.Name)
}

// named is a member's name as definitions of the source write it.
func (b *reader) named(owner model.SourceID, name string) string {
	if owner == b.source.ID || owner == model.Metrics {
		return name
	}
	return b.model.Source(owner).Name + "." + name
}

func (b *reader) references(refs []model.Ref) (all []string) {
	for _, r := range refs {
		name := b.field(r.Field)
		if len(r.Via) > 0 {
			all = append(all, strings.Join(r.Via, ".")+"."+name)
		} else {
			all = append(all, b.named(r.Source, name))
		}
		if r.Grain != "" {
			all[len(all)-1] += "." + string(r.Grain)
		}
	}
	return all
}

func (b *reader) field(f model.Field) string {
	if f.Dimension != 0 {
		return b.model.Dimension(f.Dimension).Name
	}
	return f.Column
}

func (b *reader) fields(all []model.Field) []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = b.field(f)
	}
	return names
}

// known is a text that is null when there is none.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
