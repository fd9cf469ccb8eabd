package query

import (
	"fmt"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// summarize closes a result that was delivered, whole or cut.
func (p *plan) summarize(r *result, written sdk.Summary, elapsed time.Duration) Summary {
	s := Summary{RowCount: r.rows, TruncatedBy: written.TruncatedBy, Elapsed: elapsed}
	if r.oversize > 0 {
		s.TruncatedBy = sdk.TruncatedByBytes
	}
	s.Truncated = s.TruncatedBy != sdk.TruncatedNot
	s.Nothing = !s.Truncated && (r.rows == 0 || r.rows == 1 && !slices.ContainsFunc(r.cells, isSomething))
	s.Notes = p.notes(r, s.TruncatedBy, written.CellsClipped)
	return s
}

func isSomething(cell []byte) bool { return string(cell) != "0" && string(cell) != "null" }

func (p *plan) notes(r *result, truncated sdk.TruncatedBy, clipped int64) []string {
	var notes []string
	add := func(happened bool, format string, args ...any) {
		if happened {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	switch {
	case truncated == sdk.TruncatedByRows && p.ownLimit:
		add(true, "The result was cut at %d rows, the most that connection %s allows (limits.max_rows). Aggregate or filter in the statement.", r.rows, p.warehouse.ID)
	case truncated == sdk.TruncatedByRows:
		add(true, "The result was cut at %d rows. Aggregate or filter in the statement, or raise maxRows.", r.rows)
	case r.oversize > 0 && r.rows == 0:
		name, chars := r.widest()
		add(true, "No row fits: the first one has %d characters of JSON and the limit is %d. Leave out column %q, whose value alone has %d, or select a part of it.", r.oversize, p.maxBytes, name, chars)
	case truncated == sdk.TruncatedByBytes:
		add(true, "The result was cut after %d rows because the next one would exceed the size limit. Select fewer or shorter columns, aggregate or filter.", r.rows)
	}
	add(clipped > 0, "%d text or binary values were longer than %d bytes and end there. Select a part of such a column to see more.", clipped, sdk.DefaultMaxCellBytes)
	add(r.encoder.badUTF8 > 0, "%d values held bytes that are no UTF-8; each such byte is shown as U+FFFD.", r.encoder.badUTF8)
	add(r.encoder.badJSON > 0, "%d values of a JSON type were no valid JSON and are shown as text.", r.encoder.badJSON)
	add(r.encoder.bigInJSON > 0, "%d JSON values held integers beyond ±2^53, which are shown as strings to keep every digit.", r.encoder.bigInJSON)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, notice := range r.notices {
		add(true, "The warehouse remarks: %s", notice)
	}
	return notes
}
