package memory

import (
	"context"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// The types of enhancements of an entity.
const (
	EnhanceAlias       = "alias"
	EnhanceKeyColumn   = "key_column"
	EnhanceDescription = "description"
)

const (
	maxEntity = 200
	// maxEnhancements is the most values of one call, maxValues the most values of an enumeration.
	maxEnhancements, maxValues = 20, 200
	maxAlias                   = 100
	maxEdgeLabel               = 100
	// keyTag begins the tag of a source that names one of its key columns.
	keyTag = "key_column:"
)

// Enhancement is a proposed addition to an entity: a table, a source, or a synonym of one.
type Enhancement struct {
	Entity string
	Type   string
	Values []string
}

// EnhanceEntity adds synonyms, a description, or key columns to a source.
// Errors: KindInvalid, KindNotFound with the nearest names; KindConflict for a description in a file that the memory
// cannot change; those of submit.
func (s *Service) EnhanceEntity(ctx context.Context, c Call, e Enhancement) (*Suggested, error) {
	texts := []given{{"entityName", e.Entity, maxEntity, true}}
	most := maxAlias
	if e.Type == EnhanceDescription {
		most = maxFact
	}
	for _, v := range e.Values {
		texts = append(texts, given{"value", v, most, true})
	}
	if err := s.checked(texts...); err != nil {
		return nil, err
	}
	switch {
	case c.Connection == "":
		return nil, noConnection()
	case !slices.Contains([]string{EnhanceAlias, EnhanceKeyColumn, EnhanceDescription}, e.Type):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no enhancementType %q", e.Type).WithHint("use alias, key_column or description")
	case len(e.Values) == 0 || len(e.Values) > maxEnhancements || e.Type == EnhanceDescription && len(e.Values) > 1:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d values are given", len(e.Values)).WithHint("give 1 to %d values, and one description", maxEnhancements)
	}
	return s.submit(ctx, "enhance_entity", c, e, func(_ context.Context, sub *submission) ([]change.Proposal, error) {
		of, err := sub.source(e.Entity)
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case EnhanceAlias:
			return sub.synonyms(of, e.Values), nil
		case EnhanceKeyColumn:
			return sub.keyColumns(of, e.Values)
		}
		return sub.description(of, e.Values[0])
	})
}

// source finds a source by its name, its table's, or another name of it.
// Errors: KindNotFound with the nearest names, KindInvalid for a name of several.
func (s *submission) source(name string) (*model.Source, error) {
	m := s.view.planner.Model
	of, err := m.FindSource(name)
	if err == nil {
		return of, nil
	}
	var called []string
	for o := range m.Outlines() {
		if slices.ContainsFunc(o.Synonyms, func(w string) bool { return strings.EqualFold(w, name) }) {
			called = append(called, o.Identity)
		}
	}
	if len(called) == 1 {
		return m.FindSource(called[0])
	}
	e := sdk.AsError(err, sdk.SourceCaller)
	if e.Hint == "" {
		e = e.WithHint("call discover_data to find it")
	}
	return nil, e
}

// overlayOf is the file of what is learned about a source.
func (s *submission) overlayOf(of *model.Source) string {
	only, err := s.view.planner.Model.FindSource(of.Name)
	return planner.OverlayPath(s.job.connection, of, err == nil && only.ID == of.ID)
}

// learnedOf is a change of the overlay of a source.
func (s *submission) learnedOf(of *model.Source, p change.Proposal, blocks ...change.Block) change.Proposal {
	p.Path = s.overlayOf(of)
	if p.Target == "" {
		p.Target = of.Identity
	}
	p.Blocks = append([]change.Block{{Place: "name", After: yamlText(of.Identity)}}, blocks...)
	return p
}

func (s *submission) synonyms(of *model.Source, words []string) []change.Proposal {
	var blocks []change.Block
	var fresh []string
	for _, w := range words {
		same := func(o string) bool { return strings.EqualFold(o, w) }
		if slices.ContainsFunc(of.Synonyms, same) || slices.ContainsFunc(fresh, same) || same(of.Name) {
			continue
		}
		fresh = append(fresh, w)
		blocks = append(blocks, change.Block{Place: form.Member("synonyms", w), After: yamlText(w)})
	}
	if len(fresh) == 0 {
		return nil
	}
	return []change.Proposal{s.learnedOf(of, change.Proposal{
		Kind: change.Synonyms, Says: strings.Join(fresh, ", ") + " means " + of.Identity, Value: strings.ToLower(strings.Join(fresh, "\x00")),
	}, blocks...)}
}

