package dialect_test

import (
	"testing"

	"github.com/loam-data/loam/sdk/dialect"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		product, min, max string
		server, version   string
		want              bool
	}{
		{"any", "", "", "", "Whatever", "", true},
		{"product", "PostgreSQL", "", "", "postgresql", "", true},
		{"other product", "PostgreSQL", "", "", "CockroachDB", "24.1", false},
		{"at the minimum", "", "16", "", "PostgreSQL", "16.0", true},
		{"equal with fewer numbers", "", "16.0.0", "", "PostgreSQL", "16", true},
		{"below the minimum", "", "16", "", "PostgreSQL", "15.20 (Debian 15.20-0+deb12u1)", false},
		{"above the minimum", "", "9.6", "", "PostgreSQL", "10.1", true},
		{"numbers, not text", "", "9.10", "", "x", "9.9", false},
		{"below the maximum", "", "", "16", "PostgreSQL", "15.99", true},
		{"at the maximum", "", "", "16", "PostgreSQL", "16", false},
		{"inside", "", "3.30", "3.44", "SQLite", "3.43.9", true},
		{"text around the version", "", "18", "", "PostgreSQL", "PostgreSQL 18beta1 on x86_64", true},
		{"unknown version within no bounds", "", "", "16", "PostgreSQL", "", false},
		{"version without a number", "", "16", "", "PostgreSQL", "devel", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := dialect.Dialect{Product: c.product, MinVersion: c.min, MaxVersion: c.max}
			if got := d.Matches(c.server, c.version); got != c.want {
				t.Errorf("Matches(%q, %q) = %v", c.server, c.version, got)
			}
		})
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	list := []dialect.Dialect{
		{Name: "new", Product: "PostgreSQL", MinVersion: "16"},
		{Name: "middle", Product: "PostgreSQL", MinVersion: "14"},
		{Name: "all", MinVersion: ""},
	}
	for version, want := range map[string]string{"17.2": "new", "16": "new", "15.20": "middle", "9.6": "all", "": "all"} {
		if got := dialect.Pick(list, "PostgreSQL", version); got.Name != want {
			t.Errorf("version %q picks %s, want %s", version, got.Name, want)
		}
	}
	if got := dialect.Pick(list[:2], "Other", "1"); got != &list[1] {
		t.Errorf("no match picks %v, want the last one", got)
	}
	if got := dialect.Pick(nil, "PostgreSQL", "16"); got != nil {
		t.Errorf("no dialects pick %v", got)
	}
}
