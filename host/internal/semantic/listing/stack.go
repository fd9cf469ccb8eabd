package listing

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// member is the definition of a measure or a segment, with its layer.
type member struct {
	name, description, expr string
	details                 *model.Details
	visibility              model.Visibility
	broken                  string
	// adds says that it only adds names to a member of another layer.
	adds  bool
	layer model.Layer
	// reads are the names in the formula of a learned one.
	reads []string
}

func measures(defs []model.MeasureDef, layer model.Layer) []member {
	all := make([]member, len(defs))
	for i := range defs {
		d := &defs[i]
		o := d.Options.Get()
		read := reads(d.Details, d.Expr.Value, o.Filter.Value, o.Numerator.Value, o.Denominator.Value, o.Measure.Value)
		all[i] = member{d.Name.Value, d.Description, formula(d), d.Details, d.Visibility, d.Broken, d.Adds(), layer, read}
	}
	return all
}

func segments(defs []model.SegmentDef, layer model.Layer) []member {
	all := make([]member, len(defs))
	for i := range defs {
		d := &defs[i]
		all[i] = member{d.Name.Value, d.Description, strings.TrimSpace(d.Expr.Value), d.Details, d.Visibility, d.Broken, d.Adds(), layer, reads(d.Details, d.Expr.Value)}
	}
	return all
}

// stack merges the measures or the segments of several definitions, lowest layer first.
type stack struct {
	all    []member
	places map[string]int // by name
}

// add merges the members of one definition. They replace earlier ones of the same name, except
// those of _memory, which never replace.
func (s *stack) add(members []member) {
	if s.places == nil {
		s.places = map[string]int{}
	}
	base := len(s.all)
	s.all = slices.Grow(s.all, len(members))
	for _, m := range members {
		at, there := s.places[m.name]
		switch {
		case m.adds && !there: // to a member that only a scan knows, or a problem of the file
		case m.adds && at < base:
			s.all[at].details = s.all[at].details.AddNames(m.details)
		case !there:
			s.places[m.name] = len(s.all)
			s.all = append(s.all, m)
		case at >= base:
			s.all[at].broken = twice
		case m.layer != model.MemoryLayer:
			s.all[at] = m
		}
	}
}

// twice is the problem of a member that one definition has twice.
const twice = "there are two of this name"
