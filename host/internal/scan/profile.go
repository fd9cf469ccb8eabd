package scan

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

const (
	// topValues is how many of the most frequent values are kept of a column with
	// more distinct ones than its whole list may have.
	topValues = 20
	// evidence is how many of them are looked at to tell what a column holds.
	evidence = 100
	// sketchSize hashes of the smallest tell containment as well as thousands of
	// rows would.
	sketchSize = 64
	// maxAge is how long a profile is taken over.
	maxAge = 7 * 24 * time.Hour
	// moved is the share by which a table's rows change that makes its profile old.
	moved = .1
)

// quantiles are those that a profile has of numbers and times.
var quantiles = []float64{.05, .25, .5, .75, .95}

// unprofiled is a table that needs a profile.
type unprofiled struct {
	ref     sdk.TableRef
	columns int
	rank    rank
	at      time.Time // of the profile that it has
	rows    int64     // -1 = unknown
	bytes   int64     // likewise
}

// rank says who comes first when the time is short.
type rank int

const (
	rankNone    rank = iota // no profile yet
	rankChanged             // the table is another one by now
	rankOld
)

// profiles makes profiles of the tables that need one, within the budget. What
// goes wrong with one table is a warning.
func (j *job) profiles(ctx context.Context) error {
	if j.identity.Mode == catalog.Enriched && !j.description.Capabilities.Profile {
		j.identity.Mode = catalog.Structural
		j.note("Connector %s makes no profiles, so the scan is structural.", j.warehouse.Connector)
	}
	queue, kept, err := j.queue(ctx)
	if err != nil || j.identity.Mode != catalog.Enriched {
		return err
	}
	j.identity.Coverage.ValuesPerColumn = j.settings.ValuesPerColumn
	if len(queue) == 0 {
		return nil
	}
	return j.work(ctx, queue, kept)
}

// queue lists the tables that need a profile, the most urgent first, and counts
// those that do not. What profiles that are taken over have of columns whose
// values are not to be kept any more is taken out of them.
func (j *job) queue(ctx context.Context) (queue []unprofiled, kept int, err error) {
	base := j.writer.Base()
	enriched := j.identity.Mode == catalog.Enriched
	if !enriched {
		if base == nil || base.Counts.Profiles == 0 {
			return nil, 0, nil
		}
		j.identity.Coverage.ValuesPerColumn = base.Coverage.ValuesPerColumn
	}
	resized := base != nil && base.Coverage.ValuesPerColumn != j.settings.ValuesPerColumn
	for _, ref := range j.writer.Refs() {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		t, err := j.writer.Read(ref)
		if err != nil {
			return nil, 0, err
		}
		if t.Profile != nil && !j.sameRules() && j.rules.Protect(&t.Table, t.Profile) {
			j.forget = true
			if err := j.writer.Profile(ref, t.Profile); err != nil {
				return nil, 0, err
			}
		}
		switch rank, wanted := j.wants(t, resized); {
		case enriched && wanted:
			one := unprofiled{ref: ref, columns: len(t.Columns), rank: rank, rows: t.RowEstimate, bytes: t.ByteEstimate}
			if t.Profile != nil {
				one.at = t.Profile.At
			}
			queue = append(queue, one)
		case t.Profile != nil:
			kept++
			j.seen.add(t.Profile)
		}
	}
	slices.SortStableFunc(queue, func(a, b unprofiled) int {
		size := func(d unprofiled) uint64 { return uint64(d.rows) } // unknown = last
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.at.Compare(b.at), cmp.Compare(size(a), size(b)))
	})
	return queue, kept, nil
}

// wants reports whether a table needs a profile, and how badly.
func (j *job) wants(t *catalog.Written, resized bool) (rank, bool) {
	switch {
	case !j.profilable(&t.Table) || len(t.Columns) == 0:
		return 0, false
	case t.Profile == nil:
		return rankNone, true
	case t.Changed, j.rules.Reopened(&t.Table, t.Profile):
		return rankChanged, true
	case resized, !t.Profile.Sampled && !j.settings.WithholdRows, j.service.Now().Sub(t.Profile.At) > maxAge, outgrown(t.EstimateBefore, t.RowEstimate):
		return rankOld, true
	}
	return 0, false
}

