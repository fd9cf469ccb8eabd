package conform

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

func scanChecks() []check {
	return []check{
		{"tables", scanTables},
		{"summary", scanSummary},
		{"warnings", scanWarnings},
		{"include", scanInclude},
		{"exclude", scanExclude},
		{"facets", scanFacets},
		{"fingerprints", scanFingerprints},
		{"incremental", scanIncremental},
		{"max_objects", scanMaxObjects},
		{"receiver_fails", scanReceiverFails},
	}
}

// scanCollector receives a scan, and reports violations of the contract.
type scanCollector struct {
	p        *probe
	tables   []*sdk.Table
	warnings []sdk.Warning
	refuse   error // returned for every table; nil = accept

	mu   sync.Mutex
	last map[string]sdk.Progress
}

func newScanCollector(p *probe) *scanCollector {
	return &scanCollector{p: p, last: map[string]sdk.Progress{}}
}

func (c *scanCollector) Table(t *sdk.Table) error {
	if c.refuse != nil {
		return c.refuse
	}
	copied := *t
	copied.Columns, copied.Keys = slices.Clone(t.Columns), slices.Clone(t.Keys)
	c.tables = append(c.tables, &copied)
	if t.Name == "" || t.Kind == "" {
		c.p.errorf("table %q of kind %q: a table has a name and a kind", t.TableRef, t.Kind)
	}
	if t.RowEstimate < -1 || t.ByteEstimate < -1 {
		c.p.errorf("table %s: estimates %d rows, %d bytes; unknown is -1", t.TableRef, t.RowEstimate, t.ByteEstimate)
	}
	for _, column := range t.Columns {
		if column.Type == sdk.TypeUnspecified || column.NativeType == "" {
			c.p.errorf("column %s.%s has type %s, native %q; both are needed", t.TableRef, column.Name, column.Type, column.NativeType)
		}
	}
	return nil
}

func (c *scanCollector) Warning(w sdk.Warning) error {
	c.p.watch("a warning", w.Object+" "+w.Message)
	if w.Message == "" {
		c.p.errorf("the warning about %q says nothing", w.Object)
	}
	c.warnings = append(c.warnings, w)
	return nil
}

func (c *scanCollector) Progress(progress sdk.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	watchProgress(c.p, c.last, progress)
}

// refs returns the scanned tables' names in order.
func (c *scanCollector) refs() []string {
	refs := make([]string, len(c.tables))
	for i, t := range c.tables {
		refs[i] = t.TableRef.String()
	}
	slices.Sort(refs)
	return refs
}

// scan makes a scan. An error fails the check.
func (p *probe) scan(req sdk.ScanRequest) (*scanCollector, sdk.ScanSummary) {
	session := p.shareSession()
	c := newScanCollector(p)
	var summary sdk.ScanSummary
	var err error
	p.within(patience, "the scan", func() { summary, err = session.Scan(p.ctx, req, c) })
	p.must("scan", err)
	return c, summary
}

func (p *probe) needTables(n int) []sdk.Table {
	p.require(len(p.run.target.Fixture.Tables) >= n, "Fixture.Tables")
	return p.run.target.Fixture.Tables
}

// scanTables compares a scan with Fixture.Tables.
func scanTables(p *probe) {
	want := p.needTables(1)
	c, _ := p.scan(sdk.ScanRequest{})
	found := map[string]*sdk.Table{}
	for _, t := range c.tables {
		if found[t.TableRef.String()] != nil {
			p.errorf("table %s came twice", t.TableRef)
		}
		found[t.TableRef.String()] = t
	}
	for i := range want {
		ref := want[i].TableRef.String()
		got := found[ref]
		if got == nil {
			p.errorf("table %s is missing", ref)
			continue
		}
		delete(found, ref)
		p.compareTable(&want[i], got)
	}
	for ref := range found {
		p.errorf("table %s is not in Fixture.Tables", ref)
	}
}

