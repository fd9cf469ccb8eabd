package indexer

import "github.com/loam-data/loam/sdk"

// report counts what is indexed, tables and pages each.
type report struct{ tables, pages tally }

// tally counts one kind of things.
type tally struct {
	*Indexer
	unit        string
	done, total int
	ended       int // how many of done are of parts that were ended
}

func newReport(x *Indexer, missing []part) *report {
	r := &report{tables: tally{Indexer: x, unit: "tables"}, pages: tally{Indexer: x, unit: "pages"}}
	for _, p := range missing {
		r.of(p).total += p.size
	}
	return r
}

func (r *report) of(p part) *tally {
	if p.image == nil {
		return &r.pages
	}
	return &r.tables
}

// stride is how many are indexed between two reports.
const stride = 100

func (t *tally) add() {
	if t.done++; t.done%stride == 0 {
		t.report()
	}
}

// end counts a part whole, also one that another host has made.
func (t *tally) end(p part) {
	t.ended += p.size
	t.done = t.ended
	t.report()
}

func (t *tally) report() {
	t.tell(sdk.Progress{Phase: "index", Done: int64(t.done), Total: int64(t.total), Unit: t.unit})
}
