package scan

import "time"

const (
	// queryRows is how many rows the query about one column costs beside its own.
	queryRows = 1000
	// countedRows is up to how many rows of a table connectors count the values of; of a
	// larger one they count a choice, for which reading skimRows costs what one counted row does.
	countedRows = 200_000
	skimRows    = 20
	// rowBytes is about the size of a row where only the bytes of a table are known, and
	// usualRows what a table has of which nothing is.
	rowBytes  = 100
	usualRows = 10_000
	// settled is how long profiles have to run before their pace tells when they end.
	settled = 2 * time.Second
)

// cost is about how much work a table's profile is: each column is counted, row by row.
// Units: rows of one column.
func (d *unprofiled) cost() float64 {
	rows := d.rows
	switch {
	case rows < 0 && d.bytes >= 0:
		rows = d.bytes / rowBytes
	case rows < 0:
		rows = usualRows
	}
	return float64(d.columns) * (queryRows + float64(min(rows, countedRows)) + float64(rows)/skimRows)
}

// outlook says when profiles will be done, by the cost of those that are.
type outlook struct {
	begun     time.Time
	budget    time.Duration
	done, all float64
}

// left is about how long it still takes; 0 = that cannot be told yet.
func (o *outlook) left(now time.Time) time.Duration {
	elapsed := now.Sub(o.begun)
	if o.done <= 0 || elapsed < settled || o.done >= o.all {
		return 0
	}
	left := time.Duration(float64(elapsed) * (o.all - o.done) / o.done)
	return max(0, min(left, o.budget-elapsed))
}
