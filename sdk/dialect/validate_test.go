package dialect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Every construct that the engines need is expressible: all descriptions are
// valid and have all required forms.
func TestEnginesAreValid(t *testing.T) {
	t.Parallel()
	for _, list := range engines() {
		t.Run(list[0].Name, func(t *testing.T) {
			t.Parallel()
			if err := dialect.ValidateAll(list); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestValidateFindsProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*dialect.Dialect)
		want   string
	}{
		{"name", func(d *dialect.Dialect) { d.Name = "DuckDB" }, "is not a lower-case name"},
		{"version", func(d *dialect.Dialect) { d.MinVersion = "new" }, `version bound "new"`},
		{"enumeration", func(d *dialect.Dialect) { d.Limit = "rownum" }, `Limit "rownum"`},
		{"missing form", func(d *dialect.Dialect) { delete(d.Forms, dialect.Trunc(dialect.Week)) }, "trunc.week is missing"},
		{"unknown form", func(d *dialect.Dialect) { d.Forms["agg.summ"] = "SUM({x})" }, "form agg.summ is unknown"},
		{"unknown placeholder", func(d *dialect.Dialect) { d.Forms[dialect.Sum] = "SUM({x}, {y})" }, "unknown placeholder {y}"},
		{"placeholder not used", func(d *dialect.Dialect) { d.Forms[dialect.SafeDivide] = "{a}" }, "does not use {b}"},
		{"open brace", func(d *dialect.Dialect) { d.Forms[dialect.Sum] = "SUM({x" }, "not closed"},
		{"function", func(d *dialect.Dialect) { d.Functions = map[string]string{"frobnicate": "x"} }, "function frobnicate is unknown"},
		{"function placeholder", func(d *dialect.Dialect) { d.Functions = map[string]string{"abs": "abs({x})"} }, "unknown placeholder {x}"},
		{"type", func(d *dialect.Dialect) { d.Types = map[string]string{"varchar": "VARCHAR"} }, `type "varchar"`},
		{"quote that cannot hold itself", func(d *dialect.Dialect) { d.String = dialect.Quote{Open: "'", Close: "'"} }, "cannot hold its own"},
		{"quote that is not lexed", func(d *dialect.Dialect) { d.Identifier = dialect.Quote{Open: "`", Close: "`", Doubled: true} }, "Identifier ` is not among"},
		{"quote with other rules", func(d *dialect.Dialect) { d.String.Backslash = true }, "String ' is not among"},
		{"string and name alike", func(d *dialect.Dialect) { d.Lexis.Identifiers = append(d.Lexis.Identifiers, d.Lexis.Strings[0]) }, "opens both"},
		{"comment", func(d *dialect.Dialect) { d.Lexis.BlockComments = []dialect.BlockComment{{Open: "/*"}} }, "block comment"},
		{"parameter", func(d *dialect.Dialect) { d.Lexis.Parameters = []string{""} }, "parameter of the lexis is empty"},
		{"identifier character", func(d *dialect.Dialect) { d.Lexis.IdentifierPart = "é" }, "is none of $, # and @"},
		{"no query", func(d *dialect.Dialect) { d.Guard.Statements = nil }, "accepts no query"},
		{"statement in lower case", func(d *dialect.Dialect) {
			d.Guard.Statements = append(d.Guard.Statements, dialect.Statement{Words: []string{"show"}, Kind: dialect.StatementShow})
		}, `"show" of the guard`},
		{"phrase as one word", func(d *dialect.Dialect) {
			d.Guard.Phrases = []dialect.Phrase{{Words: []string{"FOR UPDATE"}, Reason: "x"}}
		}, `"FOR UPDATE" of the guard`},
		{"phrase without reason", func(d *dialect.Dialect) { d.Guard.Phrases = []dialect.Phrase{{Words: []string{"INTO"}}} }, "has no reason"},
		{"pattern", func(d *dialect.Dialect) { d.Guard.Functions = dialect.Rules("x", "pg_*_lock") }, `pattern "pg_*_lock"`},
		{"pattern in upper case", func(d *dialect.Dialect) { d.Guard.Relations = dialect.Rules("x", "PG_AUTHID") }, `pattern "PG_AUTHID"`},
		{"no boolean values", func(d *dialect.Dialect) { d.Boolean = dialect.BooleanNone }, "are required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := recorded("duckdb")[0]
			c.change(&d)
			if err := d.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Validate = %v, want a problem with %q", err, c.want)
			}
		})
	}
}

func TestValidateAll(t *testing.T) {
	t.Parallel()
	first, last := recorded("duckdb")[0], recorded("duckdb")[0]
	first.MinVersion = "2"
	if err := dialect.ValidateAll([]dialect.Dialect{first, last}); err != nil {
		t.Errorf("a special one before a general one: %v", err)
	}
	for want, list := range map[string][]dialect.Dialect{
		"there is no dialect": {},
		"must fit every":      {last, first},
		"is named":            {last, recorded("mysql")[0]},
	} {
		if err := dialect.ValidateAll(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ValidateAll = %v, want a problem with %q", err, want)
		}
	}
}

// What the first minor requires stays what it is: its connectors are valid whatever a
// later minor, or a new granularity, adds.
func TestRequiredByTheFirstMinor(t *testing.T) {
	t.Parallel()
	const first = 37 // 21 forms, and two of each of eight granularities
	if got := dialect.RequiredBy(0); len(got) != first {
		t.Errorf("minor 0 requires %d forms, not %d: %v", len(got), first, got)
	}
	if got := dialect.RequiredBy(99); len(got) != len(dialect.Required()) {
		t.Errorf("a minor that is not known yet requires %d forms", len(got))
	}
	d := recorded("duckdb")[0]
	d.Forms = maps.Clone(d.Forms)
	delete(d.Forms, dialect.Trunc(dialect.Week))
	if err := dialect.ValidateBy([]dialect.Dialect{d}, 0); err == nil || !strings.Contains(err.Error(), "trunc") {
		t.Errorf("a form that minor 0 requires is missing: %v", err)
	}
}

// Words of a later version are told, so that nobody writes them as something else.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	d := recorded("duckdb")[0]
	if err := d.Understood(); err != nil {
		t.Error(err)
	}
	d.Limit, d.Zones = "later", "stars"
	if err := d.Understood(); err == nil || !strings.Contains(err.Error(), "Limit") || !strings.Contains(err.Error(), "Zones") {
		t.Errorf("got %v", err)
	}
}

// The logical types that a dialect may name are those of the vocabulary.
func TestTypesAreThoseOfTheVocabulary(t *testing.T) {
	t.Parallel()
	d := recorded("duckdb")[0]
	d.Types = map[string]string{}
	for _, typ := range sdk.Types() {
		d.Types[typ.String()] = "x"
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	delete(d.Types, "bool")
	d.Types["boolean"] = "x"
	if err := d.Validate(); err == nil {
		t.Error("a type that the vocabulary lacks is accepted")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	want := []dialect.FunctionRule{{Pattern: "a", Reason: "r"}, {Pattern: "b*", Reason: "r"}}
	if diff := cmp.Diff(want, dialect.Rules("r", "a", "b*")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPortableFunctionsAreSorted(t *testing.T) {
	t.Parallel()
	names := dialect.PortableFunctions()
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	if !slices.Equal(names, slices.Sorted(maps.Keys(set))) {
		t.Errorf("not sorted, or not unique: %q", names)
	}
}
