package compare

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/statement"
)

// schema is tables by name, in lower case.
type schema struct {
	tables map[string]*statement.Table
	names  []string // by id
}

func newSchema(columns map[string][]string) *schema {
	s := &schema{tables: map[string]*statement.Table{}}
	for name, all := range columns {
		s.tables[name] = statement.NewTable(len(s.names), all)
		s.names = append(s.names, name)
	}
	return s
}

func (s *schema) Table(name []statement.Part) *statement.Table {
	return s.tables[strings.ToLower(name[len(name)-1].Text)]
}

// said returns the facts of a statement as our reader found them.
func (s *schema) said(read *statement.Statement) *facts {
	f := &facts{}
	for _, b := range read.Blocks {
		for _, r := range b.Relations {
			if r.Local || r.Function || r.Name == nil {
				continue
			}
			if name := strings.ToLower(r.Name[len(r.Name)-1].Text); name != dual {
				f.tables = append(f.tables, name)
			}
		}
		for _, j := range b.Joins {
			f.joins = append(f.joins, pair(s.origin(j.Left), s.origin(j.Right)))
		}
		for i := range b.Conditions {
			s.condition(f, &b.Conditions[i])
		}
		for _, e := range b.Aggregates {
			s.aggregate(f, e)
		}
	}
	return f
}

// origin returns what stands for a column.
func (s *schema) origin(c *statement.Column) string {
	if c.Table != nil {
		return s.names[c.Table.ID] + "." + strings.ToLower(c.Name)
	}
	label := c.Relation.Alias.Text
	if label == "" && len(c.Relation.Name) > 0 {
		label = c.Relation.Name[len(c.Relation.Name)-1].Text
	}
	return strings.ToLower(label + "." + c.Name)
}

func (s *schema) condition(f *facts, c *statement.Condition) {
	if !slices.Contains(operators, c.Operator) {
		return
	}
	var literals []string
	for _, v := range c.Values {
		switch v.Kind {
		case statement.String:
			literals = append(literals, textOf(v.Text))
		case statement.Number:
			literals = append(literals, number(v.Text))
		}
	}
	if len(literals) > 0 || c.Operator == "IS NULL" {
		f.conditions = append(f.conditions, conditionText(s.origin(c.Column), c.Operator, c.Negated, literals))
	}
}

func (s *schema) aggregate(f *facts, e *statement.Expr) {
	if !slices.Contains(aggregates, e.Name[0].Text) {
		return
	}
	var args []string
	for _, a := range e.Args {
		switch {
		case a.Kind == statement.Value || a.Kind == statement.Star:
		case a.Kind == statement.Ref && a.Column != nil:
			args = append(args, s.origin(a.Column))
		case a.Kind == statement.Ref:
			args = append(args, "")
		default:
			args = append(args, "…")
		}
	}
	f.aggregates = append(f.aggregates, aggregateText(e.Name[0].Text, e.Distinct, args))
}