func (s *submission) keyColumns(of *model.Source, columns []string) ([]change.Proposal, error) {
	var blocks []change.Block
	var tags []string
	for _, name := range columns {
		d, err := s.column(of, name)
		if err != nil {
			return nil, err
		}
		if tag := keyTag + d.Name; !slices.Contains(tags, tag) {
			tags = append(tags, tag)
			blocks = append(blocks, change.Block{Place: form.Member("tags", tag), After: yamlText(tag)})
		}
	}
	return []change.Proposal{s.learnedOf(of, change.Proposal{
		Kind: change.Tag, Says: "key columns of " + of.Identity + ": " + strings.Join(columns, ", "), Value: strings.Join(tags, "\x00"),
	}, blocks...)}, nil
}

// column returns a column of a source. Errors: KindNotFound with the nearest names.
func (s *submission) column(of *model.Source, name string) (*model.Dimension, error) {
	for i := range of.Dimensions {
		if d := &of.Dimensions[i]; d.Visibility == model.Public && (strings.EqualFold(d.Name, name) || strings.EqualFold(d.Column, name)) {
			return d, nil
		}
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has no column %s", of.Identity, name).WithHint("call entity_details for its columns")
	e.Candidates = s.view.planner.Model.Suggest(of.ID, name)
	return nil, e
}

// description is written where none is. One that a file has changes there, when a person approves of it.
func (s *submission) description(of *model.Source, text string) ([]change.Proposal, error) {
	p := change.Proposal{Kind: change.Description, Says: firstLine(text), Quote: text, Value: text}
	block := change.Block{Place: form.Member("description"), After: yamlText(text)}
	switch of.Description {
	case text:
		return nil, nil
	case "":
		return []change.Proposal{s.learnedOf(of, p, block)}, nil
	}
	at := slices.IndexFunc(s.view.planner.Model.Origins(of), func(o model.Origin) bool { return o.Kind == "description" })
	where := model.Place{}
	if at >= 0 {
		where = s.view.planner.Model.Origins(of)[at].Place
	}
	if where.File == "" || where.Layer == model.ImportedLayer {
		return nil, elsewhere(of.Identity, "description: "+strings.TrimSpace(yamlText(text)), where.File)
	}
	wait(&p, change.WhyPolicy, "it has another description")
	block.Before = yamlText(of.Description)
	p.Target, p.Path, p.Blocks = of.Identity, "semantic-layer/"+s.job.connection+"/"+where.File, []change.Block{block}
	return []change.Proposal{p}, nil
}

// elsewhere refuses to change what the warehouse or an import says, with the lines that a person writes instead.
func elsewhere(name, lines, file string) error {
	if file == "" {
		file = "the warehouse"
	}
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is described by %s, which memory does not change", name, file).
		WithHint("ask a person to write into the file of %s in semantic-layer/: %s", name, lines)
}

// enumeration is the change of a column's values.
func (s *submission) enumeration(k Knowledge) (*change.Proposal, error) {
	if s.job.connection == "" {
		return nil, noConnection()
	}
	dot := strings.LastIndexByte(k.Key, '.')
	if dot < 0 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the key of an enumeration is no table.column").WithHint("write the key as orders.status")
	}
	of, err := s.source(k.Key[:dot])
	if err != nil {
		return nil, err
	}
	d, err := s.column(of, k.Key[dot+1:])
	if err != nil {
		return nil, err
	}
	if p := s.view.profile(of); p != nil && withheld(p, d.Column) {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the values of %s are not kept", k.Key).WithHint("suggest what the column means, without its values")
	}
	values := enumerated(k.Value)
	if len(values) == 0 || len(values) > maxValues {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d values are given", len(values)).WithHint("write 1 to %d values with commas between them, or one a line, as value = meaning", maxValues)
	}
	block := change.Block{Place: form.Member("columns", d.Name, "values"), After: yamlOf(values)}
	p := change.Proposal{
		Kind: change.Values, Target: of.Identity + "." + d.Name, Says: k.Key + " has the values " + strings.Join(values, ", "), Quote: k.Value, Value: strings.Join(values, "\x00"),
	}
	learned := s.learnedOf(of, p, block)
	return &learned, nil
}

// enumerated reads values: one a line or with commas or semicolons between them, each with what it means behind "=" or ":".
func enumerated(text string) (values []string) {
	split := func(r rune) bool { return r == '\n' || r == ';' || r == ',' }
	if strings.ContainsAny(text, "\n;") { // a meaning may have commas
		split = func(r rune) bool { return r == '\n' || r == ';' }
	}
	for _, part := range strings.FieldsFunc(text, split) {
		value, _, _ := strings.Cut(part, "=")
		value, _, _ = strings.Cut(value, ": ")
		value = strings.Trim(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(value), "-*• ")), "'\"`")
		if value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

func yamlText(text string) string {
	return yamlOf(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
}

func yamlOf(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}
