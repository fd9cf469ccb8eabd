package semanticquery

import (
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Join is a join from one source to another.
type Join struct {
	// Name of the other source in this one: its role, else its own name.
	Name         string `json:"name"`
	To           string `json:"to"`
	Relationship string `json:"relationship"`
	On           string `json:"on"`
	Role         string `json:"role,omitempty"`
	Description  string `json:"description,omitempty"`
	// Inferred: nobody declared it, neither a person nor the warehouse.
	Inferred bool `json:"inferred,omitempty"`
	// Reversed: the other source declares it.
	Reversed bool   `json:"reversed,omitempty"`
	Broken   string `json:"broken,omitempty"`
}

// Reachable is a source that is to-one from this one.
type Reachable struct {
	Source string `json:"source"`
	// Reference is the qualifier of a dimension; "" = write {"field":
	// "source.dimension", "via": [...]}.
	Reference string   `json:"reference,omitempty"`
	Via       []string `json:"via"`
	Inferred  bool     `json:"inferred,omitempty"`
}

// maxReachable is how many sources an answer lists.
const maxReachable = 100

// joins are the source's own and those of others to it.
func (b *reader) joins() []Join {
	all := []Join{}
	for i := range b.source.Joins {
		j := &b.source.Joins[i]
		to := b.model.Source(j.To)
		if to == nil || to.ID == model.Metrics {
			all = append(all, Join{Name: j.Role, Relationship: string(j.Relationship), On: text(j.On), Role: j.Role, Broken: j.Broken})
			continue
		}
		if to.Visibility == model.Hidden {
			continue
		}
		one := Join{
			Name: j.Role, To: to.Name, Relationship: string(j.Relationship), On: text(j.On), Role: j.Role,
			Description: j.Description, Inferred: j.Inferred, Broken: j.Broken,
		}
		if one.Name == "" {
			one.Name = to.Name
		}
		all = append(all, one)
	}
	for _, step := range b.model.Incoming(b.source.ID) {
		other, j := b.model.Source(step.Source()), b.model.Join(step.Join)
		if other.Visibility == model.Hidden {
			continue
		}
		all = append(all, Join{
			Name: other.Name, To: other.Name, Relationship: string(reversed[j.Relationship]), On: text(j.On), Role: j.Role,
			Description: j.Description, Inferred: step.Inferred, Reversed: true, Broken: step.Broken,
		})
	}
	return all
}

// reversed is a relationship as the other side sees it.
var reversed = map[model.Relationship]model.Relationship{
	model.ManyToOne: model.OneToMany, model.OneToMany: model.ManyToOne, model.OneToOne: model.OneToOne,
}

// reachable lists what the source's measures can be broken down by; truncated:
// there is more.
func (b *reader) reachable() (all []Reachable, truncated bool) {
	found, whole := b.model.Reachable(b.source.ID, maxReachable)
	all = make([]Reachable, len(found))
	for i, r := range found {
		all[i] = Reachable{Source: b.model.Source(r.Path.Source()).Name, Reference: r.Reference, Via: r.Via}
		for _, s := range r.Path.Steps {
			all[i].Inferred = all[i].Inferred || s.Inferred
		}
	}
	return all, !whole
}
