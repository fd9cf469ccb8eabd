package conform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// Rescan tests incremental scans after changes of the schema, which a connector's own tests make
// between two scans. It maintains a catalogue from incremental scans, as a host does, and compares
// it with full scans.
type Rescan struct {
	session sdk.Session
	since   string
	tables  map[string]*sdk.Table
}

// NewRescan makes the first scan.
func NewRescan(t testing.TB, session sdk.Session) *Rescan {
	t.Helper()
	r := &Rescan{session: session}
	r.Changed(t)
	return r
}

// Changed makes an incremental scan, and returns the names of the tables that were sent whole, in
// alphabetical order. The test fails if the catalogue differs from a full scan's.
func (r *Rescan) Changed(t testing.TB) []string {
	t.Helper()
	now := &rescanned{before: r.tables, tables: map[string]*sdk.Table{}}
	sum, err := r.session.Scan(t.Context(), sdk.ScanRequest{Since: r.since}, now)
	if err != nil || !sum.Complete || sum.Since == "" {
		t.Fatalf("the incremental scan: complete %t, %d bytes of token, %v", sum.Complete, len(sum.Since), err)
	}
	full := &rescanned{tables: map[string]*sdk.Table{}}
	if _, err := r.session.Scan(t.Context(), sdk.ScanRequest{}, full); err != nil {
		t.Fatalf("the full scan: %v", err)
	}
	if diff := difference(full.tables, now.tables); diff != "" {
		t.Errorf("an incremental scan leads to another catalogue (-full +incremental):\n%s", diff)
	}
	byText := func(a, b sdk.Warning) int { return strings.Compare(a.Object+a.Message, b.Object+b.Message) }
	slices.SortFunc(full.warnings, byText)
	slices.SortFunc(now.warnings, byText)
	if diff := difference(full.warnings, now.warnings); diff != "" {
		t.Errorf("an incremental scan warns otherwise (-full +incremental):\n%s", diff)
	}
	r.since, r.tables = sum.Since, now.tables
	slices.Sort(now.whole)
	return now.whole
}

// rescanned receives a scan as a host does.
type rescanned struct {
	before, tables map[string]*sdk.Table
	whole          []string
	warnings       []sdk.Warning
}

func (c *rescanned) Table(t *sdk.Table) error {
	name, kept := t.TableRef.String(), *t
	if c.tables[name] != nil {
		return fmt.Errorf("table %s was sent twice", name)
	}
	if !t.Unchanged {
		c.whole = append(c.whole, name)
	} else {
		before := c.before[name]
		if before == nil || before.Fingerprint != t.Fingerprint {
			return fmt.Errorf("table %s was sent as unchanged, but was not there, or was another", name)
		}
		if t.Columns != nil || t.Keys != nil || t.Comment != "" || t.Definition != "" || t.Properties != nil {
			return errors.New("a table is unchanged and sent whole: " + name)
		}
		kept = *before
		kept.RowEstimate, kept.ByteEstimate = t.RowEstimate, t.ByteEstimate
	}
	c.tables[name] = &kept
	return nil
}

func (c *rescanned) Warning(w sdk.Warning) error { c.warnings = append(c.warnings, w); return nil }
func (*rescanned) Progress(sdk.Progress)         {}
