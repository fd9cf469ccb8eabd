package question

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// quoted writes a name of the semantic layer.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// source is how references name a table's source, which has the table's name: a source
// with another name would be one that no scan has seen.
func (t *table) source() string { return quoted(t.Ref.Name) }

// dimension is the name of column i.
func dimension(i int) string { return fmt.Sprintf("d%d", i+1) }

// columns returns the columns of a kind, by their place.
func (t *table) columns(kind string) (all []int) {
	for i, c := range t.Columns {
		if kindOf(c.Type) == kind {
			all = append(all, i)
		}
	}
	return all
}

// file is the source of a table, as a person writes it: every column is a dimension, and
// has measures by its type.
type file struct {
	Name       string   `yaml:"name"`
	Time       string   `yaml:"default_time_dimension,omitempty"`
	Dimensions []member `yaml:"dimensions"`
	Measures   []member `yaml:"measures"`
	Joins      []join   `yaml:"joins,omitempty"`
}

type member struct {
	Name    string `yaml:"name"`
	Type    string `yaml:"type,omitempty"`
	Agg     string `yaml:"agg,omitempty"`
	Expr    string `yaml:"expr,omitempty"`
	Filter  string `yaml:"filter,omitempty"`
	Measure string `yaml:"measure,omitempty"`
	Offset  string `yaml:"offset,omitempty"`
}

type join struct {
	To           string `yaml:"to"`
	On           string `yaml:"join_on"`
	Relationship string `yaml:"relationship"`
}

// measures are those of a source. byTime: some go by time.
func (t *table) measures() (all []member, byTime []string) {
	all = []member{{Name: "n", Agg: "count"}, {Name: "part", Type: "share", Measure: "n"}}
	for i, c := range t.Columns {
		name, add := dimension(i), func(suffix string, m member) {
			m.Name = dimension(i) + suffix
			all = append(all, m)
		}
		add("_distinct", member{Agg: "count_distinct", Expr: name})
		switch kindOf(c.Type) {
		case number:
			for _, agg := range []string{"sum", "avg", "min", "max", "median"} {
				add("_"+agg, member{Agg: agg, Expr: name})
			}
			add("_positive", member{Agg: "sum", Expr: name, Filter: name + " > 0"})
			add("_rate", member{Type: "derived", Expr: fmt.Sprintf("%s_sum / n", name)})
		case moment:
			add("_first", member{Agg: "min", Expr: name})
			add("_last", member{Agg: "max", Expr: name})
		case text:
			add("_known", member{Agg: "count", Expr: name})
		}
	}
	if len(t.columns(moment)) > 0 {
		all = append(all,
			member{Name: "before", Type: "time_shift", Measure: "n", Offset: "1 month"}, member{Name: "running", Type: "cumulative", Measure: "n"})
		byTime = []string{"before", "running"}
	}
	return all, byTime
}

// build makes the model of the tables.
func (w *world) build(d *dialect.Dialect) error {
	in := model.Input{Dialect: d}
	for i, t := range w.tables {
		in.Tables = append(in.Tables, t.Table)
		f := file{Name: t.Ref.Name}
		for i, c := range t.Columns {
			f.Dimensions = append(f.Dimensions, member{Name: dimension(i), Type: kindOf(c.Type), Expr: quoted(c.Name)})
		}
		if times := t.columns(moment); len(times) > 0 {
			f.Time = dimension(times[0])
		}
		f.Measures, _ = t.measures()
		if t.to != nil {
			f.Joins = []join{{t.to.Ref.Name, fmt.Sprintf("%s.%s = %s.%s", t.source(), quoted(t.by), t.to.source(), quoted(t.to.PrimaryKey[0])), "many_to_one"}}
		}
		text, err := yaml.Marshal(f)
		if err != nil {
			return err
		}
		in.Files = append(in.Files, model.Parse(fmt.Sprintf("t%d.yaml", i+1), text))
	}
	w.model = model.Build(in)
	if problems := append(w.model.Problems(), w.model.Validate()...); len(problems) > 0 {
		return fmt.Errorf("the semantic layer over the tables: %s: %s: %s", problems[0].File, problems[0].Path, problems[0].Msg)
	}
	return nil
}
