package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// An update shows how the new version differs, and what of it is wider needs approval.
func TestDifferences(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	food := func(limit dialect.LimitStyle, functions ...string) dialect.Dialect {
		d := dialect.Dialect{Name: "foodb", Limit: limit}
		d.Guard.Functions = dialect.Rules("writes a file", functions...)
		return d
	}
	p.describe = func(d *sdk.Description) {
		d.Capabilities.ReadOnly = sdk.ReadOnlySession
		d.Dialects = []dialect.Dialect{food(dialect.LimitOffset, "write_file", "load_file")}
	}
	p.release("0.3.0", "FOODB_PROXY")
	s := newService(t, p)
	install(t, s, Request{Source: "acme/foodb", Key: p.key(), Yes: true})
	p.describe = func(d *sdk.Description) {
		d.Capabilities.ReadOnly, d.Capabilities.Explain = sdk.ReadOnlyParser, true
		d.Dialects = []dialect.Dialect{food(dialect.LimitFetch, "write_file")}
		d.Dialects[0].Guard.Statements = []dialect.Statement{{Words: []string{"PRAGMA"}, Kind: dialect.StatementShow}}
	}
	p.release("0.3.1", "FOODB_TOKEN")
	before := listing(t, s.Store.Data, s.Dir)
	newer, err := s.Outdated(t.Context(), "", false)
	if err != nil || len(newer) != 1 {
		t.Fatalf("outdated: %v, %v", newer, err)
	}
	if err := s.Compare(t.Context(), &newer[0]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, listing(t, s.Store.Data, s.Dir)); diff != "" {
		t.Errorf("the comparison changed something (-before +after):\n%s", diff)
	}
	var lines []string
	for _, c := range newer[0].Changes {
		lines = append(lines, c.String())
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{
		"environment: - FOODB_PROXY", "environment: + FOODB_TOKEN", "SQL: + PRAGMA", "capabilities.Explain: false → true", "capabilities.ReadOnly: session → parser",
		"dialect foodb.Limit: ", `dialect foodb.Guard.Functions: - {"Pattern":"load_file"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no change %q in:\n%s", want, all)
		}
	}
	wider := []string{"SQL: PRAGMA", "SQL: function load_file is not refused any more", "environment: FOODB_TOKEN"}
	got := strings.Join(newer[0].Wider, "\n")
	for _, want := range append(wider, "read-only by ") {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not wider:\n%s", want, got)
		}
	}
	if len(newer[0].Wider) != 4 {
		t.Errorf("wider is:\n%s", got)
	}
	if _, err := s.Install(t.Context(), Request{Source: "acme/foodb", Yes: true}); sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "gets more than 0.3.0") {
		t.Errorf("without approval: %v", err)
	}
	if r := install(t, s, Request{Source: "acme/foodb", Yes: true, AcceptWider: true}); len(r.Differences) != len(lines) {
		t.Errorf("the result tells %d of %d differences", len(r.Differences), len(lines))
	}
	p.describe = nil
	p.release("0.3.2") // nothing is allowed: narrower
	install(t, s, Request{Source: "acme/foodb", Yes: true, AcceptWider: true})
}
