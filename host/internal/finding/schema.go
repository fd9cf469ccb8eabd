package finding

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// maxUnknown bounds the names without a table that a schema looks up: each is compared with
// all tables.
const maxUnknown = 20

// schema is the tables of a snapshot as statements name them. It implements statement.Schema.
type schema struct {
	snapshot *catalog.Snapshot
	dialect  *dialect.Dialect
	named    map[string]*table // nil = no table, or it is not certain which
	tables   map[int]*table
	unknown  int
}

// table is a table that a statement names.
type table struct {
	*catalog.Table
	position int
	columns  *statement.Table
	profile  *catalog.Profile // nil = none
	hidden   map[string]bool  // the columns of which the project withholds the values
	lists    map[string]*values
}

// values are all values of a column, published ones, without the blanks that pad CHAR.
type values struct {
	all    []string
	exact  map[string]bool
	folded map[string]bool // without case and accents; nil until it is asked for
	// repeated: several rows have the same value, so that new rows rarely have a new one.
	repeated bool
}

// like reports whether a value differs from a text in case or accents at most.
func (v *values) like(text string) bool {
	if v.folded == nil {
		v.folded = make(map[string]bool, len(v.all))
		for _, one := range v.all {
			v.folded[plain(one)] = true
		}
	}
	return v.folded[plain(text)]
}

func newSchema(snapshot *catalog.Snapshot, d *dialect.Dialect) *schema {
	return &schema{snapshot: snapshot, dialect: d, named: map[string]*table{}, tables: map[int]*table{}}
}

// Table returns the table of a name; nil = there is none, or it is not certain which.
func (s *schema) Table(name []statement.Part) *statement.Table {
	key := written(name)
	t, known := s.named[key]
	if !known {
		t = s.look(name, key)
		s.named[key] = t
	}
	if t == nil {
		return nil
	}
	return t.columns
}

// written returns a name as Snapshot.Find reads it.
func written(name []statement.Part) string {
	parts := make([]string, len(name))
	for i, p := range name {
		if parts[i] = p.Text; p.Quoted {
			parts[i] = `"` + strings.ReplaceAll(p.Text, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ".")
}

func (s *schema) look(name []statement.Part, key string) *table {
	if s.unknown == maxUnknown || len(name) == 0 || len(name) > 3 {
		return nil
	}
	position, err := 0, error(nil)
	if slices.ContainsFunc(name, func(p statement.Part) bool { return p.Quoted }) {
		position, err = s.snapshot.Find(s.dialect, key)
	} else {
		ref := sdk.TableRef{Name: name[len(name)-1].Text}
		if len(name) > 1 {
			ref.Schema = name[len(name)-2].Text
		}
		if len(name) > 2 {
			ref.Catalog = name[0].Text
		}
		position, err = s.snapshot.Lookup(s.dialect, ref)
	}
	if err != nil {
		s.unknown++
		return nil
	}
	return s.at(position)
}

// at returns the table at a position; nil when the snapshot is damaged.
func (s *schema) at(position int) *table {
	if t := s.tables[position]; t != nil {
		return t
	}
	read, err := s.snapshot.At(position)
	if err != nil {
		return nil
	}
	names := make([]string, len(read.Columns))
	for i, c := range read.Columns {
		names[i] = c.Name
	}
	t := &table{Table: read, position: position, columns: statement.NewTable(position, names)}
	if t.profile, err = s.snapshot.Profile(position); err != nil {
		t.profile = nil
	}
	s.tables[position] = t
	return t
}

// column returns the table and the scanned column whose values a column of a statement has;
// nil = they are not those of a whole column.
func (s *schema) column(c *statement.Column) (*table, *sdk.Column) {
	if c == nil || c.Table == nil || c.Nested {
		return nil, nil
	}
	t := s.tables[c.Table.ID]
	column := &t.Columns[c.Index]
	if column.Repeated {
		return nil, nil
	}
	return t, column
}

// name returns a column with its table for a sentence.
func (t *table) name(column string) string { return catalog.Display(t.TableRef) + "." + column }

// withholds reports whether the scan or the present rules of the project withhold the values
// of a column.
func (t *table) withholds(column string, settings connection.Scan) bool {
	if t.hidden == nil {
		t.hidden = map[string]bool{}
		p := &catalog.Profile{}
		if t.profile != nil {
			p = t.profile.Clone()
		}
		rules, err := privacy.New(settings.KeepValues, settings.WithholdValues)
		if err != nil { // a broken rule: nothing is certain
			for _, c := range t.Columns {
				t.hidden[c.Name] = true
			}
			return true
		}
		rules.Protect(&t.Table.Table, p)
		for _, w := range p.Withheld {
			t.hidden[w.Column] = true
		}
	}
	return t.hidden[column]
}

// values returns the values of a column; nil = not all are known, or they are withheld.
func (t *table) values(column string, settings connection.Scan) *values {
	if known, read := t.lists[column]; read {
		return known
	}
	if t.lists == nil {
		t.lists = map[string]*values{}
	}
	t.lists[column] = t.readValues(column, settings)
	return t.lists[column]
}

func (t *table) readValues(column string, settings connection.Scan) *values {
	if t.profile == nil {
		return nil
	}
	stats := t.profile.Column(column)
	if stats == nil || !stats.Complete || !stats.ValuesComplete || len(stats.Values) == 0 || t.withholds(column, settings) {
		return nil
	}
	v := &values{all: make([]string, len(stats.Values)), exact: make(map[string]bool, len(stats.Values)), repeated: t.profile.Repeats(column)}
	for i, one := range stats.Values {
		v.all[i] = strings.TrimRight(one, " ")
		v.exact[v.all[i]] = true
	}
	return v
}

// scanned is the date of the values of a table.
func (t *table) scanned() string { return t.profile.At.UTC().Format("2006-01-02") }

// primary returns the columns of the declared primary key; nil = none.
func (t *table) primary() []string {
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary {
			return k.Columns
		}
	}
	return nil
}