// compareTable compares two tables, apart from what the fixture leaves out.
func (p *probe) compareTable(want, got *sdk.Table) {
	g := *got
	g.RowEstimate, g.ByteEstimate, g.Fingerprint = want.RowEstimate, want.ByteEstimate, want.Fingerprint
	if want.Definition == "" {
		g.Definition = ""
	}
	if want.Properties == nil {
		g.Properties = nil
	}
	g.Columns = slices.Clone(g.Columns)
	for i := range min(len(want.Columns), len(g.Columns)) {
		g.Columns[i] = comparableColumn(want.Columns[i], g.Columns[i])
	}
	w := *want
	w.Keys, g.Keys = sortedKeys(want.Keys), sortedKeys(g.Keys)
	if len(w.Keys) == len(g.Keys) {
		for i := range w.Keys {
			if w.Keys[i].Name == "" {
				g.Keys[i].Name = ""
			}
		}
	}
	if diff := difference(w, g); diff != "" {
		p.errorf("table %s (-want +got):\n%s", want.TableRef, diff)
	}
}

func comparableColumn(want, got sdk.Column) sdk.Column {
	if want.NativeType == "" {
		got.NativeType = ""
	}
	if want.Default == "" {
		got.Default = ""
	}
	if want.Precision == 0 && want.Scale == 0 {
		got.Precision, got.Scale = 0, 0
	}
	if want.Properties == nil {
		got.Properties = nil
	}
	return got
}

func sortedKeys(keys []sdk.Key) []sdk.Key {
	return slices.SortedFunc(slices.Values(keys), func(a, b sdk.Key) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Columns, b.Columns), strings.Compare(a.Ref.String(), b.Ref.String()))
	})
}

func scanSummary(p *probe) {
	c, summary := p.scan(sdk.ScanRequest{})
	columns := 0
	for _, t := range c.tables {
		columns += len(t.Columns)
	}
	if summary.Tables != int64(len(c.tables)) || summary.Columns != int64(columns) {
		p.errorf("the summary counts %d tables and %d columns, sent were %d and %d", summary.Tables, summary.Columns, len(c.tables), columns)
	}
	if !summary.Complete {
		p.errorf("a scan of everything is not complete")
	}
}

func scanWarnings(p *probe) {
	c, _ := p.scan(sdk.ScanRequest{})
	about := map[string]bool{}
	for _, w := range c.warnings {
		about[w.Object] = true
	}
	for _, object := range p.run.target.Fixture.Warned {
		if !about[object] {
			p.errorf("no warning about %s", object)
		}
		delete(about, object)
	}
	for object := range about {
		p.errorf("a warning about %q, which is not in Fixture.Warned", object)
	}
}

// pattern writes a table's name with as many parts as the engine has levels.
func (p *probe) pattern(ref sdk.TableRef) string {
	parts := []string{ref.Catalog, ref.Schema, ref.Name}
	return strings.Join(parts[2-min(2, len(p.dialectOfServer().Namespace)):], ".")
}

func scanInclude(p *probe) {
	tables := p.needTables(1)
	target := tables[len(tables)-1].TableRef
	c, summary := p.scan(sdk.ScanRequest{Include: []string{p.pattern(target)}})
	if diff := difference([]string{target.String()}, c.refs()); diff != "" || !summary.Complete {
		p.errorf("include of one table, complete: %v (-want +got):\n%s", summary.Complete, diff)
	}
	prefix := target
	prefix.Name = target.Name[:1] + "*"
	var want []string
	for _, t := range tables {
		if t.Schema == target.Schema && t.Catalog == target.Catalog && strings.HasPrefix(t.Name, target.Name[:1]) {
			want = append(want, t.TableRef.String())
		}
	}
	slices.Sort(want)
	c, _ = p.scan(sdk.ScanRequest{Include: []string{p.pattern(prefix)}})
	if diff := difference(want, c.refs()); diff != "" {
		p.errorf("include of %s (-want +got):\n%s", p.pattern(prefix), diff)
	}
	none := target
	none.Name = "conform_no_such_table"
	if c, summary := p.scan(sdk.ScanRequest{Include: []string{p.pattern(none)}}); len(c.tables) != 0 || !summary.Complete {
		p.errorf("include of nothing finds %q, complete: %v", c.refs(), summary.Complete)
	}
}

func scanExclude(p *probe) {
	tables := p.needTables(1)
	target := tables[0].TableRef
	want := []string{}
	for _, t := range tables[1:] {
		want = append(want, t.TableRef.String())
	}
	slices.Sort(want)
	c, _ := p.scan(sdk.ScanRequest{Exclude: []string{p.pattern(target)}})
	if diff := difference(want, c.refs()); diff != "" {
		p.errorf("exclude of %s (-want +got):\n%s", p.pattern(target), diff)
	}
}

