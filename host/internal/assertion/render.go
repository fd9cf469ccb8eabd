package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// spokenAs are aggregates in words, for what is no expression.
var spokenAs = map[string]string{"sum": "sum", "avg": "average", "median": "median", "min": "minimum", "max": "maximum", "count": "number", "count_distinct": "number"}

// Clone returns a copy that shares nothing with the formula.
func (f *Formula) Clone() *Formula {
	out := *f
	out.Where = slices.Clone(f.Where)
	if f.Divisor != nil {
		out.Divisor = f.Divisor.Clone()
	}
	return &out
}

// Call returns what is computed, without its clauses: "sum(amount)", "number of paid orders".
func (f *Formula) Call() string {
	if f.Expr != "" {
		return f.Expr
	}
	if f.Aggregate == "count" && f.Of == "" {
		return "count(*)"
	}
	if call := f.Aggregate + "(" + f.Of + ")"; f.Aggregate != "count" {
		if _, err := expression.Parse(call); err == nil {
			return call
		}
	}
	if f.Aggregate == "count_distinct" {
		return "number of distinct " + f.Of
	}
	return spokenAs[f.Aggregate] + " of " + f.Of
}

// String writes the formula as a sentence has it. Read reads it back.
func (f *Formula) String() string {
	text := f.Call()
	if f.Table != "" {
		text += " in " + f.Table
	}
	var where, excluded []string
	for _, c := range f.Where {
		if c.Excluded {
			excluded = append(excluded, c.Text)
		} else {
			where = append(where, c.Text)
		}
	}
	if len(where) > 0 {
		text += " where " + strings.Join(where, " and ")
	}
	if len(excluded) > 0 {
		text += ", excluding " + strings.Join(excluded, " and ")
	}
	if f.Per != "" {
		text += " per " + f.Per
	}
	if f.Unit != "" {
		text += ", in " + f.Unit
	}
	if f.Divisor != nil {
		text += " / " + f.Divisor.String()
	}
	return text
}

// Substitute puts another name in the place of one: in the table, in what is aggregated, in the calculation.
func (f *Formula) Substitute(name, by string) {
	if f.Divisor != nil {
		f.Divisor.Substitute(name, by)
	}
	for _, part := range []*string{&f.Table, &f.Of, &f.Expr} {
		if *part == name {
			*part = by
		} else if rest, ok := cut(*part, name); ok {
			*part = strings.ReplaceAll(rest, " | ", by)
		}
	}
}
