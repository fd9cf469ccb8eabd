package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

func profileChecks(t *Target) []check {
	var checks []check
	for i := range t.Fixture.Tables {
		table := &t.Fixture.Tables[i]
		if table.Kind == sdk.TableBase || table.Kind == sdk.TablePartitioned {
			checks = append(checks, check{table.TableRef.String(), func(p *probe) { p.needProfiler(); p.profileTable(table) }})
		}
	}
	return append(checks,
		check{"columns", profileColumns},
		check{"missing_table", profileMissing},
	)
}

// profileCollector receives a profile.
type profileCollector struct {
	p        *probe
	rows     *collector
	sample   *sdk.RowWriter
	stats    []sdk.ColumnStats
	warnings []sdk.Warning

	mu   sync.Mutex
	last map[string]sdk.Progress
}

func (c *profileCollector) Sample() *sdk.RowWriter {
	if c.sample == nil {
		c.rows = &collector{p: c.p, answer: &answer{}, last: map[string]sdk.Progress{}}
		c.sample = sdk.NewRowWriter(c.rows, sdk.Limits{})
	}
	return c.sample
}

func (c *profileCollector) Stats(s sdk.ColumnStats) error {
	c.stats = append(c.stats, s)
	return nil
}

func (c *profileCollector) Warning(w sdk.Warning) error {
	c.p.watch("a warning", w.Object+" "+w.Message)
	c.warnings = append(c.warnings, w)
	return nil
}

func (c *profileCollector) Progress(progress sdk.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]sdk.Progress{}
	}
	watchProgress(c.p, c.last, progress)
}

func (p *probe) needProfiler() sdk.Profiler {
	return ability[sdk.Profiler](p, p.run.description.Capabilities.Profile, "profiles are")
}

// profile makes a profile. An error fails the check.
func (p *probe) profile(req sdk.ProfileRequest) *profileCollector {
	profiler := p.needProfiler()
	c := &profileCollector{p: p}
	var err error
	p.within(patience, "the profile", func() {
		if err = profiler.Profile(p.ctx, req, c); err == nil && c.sample != nil && c.rows.answer.columns != nil {
			err = c.sample.Close()
		}
	})
	p.must("profile", err)
	return c
}

const (
	sampleRows = 10
	maxValues  = 100
	sketchSize = 64
)

// profileTable compares the statistics of a profile with SQL.
func (p *probe) profileTable(table *sdk.Table) {
	c := p.profile(sdk.ProfileRequest{
		Table: table.TableRef, SampleRows: sampleRows, MaxValues: maxValues, TopValues: 5,
		Quantiles: []float64{0.25, 0.5}, SketchSize: sketchSize,
	})
	var want, got []string
	for _, column := range table.Columns {
		want = append(want, column.Name)
	}
	for i := range c.stats {
		got = append(got, c.stats[i].Column)
	}
	if diff := difference(want, got); diff != "" {
		p.fatalf("statistics of the columns (-want +got):\n%s", diff)
	}
	p.checkSample(c, want)
	for i := range c.stats {
		p.checkStats(table, &c.stats[i])
	}
}

func (p *probe) checkSample(c *profileCollector, columns []string) {
	if c.rows == nil {
		p.errorf("a sample was asked for and none came")
		return
	}
	var names []string
	for _, column := range c.rows.answer.columns {
		names = append(names, column.Name)
	}
	if diff := difference(columns, names); diff != "" {
		p.errorf("columns of the sample (-want +got):\n%s", diff)
	}
	if n := len(c.rows.answer.rows); n > sampleRows || n == 0 && len(c.stats) > 0 && c.stats[0].Rows > 0 {
		p.errorf("the sample has %d rows; %d were asked for of %d", n, sampleRows, c.stats[0].Rows)
	}
}

// checkStats checks that the statistics of a column are consistent, and equal to the engine's counts.
func (p *probe) checkStats(table *sdk.Table, s *sdk.ColumnStats) {
	where := table.TableRef.String() + "." + s.Column
	if s.Nulls < 0 || s.Nulls > s.Rows || s.Distinct < -1 || s.Distinct > s.Rows-s.Nulls {
		p.errorf("%s: %d rows, %d of them NULL, %d distinct", where, s.Rows, s.Nulls, s.Distinct)
	}
	if (s.Min == nil) != (s.Max == nil) {
		p.errorf("%s has only one of minimum and maximum", where)
	}
	if len(s.Quantiles) != 0 && len(s.Quantiles) != 2 {
		p.errorf("%s has %d quantiles; 2 or none were to come", where, len(s.Quantiles))
	}
	if s.MinLength > s.MaxLength || s.MinLength < -1 {
		p.errorf("%s has lengths from %d to %d", where, s.MinLength, s.MaxLength)
	}
	if len(s.Sketch) > sketchSize || !slices.IsSorted(s.Sketch) {
		p.errorf("%s has a sketch of %d hashes, ascending: %v", where, len(s.Sketch), slices.IsSorted(s.Sketch))
	}
	p.checkValues(where, s)
	if s.Complete {
		p.checkCounts(table, s)
	}
}