// scanFacets: a scan returns only the requested facets.
func scanFacets(p *probe) {
	want := p.needTables(1)
	c, _ := p.scan(sdk.ScanRequest{Facets: []sdk.Facet{sdk.FacetColumns}})
	columns := 0
	for _, t := range c.tables {
		columns += len(t.Columns)
		if len(t.Keys) > 0 || t.Comment != "" || t.Definition != "" {
			p.errorf("table %s has keys, a comment or a definition; only columns were asked for", t.TableRef)
		}
		if t.RowEstimate != -1 || t.ByteEstimate != -1 {
			p.errorf("table %s has estimates %d and %d; only columns were asked for", t.TableRef, t.RowEstimate, t.ByteEstimate)
		}
	}
	if len(c.tables) != len(want) || columns == 0 {
		p.errorf("a scan for columns finds %d tables with %d columns", len(c.tables), columns)
	}
}

func fingerprints(c *scanCollector) map[string]string {
	all := map[string]string{}
	for _, t := range c.tables {
		all[t.TableRef.String()] = t.Fingerprint
	}
	return all
}

func scanFingerprints(p *probe) {
	first, _ := p.scan(sdk.ScanRequest{})
	second, _ := p.scan(sdk.ScanRequest{})
	if diff := difference(fingerprints(first), fingerprints(second)); diff != "" {
		p.errorf("nothing changed, but fingerprints do (-first +second):\n%s", diff)
	}
}

func scanIncremental(p *probe) {
	p.subject()
	if !p.run.description.Capabilities.IncrementalScan {
		p.undeclared("incremental scans are not declared")
	}
	first, summary := p.scan(sdk.ScanRequest{})
	if summary.Since == "" {
		p.fatalf("incremental scans are declared, but a scan returns no token")
	}
	second, again := p.scan(sdk.ScanRequest{Since: summary.Since})
	if diff := difference(fingerprints(first), fingerprints(second)); diff != "" || !again.Complete {
		p.errorf("the incremental scan, complete: %v, shows other tables (-full +incremental):\n%s", again.Complete, diff)
	}
	unchanged := func(t *sdk.Table) bool { return t.Unchanged }
	if !slices.ContainsFunc(second.tables, unchanged) {
		p.errorf("nothing changed, but no table is sent as unchanged")
	}
	for _, t := range second.tables {
		if t.Unchanged && (len(t.Columns) > 0 || len(t.Keys) > 0) {
			p.errorf("table %s is unchanged and sent whole", t.TableRef)
		}
	}
	for name, req := range map[string]sdk.ScanRequest{
		"a token that is none": {Since: "no token"},
		"other facets":         {Since: summary.Since, Facets: []sdk.Facet{sdk.FacetColumns, sdk.FacetKeys}},
	} {
		if c, sum := p.scan(req); slices.ContainsFunc(c.tables, unchanged) || !sum.Complete {
			p.errorf("a scan with %s, complete: %v, does not send every table whole", name, sum.Complete)
		}
	}
}

func scanMaxObjects(p *probe) {
	tables := p.needTables(1)
	if _, summary := p.scan(sdk.ScanRequest{MaxObjects: len(tables)}); !summary.Complete {
		p.errorf("a scan of as many tables as allowed is not complete")
	}
	if len(tables) < 2 {
		return
	}
	session := p.shareSession()
	p.within(patience, "the scan", func() {
		_, err := session.Scan(p.ctx, sdk.ScanRequest{MaxObjects: len(tables) - 1}, newScanCollector(p))
		p.want("a scan of more tables than allowed", err, sdk.KindLimit)
	})
}

func scanReceiverFails(p *probe) {
	p.needTables(1)
	session := p.shareSession()
	p.within(patience, "a scan whose receiver fails", func() {
		c := newScanCollector(p)
		c.refuse = errors.New("the receiver is gone")
		if _, err := session.Scan(p.ctx, sdk.ScanRequest{}, c); err == nil {
			p.errorf("Scan hides that its receiver failed")
		}
		p.must("ping afterwards", session.Ping(context.WithoutCancel(p.ctx)))
	})
}
