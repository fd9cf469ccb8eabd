package indexer

import "github.com/loam-data/loam/sdk"

// tally counts what is indexed of one kind.
type tally struct {
	indexer     *Indexer
	unit        string
	done, total int
	ended       int // how many are of parts that were ended
}

func newTally(x *Indexer, missing []part) *tally {
	t := &tally{indexer: x, unit: rules[missing[0].unit.kind].noun}
	for _, p := range missing {
		t.total += p.size
	}
	return t
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
	t.indexer.notify(sdk.Progress{Phase: "index", Done: int64(t.done), Total: int64(t.total), Unit: t.unit})
}
