package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Schema knows the tables that a statement may name.
type Schema interface {
	// Table returns the table that the engine takes a name for; nil = it is not known which.
	Table(name []Part) *Table
}

// Table is a table of a schema.
// Concurrency: never changed.
type Table struct {
	// ID is the schema's own.
	ID      int
	Columns []string
	exact   map[string]int32
	folded  map[string]int32 // in lower case; several = more than one
}

// several is the place of names that more than one column has.
const several = -1

// NewTable returns a table with columns.
func NewTable(id int, columns []string) *Table {
	t := &Table{ID: id, Columns: columns, exact: make(map[string]int32, len(columns)), folded: make(map[string]int32, len(columns))}
	for i, name := range columns {
		t.exact[name] = int32(i)
		key := strings.ToLower(name)
		if _, twice := t.folded[key]; twice {
			t.folded[key] = several
		} else {
			t.folded[key] = int32(i)
		}
	}
	return t
}

// column returns the place of a column. A name in another case than the engine's counts if only
// one column has it: the engine has no other one either, or refuses the statement.
func (t *Table) column(name Part, folding dialect.Folding) (int, bool) {
	text := name.Text
	if !name.Quoted {
		switch folding {
		case dialect.FoldLower:
			text = strings.ToLower(text)
		case dialect.FoldUpper:
			text = strings.ToUpper(text)
		}
	}
	if i, ok := t.exact[text]; ok {
		return int(i), true
	}
	if i, ok := t.folded[strings.ToLower(text)]; ok && i != several {
		return int(i), true
	}
	return 0, false
}

// result is the columns of a query.
type result struct {
	outputs []output
	known   bool
	index   map[string]int32
}

// unknown is the result of a query whose columns are not known.
var unknown = &result{}

// output returns the column with a name; several of the name are none.
func (r *result) output(name string) (*output, bool) {
	if r.index == nil {
		r.index = make(map[string]int32, len(r.outputs))
		for i := range r.outputs {
			key := strings.ToLower(r.outputs[i].name.Text)
			if _, twice := r.index[key]; twice {
				r.index[key] = several
			} else {
				r.index[key] = int32(i)
			}
		}
	}
	if i, ok := r.index[strings.ToLower(name)]; ok && i != several {
		return &r.outputs[i], true
	}
	return nil, false
}

// rename returns the result under the names that a statement gives its first columns.
func (r *result) rename(names []Part) *result {
	if len(names) == 0 {
		return r
	}
	renamed := &result{known: r.known}
	if !r.known {
		for _, name := range names {
			renamed.outputs = append(renamed.outputs, output{name: name})
		}
		renamed.known = true
		return renamed
	}
	renamed.outputs = append(renamed.outputs, r.outputs...)
	for i, name := range names {
		if i < len(renamed.outputs) {
			renamed.outputs[i].name = name
		}
	}
	return renamed
}
