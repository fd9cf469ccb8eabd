package model

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
	"unique"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk/dialect"
)

// decoder reads definitions from nodes. The checker saw them before: what does
// not fit is left out, for its member is broken.
type decoder struct {
	content []byte
	native  bool // types of dimensions are an engine's
	broken  map[*yaml.Node]string
	line    int // a line and where it starts, for finding the next ones
	start   int
}

func (d *decoder) file(f *File, root *yaml.Node) {
	switch f.Kind {
	case MetricsFile:
		each(root, func(key string, v *yaml.Node) {
			if key == "metrics" {
				f.Metrics = d.measures(v)
			}
		})
	case ShardFile:
		d.native = true
		if tables := valueOf(root, "tables", false); tables != nil {
			for i := 0; i+1 < len(tables.Content); i += 2 {
				s := d.source(follow(tables.Content[i+1]))
				s.Name, s.Shard = d.text(tables.Content[i]), true
				f.Sources = append(f.Sources, s)
			}
		}
	default:
		s := d.source(root)
		if s.Broken = d.broken[nil]; s.Name.Value == "" {
			s.Name.Value = stem(f.Path)
		}
		f.Sources = []SourceDef{s}
	}
}

// each calls f for the entries of a mapping.
func each(n *yaml.Node, f func(key string, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(n.Content[i].Value, follow(n.Content[i+1]))
	}
}

func (d *decoder) source(n *yaml.Node) SourceDef {
	s := SourceDef{Pos: at(n), Broken: d.broken[n]}
	each(n, func(key string, v *yaml.Node) {
		switch key {
		case "name":
			s.Name = d.text(v)
		case "table":
			s.Table = d.text(v)
		case "sql":
			s.SQL = d.text(v)
		case "primary_key", "grain":
			s.Grain, s.Keyless = d.texts(v), kindOf(v) == kindNull
		case "unique_keys":
			for _, key := range v.Content {
				s.UniqueKeys = append(s.UniqueKeys, d.texts(follow(key)))
			}
		case "default_time_dimension":
			if v.Kind == yaml.MappingNode {
				if v = valueOf(v, "dbt", false); v == nil {
					return
				}
			}
			s.DefaultTime = d.text(v)
		case "time_zone":
			s.TimeZone = d.text(v)
		case "calendar":
			s.Calendar = d.calendar(v)
		case "exclude_columns":
			s.Exclude = d.texts(v)
		case "disable_joins":
			s.DisableJoins = d.texts(v)
		case "inherits_columns_from":
			s.InheritsFrom = d.text(v)
		default:
			d.sourceMembers(&s, key, v)
		}
	})
	return s
}

func (d *decoder) calendar(n *yaml.Node) *CalendarDef {
	c := &CalendarDef{Pos: at(n)}
	each(n, func(key string, v *yaml.Node) {
		switch key {
		case "date":
			c.Date = d.text(v)
		case "periods":
			for i := 0; i+1 < len(v.Content); i += 2 {
				c.Periods = append(c.Periods, PeriodDef{d.text(v.Content[i]), d.text(follow(v.Content[i+1]))})
			}
		}
	})
	return c
}

func (d *decoder) sourceMembers(s *SourceDef, key string, v *yaml.Node) {
	switch key {
	case "description":
		s.Description, s.DescriptionPos = v.Value, at(v)
	case "descriptions":
		s.Description, s.DescriptionPos = described(v, s.Description), at(v)
	case "visibility":
		s.Visibility, s.HasVisible = visibility(v), true
	case "synonyms":
		s.Synonyms, s.SynonymsPos = append(s.Synonyms, values(v)...), at(v)
	case "ai_context":
		if v.Kind == yaml.ScalarNode {
			s.AI.Instructions = v.Value
			return
		}
		each(v, func(key string, v *yaml.Node) {
			switch key {
			case "instructions":
				s.AI.Instructions = v.Value
			case "synonyms":
				s.Synonyms = append(s.Synonyms, values(v)...)
			case "examples":
				s.AI.Examples = values(v)
			}
		})
	case "dimensions", "columns":
		s.Dimensions = d.dimensions(v)
	case "column_overrides":
		s.Overrides = d.dimensions(v)
	case "measures":
		s.Measures = d.measures(v)
	case "segments":
		s.Segments = make([]SegmentDef, 0, len(v.Content))
		for _, n := range v.Content {
			s.Segments = append(s.Segments, d.segment(follow(n)))
		}
	case "joins":
		s.Joins = make([]JoinDef, 0, len(v.Content))
		for _, n := range v.Content {
			s.Joins = append(s.Joins, d.join(follow(n)))
		}
	}
}

