package semanticquery

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// MeasureAnswer is the description of one measure, with its source.
// Shape: no list is nil, except those of Source. Names are as requests write them.
type MeasureAnswer struct {
	// Name is the measure as requests name it: "orders.revenue", or that of a metric.
	Name    string  `json:"name"`
	Measure Measure `json:"measure"`
	// Origin is where it is defined; nil = not known.
	Origin *Origin `json:"origin,omitempty"`
	// Source is that of the measure; for a metric it has the metrics.
	Source *SourceAnswer `json:"source"`
	// Uses are the measures that it is computed from, UsedBy those that are computed from it.
	Uses   []string `json:"uses"`
	UsedBy []string `json:"usedBy"`
	// UsedByTruncated: not all sources were looked at for UsedBy.
	UsedByTruncated bool `json:"usedByTruncated,omitempty"`
	// Twins are measures of the source with the same definition, and those that gave the same numbers.
	Twins []string `json:"twins"`
	// Disputed is the contradictions of this measure that wait for a person; those of Source are of all its members.
	change.Disputed
}

// maxUsing is how many sources are looked at for the measures that use one.
const maxUsing = 200

// ReadMeasure describes a measure by its name, "source.measure" or that of a metric.
// Errors: those of ReadSource; KindNotFound with near names for a measure that the source does not have.
// Units: the cost grows with the source, and with at most 200 other sources.
func (s *Service) ReadMeasure(ctx context.Context, id connection.ID, name string) (*MeasureAnswer, error) {
	of, member := parted(name)
	source, err := s.ReadSource(ctx, SourceRequest{Connection: id, Name: of, Origins: true, Whole: true})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(source.Measures, func(m Measure) bool { return m.Name == member })
	if at < 0 {
		return nil, noMeasure(source, member)
	}
	a := &MeasureAnswer{Name: MemberName(source.Qualifier, member), Measure: source.Measures[at], Source: source, Uses: []string{}, UsedBy: []string{}, Twins: []string{}}
	for i := range source.Origins {
		if o := &source.Origins[i]; (o.Kind == "measures" || o.Kind == "metrics") && o.Name == member {
			a.Origin = o
		}
	}
	_, state, _, err := s.state(ctx, source.Connection, scanned)
	if err != nil {
		return nil, err
	}
	if found, err := binding.Find(state, of); err == nil {
		a.relate(state.Model, found, member)
		disputes, err := s.disputes(ctx)
		if err != nil {
			return nil, err
		}
		a.Disputed = change.Shown(disputes.OfMember(string(source.Connection), targets(found, member)...))
	}
	a.Twins = twinsOf(source, at)
	return a, nil
}

// parted divides the name of a measure into the name of its source and its own.
func parted(name string) (source, member string) {
	if parsed, err := expression.ParseName(name); err == nil {
		last := len(parsed.Parts) - 1
		if last == 0 {
			return binding.MetricsName, parsed.Parts[0]
		}
		return expression.String(&expression.Name{Parts: parsed.Parts[:last]}), parsed.Parts[last]
	}
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[:at], name[at+1:]
	}
	return binding.MetricsName, name
}

func noMeasure(source *SourceAnswer, member string) error {
	err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has no measure %s", source.Name, member).WithHint("choose one of the source's measures: loam sl show %s", source.Name)
	all := make([]string, len(source.Measures))
	for i := range source.Measures {
		all[i] = source.Measures[i].Name
	}
	err.Candidates = sqlkit.Nearest(member, all)
	return err
}

// relate sets the measures that the answer's uses, and those that use it.
func (a *MeasureAnswer) relate(m *model.Model, source *model.Source, member string) {
	at := slices.IndexFunc(source.Measures, func(one model.Measure) bool { return one.Name == member })
	if at < 0 {
		return
	}
	own := &source.Measures[at]
	a.Uses = append(a.Uses, names(m, usesOf(m, own))...)
	looked := 0
	for outline := range m.Outlines() {
		if outline.File == "" && outline.ID != source.ID || outline.Visibility == model.Hidden || !measured(outline) {
			continue
		}
		if looked++; looked > maxUsing {
			a.UsedByTruncated = true
			break
		}
		a.UsedBy = append(a.UsedBy, using(m, m.Source(outline.ID), own.ID)...)
	}
	a.UsedBy = append(a.UsedBy, using(m, m.Source(model.Metrics), own.ID)...)
}

// using names the measures of a source that are computed from another.
func using(m *model.Model, source *model.Source, id model.MeasureID) (all []string) {
	for i := range source.Measures {
		one := &source.Measures[i]
		if one.Name != "" && one.ID != id && one.Visibility != model.Hidden && slices.Contains(usesOf(m, one), id) {
			all = append(all, names(m, []model.MeasureID{one.ID})...)
		}
	}
	return all
}

// usesOf returns the measures with a name that a measure is computed from. Aggregates without a name are parts of it.
func usesOf(m *model.Model, of *model.Measure) (all []model.MeasureID) {
	for _, id := range of.Uses {
		if part := m.Measure(id); part.Name != "" {
			all = append(all, id)
		} else {
			all = append(all, usesOf(m, part)...)
		}
	}
	return all
}

func names(m *model.Model, ids []model.MeasureID) (all []string) {
	for _, id := range ids {
		name := MemberName(qualifier(m, m.Source(id.Source())), m.Measure(id).Name)
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// twinsOf names the measures of a source that mean the same as one, or gave the same numbers when they were tried.
func twinsOf(source *SourceAnswer, at int) []string {
	own, twins := &source.Measures[at], []string{}
	name := func(m *Measure) string { return MemberName(source.Qualifier, m.Name) }
	add := func(other string) {
		if other != name(own) && !slices.Contains(twins, other) {
			twins = append(twins, other)
		}
	}
	if own.Verified != nil && own.Verified.Of != "" {
		add(own.Verified.Of)
	}
	for i := range source.Measures {
		other := &source.Measures[i]
		same := other.Broken == "" && own.Broken == "" && other.Kind == own.Kind && other.Meaning() == own.Meaning()
		if same || other.Verified != nil && other.Verified.Of == name(own) {
			add(name(other))
		}
	}
	return twins
}
