package query

import (
	"sync"

	"github.com/loam-data/loam/sdk"
)

// maxNotices is how many of the engine's remarks become notes.
const maxNotices = 5

// result is the sdk.ResultSink of one statement: it encodes each row into one
// reused buffer, cuts the result at the size limit and passes the rows on.
type result struct {
	sink     Sink
	budget   int // characters; negative = no limit
	progress *Progress

	columns []sdk.Column
	encoder cellEncoder
	buffer  []byte
	ends    []int // end of each cell in buffer
	cells   [][]byte

	rows     int
	chars    int // of the rows passed on, rendered as one JSON array
	oversize int // characters of the row that did not fit; 0 = all did
	err      error

	mu      sync.Mutex
	notices []string
}

func newResult(sink Sink, budget int, p *Progress) *result {
	return &result{sink: sink, budget: budget, progress: p, chars: len("[]")}
}

// Started is of no use here: the summary carries the id again.
func (r *result) Started(string) error { return nil }

func (r *result) Columns(columns []sdk.Column) error {
	names := 0
	for i := range columns {
		names += len(columns[i].Name)
	}
	if r.budget >= 0 && names > r.budget {
		r.err = sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the result has %d columns, whose names alone have %d bytes; the limit of an answer is %d characters", len(columns), names, r.budget).
			WithHint("name the columns that you need in the SELECT list")
		return r.err
	}
	r.columns = columns
	r.ends = make([]int, len(columns))
	r.cells = make([][]byte, len(columns))
	r.err = r.sink.Columns(columns)
	return r.err
}

// Batch passes on the rows of a batch until the size limit, and answers with
// sdk.ErrLimit then.
func (r *result) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		before := r.encoder
		r.encode(b, row)
		if r.budget >= 0 {
			size := r.rowChars()
			if r.chars+size > r.budget {
				r.oversize, r.encoder = size, before
				return sdk.ErrLimit
			}
			r.chars += size
		}
		if r.err = r.sink.Row(r.cells); r.err != nil {
			return r.err
		}
		r.rows++
	}
	return nil
}

func (r *result) encode(b *sdk.Batch, row int) {
	r.buffer = r.buffer[:0]
	for i := range r.columns {
		r.buffer = r.encoder.append(r.buffer, r.columns[i].Type, &b.Columns[i], row)
		r.ends[i] = len(r.buffer)
	}
	start := 0
	for i, end := range r.ends {
		r.cells[i] = r.buffer[start:end:end]
		start = end
	}
}

// rowChars returns what the encoded row adds to a JSON array of rows.
func (r *result) rowChars() int {
	size := characters(r.buffer) + len("[]") + max(0, len(r.columns)-1)
	if r.rows > 0 {
		size += len(",")
	}
	return size
}

// characters counts the code points of valid UTF-8. utf8.RuneCount allocates.
func characters(text []byte) int {
	n := 0
	for _, b := range text {
		if b&0xc0 != 0x80 { // no continuation byte
			n++
		}
	}
	return n
}

// widest returns the column with the longest cell in the row encoded last, and
// that cell's characters.
func (r *result) widest() (name string, chars int) {
	for i, cell := range r.cells {
		if n := characters(cell); n > chars {
			name, chars = r.columns[i].Name, n
		}
	}
	return name, chars
}

func (r *result) Progress(p sdk.Progress) { r.progress.connector(p) }

func (r *result) Notice(n sdk.Warning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.Message != "" && len(r.notices) < maxNotices {
		r.notices = append(r.notices, n.Message)
	}
}