func (d *decoder) dimensions(list *yaml.Node) []DimensionDef {
	all := make([]DimensionDef, 0, len(list.Content))
	for _, n := range list.Content {
		n = follow(n)
		m := DimensionDef{Broken: d.broken[n]}
		var more Details
		each(n, func(key string, v *yaml.Node) {
			switch key {
			case "name":
				m.Name = d.text(v)
				m.Name.Value = shared(m.Name.Value)
			case "type":
				m.Type = d.typeOf(v.Value)
			case "column_type":
				more.ColumnType = v.Value
			case "expr":
				if expr := d.text(v); expr.Value != "" {
					m.Computed = &expr
				}
			case "values":
				more.Values = values(v)
			case "enum_values":
				more.Values = enumerated(v, more.Values)
			case "role":
				if v.Value == "time" && m.Type == AnyType {
					m.Type = Time
				}
			case "pk":
				m.Key = v.Value == "true"
			default:
				common(key, v, &m.Description, &m.Visibility, &more)
				m.HasVisible = m.HasVisible || key == "visibility"
			}
		})
		m.Details = more.kept()
		all = append(all, m)
	}
	return all
}

// common reads what members of every kind have.
func common(key string, v *yaml.Node, description *string, visible *Visibility, more *Details) {
	switch key {
	case "label":
		more.Label = v.Value
	case "description":
		*description = v.Value
	case "descriptions":
		*description = described(v, *description)
	case "format":
		more.Format = v.Value
	case "unit":
		more.Unit = v.Value
	case "dialect":
		more.Dialect = v.Value
	case "synonyms":
		more.Synonyms = values(v)
	case "visibility":
		*visible = visibility(v)
	case "learned":
		more.Learned = &Learned{}
		each(v, func(key string, v *yaml.Node) { more.Learned.set(key, v.Value) })
	case "verified":
		more.Verified = &Verified{}
		each(v, func(key string, v *yaml.Node) { more.Verified.set(key, v.Value) })
	}
}

func (l *Learned) set(key, value string) {
	switch key {
	case "change":
		l.Change = value
	case "by":
		l.By = value
	case "at":
		l.At = value
	case "source":
		l.Source = value
	case "reviewed":
		l.Reviewed = value == "true"
	}
}

func (v *Verified) set(key, value string) {
	switch key {
	case "level":
		v.Level = value
	case "at":
		v.At = value
	case "of":
		v.Of = value
	case "reason":
		v.Reason = value
	}
}

func (d *decoder) measures(list *yaml.Node) []MeasureDef {
	all := make([]MeasureDef, 0, len(list.Content))
	for _, n := range list.Content {
		n = follow(n)
		m := MeasureDef{Broken: d.broken[n]}
		var more Details
		each(n, func(key string, v *yaml.Node) { d.measure(&m, &more, key, v) })
		m.Details = more.kept()
		all = append(all, m)
	}
	return all
}

func (d *decoder) measure(m *MeasureDef, more *Details, key string, v *yaml.Node) {
	switch key {
	case "name":
		m.Name = d.text(v)
	case "type":
		m.Kind = MeasureKind(shared(v.Value))
	case "agg":
		m.Agg = expression.AggregateFunction(shared(v.Value))
	case "expr":
		m.Expr = d.text(v)
	case "label", "description", "descriptions", "format", "unit", "dialect", "synonyms", "visibility", "learned", "verified":
		common(key, v, &m.Description, &m.Visibility, more)
	default:
		if m.Options == nil {
			m.Options = &MeasureOptions{}
		}
		d.option(m.Options, key, v)
	}
}

func (d *decoder) option(o *MeasureOptions, key string, v *yaml.Node) {
	switch key {
	case "filter":
		o.Filter = d.text(v)
	case "segments":
		o.Segments = d.texts(v)
	case "percentile":
		o.Percentile = v.Value
	case "default":
		if f, err := strconv.ParseFloat(v.Value, 64); err == nil {
			o.Default = &f
		}
	case "non_additive":
		o.NonAdditive = d.nonAdditive(v)
	case "time_dimension":
		o.Time = d.text(v)
	case "numerator":
		o.Numerator = d.text(v)
	case "denominator":
		o.Denominator = d.text(v)
	case "measure":
		o.Measure = d.text(v)
	case "window":
		o.Window = period(v.Value)
	case "grain_to_date":
		o.ToDate = dialect.Grain(v.Value)
	case "offset":
		o.Offset = period(v.Value)
	case "within":
		o.Within = d.texts(v)
	case "per":
		o.Per = d.texts(v)
	}
}