func (p *probe) checkValues(where string, s *sdk.ColumnStats) {
	if len(s.Values) != len(s.Counts) || len(s.Values) > maxValues {
		p.errorf("%s has %d values and %d counts; at most %d were asked for", where, len(s.Values), len(s.Counts), maxValues)
		return
	}
	sum := int64(0)
	for i, n := range s.Counts {
		sum += n
		if n <= 0 || i > 0 && n > s.Counts[i-1] {
			p.errorf("%s: the counts %d are not falling and positive", where, s.Counts)
			return
		}
	}
	if sum > s.Rows-s.Nulls {
		p.errorf("%s: the values count %d rows of %d", where, sum, s.Rows-s.Nulls)
	}
	if s.ValuesComplete && (sum != s.Rows-s.Nulls || s.Distinct >= 0 && !s.DistinctApprox && s.Distinct != int64(len(s.Values))) {
		p.errorf("%s: the values are said to be complete: %d values for %d rows, want %d for %d", where, len(s.Values), sum, s.Distinct, s.Rows-s.Nulls)
	}
}

// checkCounts compares the counts of a column with SQL.
func (p *probe) checkCounts(table *sdk.Table, s *sdk.ColumnStats) {
	where := table.TableRef.String() + "." + s.Column
	name := p.dialectOfServer().QuoteIdentifier(s.Column)
	rows, nonNull, ok := p.count2("COUNT(*), COUNT("+name+")", table.TableRef)
	if !ok {
		p.fatalf("%s: the engine does not count rows", where)
	}
	if s.Rows != rows || s.Nulls != rows-nonNull {
		p.errorf("%s: %d rows, %d of them NULL; SQL says %d and %d", where, s.Rows, s.Nulls, rows, rows-nonNull)
	}
	if s.Distinct < 0 || s.DistinctApprox {
		return
	}
	// DISTINCT fails for a type that cannot be compared; such a column is not checked.
	if _, distinct, ok := p.count2("COUNT(*), COUNT(DISTINCT "+name+")", table.TableRef); ok && s.Distinct != distinct {
		p.errorf("%s: %d distinct values; SQL says %d", where, s.Distinct, distinct)
	}
}

// count2 runs a statement that returns two counts.
func (p *probe) count2(counts string, ref sdk.TableRef) (a, b int64, ok bool) {
	d := p.dialectOfServer()
	var parts []string
	for _, part := range []string{ref.Catalog, ref.Schema, ref.Name} {
		if part != "" {
			parts = append(parts, d.QuoteIdentifier(part))
		}
	}
	answer, err := p.try(sdk.ExecuteRequest{SQL: fmt.Sprintf("SELECT %s FROM %s", counts, strings.Join(parts, "."))})
	if err != nil || len(answer.rows) != 1 || len(answer.columns) != 2 {
		return 0, 0, false
	}
	var n [2]int64
	for i, v := range answer.rows[0] {
		n[i], err = strconv.ParseInt(scalar(literal(answer.columns[i].Type, v)), 10, 64)
		if err != nil {
			return 0, 0, false
		}
	}
	return n[0], n[1], true
}

// profileColumns: only the requested columns are profiled.
func profileColumns(p *probe) {
	p.needProfiler()
	tables := p.needTables(1)
	i := slices.IndexFunc(tables, func(t sdk.Table) bool { return t.Kind == sdk.TableBase && len(t.Columns) > 1 })
	if i < 0 {
		p.skipf("no table of the fixture has two columns")
	}
	last := tables[i].Columns[len(tables[i].Columns)-1].Name
	c := p.profile(sdk.ProfileRequest{Table: tables[i].TableRef, Columns: []string{last}})
	if len(c.stats) != 1 || c.stats[0].Column != last {
		p.errorf("asked for column %s of %s, got %d columns", last, tables[i].TableRef, len(c.stats))
	}
	if c.rows != nil && len(c.rows.answer.rows) > 0 {
		p.errorf("a sample came that nobody asked for")
	}
}

func profileMissing(p *probe) {
	profiler := p.needProfiler()
	ref := p.needTables(1)[0].TableRef
	ref.Name = "conform_no_such_table"
	p.within(patience, "the profile", func() {
		err := profiler.Profile(p.ctx, sdk.ProfileRequest{Table: ref, SampleRows: 1}, &profileCollector{p: p})
		p.want("the profile of a table that is not there", err, sdk.KindNotFound)
	})
}