// profilable: plain views may cost anything, and a query of a foreign table runs
// on a server that nobody asked about, so a project has to ask for them.
func (j *job) profilable(t *sdk.Table) bool {
	if t.Properties[sdk.PropertyForeignServer] != "" {
		return j.settings.ForeignTables
	}
	switch t.Kind {
	case sdk.TableBase, sdk.TablePartitioned, sdk.TableMaterialized, sdk.TableExternal:
		return true
	}
	return j.settings.ProfileViews
}

// outgrown reports whether a table has by now that many more or fewer rows.
func outgrown(before, now int64) bool {
	if before < 0 || now < 0 {
		return false
	}
	change := float64(max(before-now, now-before))
	return change > moved*float64(max(before, 1))
}

// collector receives a profile and keeps it within bounds.
type collector struct {
	job    *job
	table  string // as it is shown
	rows   *sdk.RowWriter
	sample sampled
	values int // how many a whole list may have
	stats  []sdk.ColumnStats
	bytes  int
	cut    bool
	// partial are columns of which the most frequent values were sent, not all.
	partial map[string]bool
}

const (
	// maxValueBytes is the longest value that is repeated in a catalog.
	maxValueBytes = 512
	// maxProfileBytes of values a table may have before only the most frequent
	// ones of its further columns are kept.
	maxProfileBytes = 16 << 20
)

// Sample implements sdk.ProfileWriter.
func (c *collector) Sample() *sdk.RowWriter {
	if c.rows == nil {
		c.rows = sdk.NewRowWriter(&c.sample, sdk.Limits{})
	}
	return c.rows
}

// end takes what the sample still holds.
func (c *collector) end() error {
	if c.sample.columns == nil {
		return nil
	}
	return c.rows.Close()
}

// Stats implements sdk.ProfileWriter.
func (c *collector) Stats(s sdk.ColumnStats) error {
	if n := min(len(s.Values), len(s.Counts)); n < len(s.Values) || len(s.Counts) > n {
		s.Values, s.Counts, s.ValuesComplete = s.Values[:n], s.Counts[:n], false
	}
	whole := c.values
	if c.bytes > maxProfileBytes {
		whole, c.cut = min(topValues, c.values), c.cut || len(s.Values) > topValues
	}
	if len(s.Values) > whole {
		s.ValuesComplete = false
	}
	most := whole
	if !s.ValuesComplete && len(s.Values) > min(topValues, c.values) {
		most = evidence
		c.partial[s.Column] = true
	}
	var values []string
	var counts []int64
	for i, v := range s.Values {
		switch {
		case len(v) > maxValueBytes:
			s.ValuesComplete = false
		case len(values) < most:
			values, counts = append(values, strings.ToValidUTF8(v, "\ufffd")), append(counts, s.Counts[i])
			c.bytes += len(v)
		}
	}
	s.Values, s.Counts = values, counts
	if tooLong(s.Min) || tooLong(s.Max) {
		s.Min, s.Max = nil, nil
	}
	if slices.ContainsFunc(s.Quantiles, func(q string) bool { return len(q) > maxValueBytes }) {
		s.Quantiles = nil
	}
	if len(s.Sketch) > sketchSize {
		s.Sketch = s.Sketch[:sketchSize]
	}
	c.stats = append(c.stats, s)
	return nil
}

func tooLong(bound *string) bool { return bound != nil && len(*bound) > maxValueBytes }

// Warning implements sdk.ProfileWriter. What it is about is a column.
func (c *collector) Warning(w sdk.Warning) error {
	w.Object = strings.TrimSuffix(c.table+"."+w.Object, ".")
	c.job.warnings.add(w)
	return nil
}

// Progress implements sdk.ProfileWriter.
func (*collector) Progress(sdk.Progress) {}