func (d *decoder) nonAdditive(n *yaml.Node) *NonAdditiveDef {
	rule := &NonAdditiveDef{Pick: Last}
	each(n, func(key string, v *yaml.Node) {
		switch key {
		case "dimension":
			rule.Dimension = d.text(v)
		case "pick":
			rule.Pick = Pick(v.Value)
		case "per":
			rule.Per = d.texts(v)
		}
	})
	return rule
}

func (d *decoder) segment(n *yaml.Node) SegmentDef {
	s := SegmentDef{Broken: d.broken[n]}
	var more Details
	each(n, func(key string, v *yaml.Node) {
		switch key {
		case "name":
			s.Name = d.text(v)
		case "expr":
			s.Expr = d.text(v)
		default:
			common(key, v, &s.Description, &s.Visibility, &more)
		}
	})
	s.Details = more.kept()
	return s
}

func (d *decoder) join(n *yaml.Node) JoinDef {
	j := JoinDef{Broken: d.broken[n]}
	each(n, func(key string, v *yaml.Node) {
		switch key {
		case "to":
			j.To = d.text(v)
		case "on", "join_on":
			j.On = d.text(v)
		case "role", "alias":
			j.Role = d.text(v)
		case "relationship":
			j.Relationship = Relationship(shared(v.Value))
		case "source":
			j.Inferred = v.Value == "inferred"
		case "description":
			j.Description = v.Value
		}
	})
	return j
}

// typeOf returns the type that a dimension's key names.
func (d *decoder) typeOf(name string) Type {
	if d.native {
		return typeFromNative(name)
	}
	return typeNames[name]
}

// shared returns one copy of equal texts: thousands of files have the same names of columns,
// types and aggregates.
func shared(text string) string { return unique.Make(text).Value() }

// text returns a scalar with its place.
func (d *decoder) text(n *yaml.Node) Text {
	t := Text{Value: n.Value, Pos: at(n)}
	if n.Kind != yaml.ScalarNode {
		return Text{Pos: at(n)}
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		t.Column++
	}
	for d.line < n.Line-1 {
		next := bytes.IndexByte(d.content[d.start:], '\n')
		if next < 0 {
			return t
		}
		d.line, d.start = d.line+1, d.start+next+1
	}
	if d.line != n.Line-1 { // an alias goes back
		return t
	}
	rest := d.content[d.start:]
	for range t.Column - 1 {
		if len(rest) == 0 {
			return t
		}
		_, size := utf8.DecodeRune(rest)
		rest = rest[size:]
	}
	t.Exact = bytes.HasPrefix(rest, []byte(t.Value))
	return t
}

// texts returns a list of scalars, or one of them.
func (d *decoder) texts(n *yaml.Node) []Text {
	if n.Kind == yaml.ScalarNode {
		if kindOf(n) == kindNull {
			return nil
		}
		return []Text{d.text(n)}
	}
	all := make([]Text, 0, len(n.Content))
	for _, item := range n.Content {
		all = append(all, d.text(follow(item)))
	}
	return all
}

func values(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	all := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		all = append(all, follow(item).Value)
	}
	return all
}

// enumerated are the values of {dbt: [...]}, unless there are some already.
func enumerated(n *yaml.Node, before []string) []string {
	if len(before) > 0 {
		return before
	}
	if n.Kind == yaml.SequenceNode {
		return values(n)
	}
	var all []string
	each(n, func(_ string, v *yaml.Node) {
		if len(all) == 0 && v.Kind == yaml.SequenceNode {
			all = values(v)
		}
	})
	return all
}

// described is the description that counts; a plain one goes before.
func described(n *yaml.Node, plain string) string {
	if plain != "" {
		return plain
	}
	for _, who := range []string{"user", "ai", "dbt", "db"} {
		if v := valueOf(n, who, false); v != nil && strings.TrimSpace(v.Value) != "" {
			return v.Value
		}
	}
	first := ""
	each(n, func(_ string, v *yaml.Node) {
		if first == "" {
			first = v.Value
		}
	})
	return first
}

func visibility(n *yaml.Node) Visibility {
	switch n.Value {
	case "internal":
		return Internal
	case "hidden":
		return Hidden
	}
	return Public
}

// period reads "28 days"; the checker saw that it is one.
func period(text string) Period {
	count, unit, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(count)
	if err != nil {
		return Period{}
	}
	return Period{N: n, Grain: dialect.Grain(strings.TrimSuffix(unit, "s"))}
}
