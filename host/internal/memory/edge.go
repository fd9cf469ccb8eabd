package memory

import (
	"context"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Edge is a proposed description of the relationship of two entities.
type Edge struct {
	From, To string
	// Association is a label such as "places", Description a sentence.
	Association, Description string
}

// EnhanceRelationship describes the join of two sources by a label and a sentence. The change always waits for a
// person.
// Errors: KindInvalid for several joins, KindNotFound for an entity or a join; KindConflict for a join that an import
// describes; those of submit.
func (s *Service) EnhanceRelationship(ctx context.Context, c Call, e Edge) (*Suggested, error) {
	if err := s.checked(
		given{"fromEntity", e.From, maxEntity, true}, given{"toEntity", e.To, maxEntity, true},
		given{"association", e.Association, maxEdgeLabel, true}, given{"description", e.Description, maxFact, false},
	); err != nil {
		return nil, err
	}
	if c.Connection == "" {
		return nil, noConnection()
	}
	return s.submit(ctx, "enhance_relationship", c, e, func(_ context.Context, sub *submission) ([]change.Proposal, error) {
		from, err := sub.source(e.From)
		if err != nil {
			return nil, err
		}
		to, err := sub.source(e.To)
		if err != nil {
			return nil, err
		}
		of, join, err := edgeOf(from, to)
		if err != nil {
			return nil, err
		}
		text := e.Association
		if e.Description != "" {
			text += ": " + e.Description
		}
		if join.Description == text {
			return nil, nil
		}
		return sub.edge(of, join, text)
	})
}

// edgeOf is the only join of two sources, and the source that declares it.
func edgeOf(from, to *model.Source) (*model.Source, *model.Join, error) {
	for _, way := range [][2]*model.Source{{from, to}, {to, from}} {
		var found []*model.Join
		var roles []string
		for i := range way[0].Joins {
			if j := &way[0].Joins[i]; j.To == way[1].ID && j.Broken == "" {
				found, roles = append(found, j), append(roles, j.Role)
			}
		}
		switch {
		case len(found) == 1:
			return way[0], found[0], nil
		case len(found) > 1:
			return nil, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d joins lead from %s to %s: %s", len(found), way[0].Identity, way[1].Identity, strings.Join(roles, ", ")).
				WithHint("ask a person to describe the one that is meant in the file of %s", way[0].Identity)
		}
	}
	return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no join leads from %s to %s", from.Identity, to.Identity).
		WithHint("say which columns refer to which with memory_ingest: \"%s.… references %s.…\"", from.Name, to.Name)
}

// edge is the change of a join's description: in the file that has the join, else in the overlay.
func (s *submission) edge(of *model.Source, j *model.Join, text string) ([]change.Proposal, error) {
	to := s.view.planner.Model.Source(j.To)
	p := change.Proposal{
		Kind: change.Join, Target: of.Identity + " → " + to.Identity, Says: firstLine(text), Quote: text, Value: text, Why: []string{change.WhyPolicy},
	}
	where := s.joinPlace(of, j, to)
	switch {
	case where.Layer == model.ImportedLayer && j.Description != "":
		return nil, elsewhere(p.Target, "description: "+strings.TrimSpace(yamlText(text)), where.File)
	case where.File != "" && where.Layer != model.ImportedLayer:
		p.Path = "semantic-layer/" + s.job.connection + "/" + where.File
		block := change.Block{Place: form.Member("joins", where.name, "description"), After: yamlText(text)}
		if j.Description != "" {
			block.Before = yamlText(j.Description)
		}
		p.Blocks = []change.Block{block}
		return []change.Proposal{p}, nil
	}
	entry := yaml.Node{Kind: yaml.MappingNode}
	for _, key := range [][2]string{{"to", to.Identity}, {"role", j.Role}, {"on", expression.String(s.condition(of, j, to))}, {"relationship", string(j.Relationship)}, {"description", text}} {
		if key[1] != "" {
			entry.Content = append(entry.Content, textNode(key[0]), textNode(key[1]))
		}
	}
	name := j.Role
	if name == "" {
		name = to.Identity
	}
	return []change.Proposal{s.learnedOf(of, p, change.Block{Place: form.Member("joins", name), After: yamlOf(&entry)})}, nil
}

// joined is where a join is declared, under which name.
type joined struct {
	model.Place
	name string
}

// joinPlace finds the declaration of a join. One in an overlay that describes a join of the scan counts as its own.
func (s *submission) joinPlace(of *model.Source, j *model.Join, to *model.Source) (at joined) {
	for _, o := range s.view.planner.Model.Origins(of) {
		if o.Kind != "joins" || o.Name != j.Role && (j.Role != "" || !slices.Contains([]string{to.Name, to.Identity}, o.Name)) {
			continue
		}
		at = joined{o.Place, o.Name}
		for _, h := range o.Hides {
			if h.Layer == model.MemoryLayer && j.Description != "" {
				at.Place = h
			}
		}
	}
	return at
}

// condition is the condition of a join in names of the two sources.
func (s *submission) condition(of *model.Source, j *model.Join, to *model.Source) expression.Node {
	var all []expression.Node
	for _, pair := range j.Equal {
		all = append(all, &expression.Binary{
			Op:    expression.Equal,
			Left:  &expression.Name{Parts: []string{of.Name, s.view.planner.Model.Dimension(pair.From.Dimension).Name}},
			Right: &expression.Name{Parts: []string{to.Name, s.view.planner.Model.Dimension(pair.To.Dimension).Name}},
		})
	}
	if len(all) == 1 {
		return all[0]
	}
	return &expression.Logic{Op: expression.And, Terms: all}
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}
