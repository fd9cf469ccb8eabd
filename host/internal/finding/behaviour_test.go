package finding_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// A finding has all of its parts, and its place in lines and characters.
func TestFinding(t *testing.T) {
	p := open(t)
	got := p.Of(t.Context(), "shop", "SELECT 'ä' AS x, id\nFROM orders\nWHERE 'ü' = 'ü' AND status = 'payed'", nil)
	want := []finding.Finding{{
		Code: finding.ValueNotFound, Message: "main.orders.status has no value 'payed'.",
		Evidence: "The scan of 2026-03-15 found all 4 values of the column.", Suggestion: "Write 'paid'.",
		Position: &refusal.Position{Line: 3, Column: 30},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where an engine may ignore case and accents, a literal that differs by them alone is reported
// when the statement returned nothing.
func TestCaseOfValues(t *testing.T) {
	p := open(t)
	before := p.dialects["german"]
	mysql, err := recordedDialects("mysql")
	if err != nil {
		t.Fatal(err)
	}
	p.dialects["german"] = mysql
	defer func() { p.dialects["german"] = before }()
	const sql = "SELECT kunden_nr FROM vertrieb.kunden WHERE land = 'de'"
	if got := p.Of(t.Context(), "german", sql, nil); got != nil {
		t.Errorf("before it ran:\n%s", texts(got))
	}
	if got := p.OfEmpty(t.Context(), "german", sql); codes(got) != "value_not_found" || !strings.Contains(texts(got), "Write 'DE'.") {
		t.Errorf("after it returned nothing:\n%s", texts(got))
	}
}

// At most five findings are returned: those that make an answer wrong most certainly, in the
// order of the text.
func TestMost(t *testing.T) {
	p := open(t)
	sql := "SELECT avg(price_cents) FROM product_prices WHERE valid_from = 2024 OR " + strings.Repeat("product_id = 'x' OR ", 3)
	sql += "EXISTS (SELECT 1 FROM orders o WHERE o.status = 'a1' OR o.status = 'b2' OR o.currency = 'XXX')"
	got := p.Of(t.Context(), "shop", sql, nil)
	if codes(got) != "type_mismatch type_mismatch value_not_found value_not_found value_not_found" {
		t.Errorf("%s", texts(got))
	}
}

// Without what a finding needs there is none, and no error.
func TestNothingKnown(t *testing.T) {
	p := open(t)
	for _, tt := range []struct {
		connection connection.ID
		sql        string
	}{
		{"nowhere", "SELECT 1 FROM orders WHERE status = 'payed'"},
		{"", "SELECT 1 FROM orders WHERE status = 'payed'"}, // several connections
		{"shop", ""},
		{"shop", "SELECT 'unclosed"},
		{"shop", "SELECT 1 FROM orders WHERE status = 'payed'; SELECT 2"},
		{"shop", "DELETE FROM orders WHERE status = 'payed'"},
		{"shop", strings.Repeat("SELECT ", 20_000)},
	} {
		if got := p.Of(t.Context(), tt.connection, tt.sql, nil); got != nil {
			t.Errorf("%s: %.60s\n%s", tt.connection, tt.sql, texts(got))
		}
	}
}

// Values of withheld columns are in no finding, whatever is asked.
func TestWithheldValues(t *testing.T) {
	p := open(t)
	at := -1
	for i := range p.connections {
		if p.connections[i].ID == "shop" {
			at = i
		}
	}
	const sql = "SELECT id FROM orders WHERE status = 'payed'"
	before := p.connections[at].Scan.WithholdValues
	defer func() { p.connections[at].Scan.WithholdValues = before }()
	// A rule that is younger than the scan counts.
	p.connections[at].Scan.WithholdValues = append([]string{"orders.status"}, before...)
	if got := p.Of(t.Context(), "shop", sql, nil); got != nil {
		t.Errorf("withheld since the scan:\n%s", texts(got))
	}
	p.connections[at].Scan.WithholdValues = []string{"orders."} // nobody can say what it withholds
	if got := p.Of(t.Context(), "shop", sql, nil); got != nil {
		t.Errorf("a broken rule:\n%s", texts(got))
	}
	p.connections[at].Scan.WithholdValues = before
	for _, column := range []string{"name", "email"} {
		if got := p.Of(t.Context(), "shop", "SELECT id FROM customers WHERE "+column+" IN ('x', 'ada@example.com')", nil); got != nil {
			t.Errorf("%s:\n%s", column, texts(got))
		}
	}
}

// The history is read once a minute, and not for statements that name no table.
func TestHistoryIsCached(t *testing.T) {
	p := open(t)
	p.Of(t.Context(), "shop", "SELECT id FROM product_tags JOIN tags ON tag_id = id", nil)
	before := p.read
	for range 3 {
		p.Of(t.Context(), "shop", "SELECT max(price_cents) FROM product_prices", nil)
		p.Of(t.Context(), "german", "SELECT auftrag_id FROM vertrieb.auftraege", nil)
		p.Of(t.Context(), "shop", "SELECT 1", nil)
	}
	if p.read != before {
		t.Errorf("read %d times more", p.read-before)
	}
}
