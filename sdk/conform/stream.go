package conform

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

func streamChecks() []check {
	return []check{
		{"order", streamOrder},
		{"batch_rows", streamBatchRows},
		{"batch_bytes", streamBatchBytes},
		{"no_rows", streamNoRows},
		{"receiver_fails", streamReceiverFails},
	}
}

// rowsSQL returns Target.RowsSQL(n), or fails the check.
func (p *probe) rowsSQL(n int) string {
	p.require(p.run.target.RowsSQL != nil, "RowsSQL")
	return p.run.target.RowsSQL(n)
}

func (p *probe) textSQL(n int) string {
	p.require(p.run.target.TextSQL != nil, "TextSQL")
	return p.run.target.TextSQL(n)
}

// wantRows checks that a result of RowsSQL has exactly the rows 1 to n, in order.
func (p *probe) wantRows(what string, a *answer, n int) {
	if len(a.rows) != n {
		p.errorf("%s: %d rows, want %d", what, len(a.rows), n)
		return
	}
	if n > 0 && len(a.columns) == 0 {
		p.errorf("%s: RowsSQL has no column", what)
		return
	}
	for i, row := range a.rows {
		if got := scalar(literal(a.columns[0].Type, row[0])); got != strconv.Itoa(i+1) {
			p.errorf("%s: row %d holds %s", what, i+1, got)
			return
		}
	}
}

func streamOrder(p *probe) {
	const n = sdk.FirstBatchRows + 2*sdk.DefaultBatchRows + 1
	a := p.query(p.rowsSQL(n), sdk.Limits{})
	p.wantRows("a result of several batches", a, n)
	if len(a.batches) > 0 && a.batches[0].rows > sdk.FirstBatchRows {
		p.errorf("the first batch has %d rows; it should leave early, after %d", a.batches[0].rows, sdk.FirstBatchRows)
	}
	if a.summary.TruncatedBy != sdk.TruncatedNot {
		p.errorf("a result without limits is cut by %s", a.summary.TruncatedBy)
	}
}

// manyRows is a number of rows that take long enough to be cancelled while they arrive.
const manyRows = 500_000

func streamBatchRows(p *probe) {
	a := p.query(p.rowsSQL(100), sdk.Limits{BatchRows: 7})
	p.wantRows("batches of 7 rows", a, 100)
}

func streamBatchBytes(p *probe) {
	a := p.query(p.rowsSQL(3000), sdk.Limits{BatchBytes: 4096})
	p.wantRows("batches of 4 KiB", a, 3000)
}

func streamNoRows(p *probe) {
	a := p.query(p.rowsSQL(0), sdk.Limits{})
	p.wantRows("no rows", a, 0)
	if len(a.columns) == 0 {
		p.errorf("a result without rows has no columns")
	}
}

// streamReceiverFails: an error of the receiver ends the statement, and the session stays usable.
func streamReceiverFails(p *probe) {
	gone := errors.New("the receiver is gone")
	session := p.shareSession()
	p.within(patience, "a statement whose receiver fails", func() {
		if _, err := p.executeInto(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(manyRows)}, func() error { return gone }); err == nil {
			p.errorf("Execute hides that its receiver failed")
		}
	})
	p.wantRows("afterwards", p.query(p.rowsSQL(1), sdk.Limits{}), 1)
}

func limitChecks() []check {
	return []check{
		{"rows", limitRows},
		{"bytes", limitBytes},
		{"cell", limitCell},
		{"default_cell", limitDefaultCell},
		{"time", limitTime},
		{"time_of_session", limitTimeOfSession},
		{"stops_reading", limitStops},
	}
}

func limitRows(p *probe) {
	for _, tt := range []struct {
		rows int
		max  int64
	}{
		{0, 1}, {1, 1}, {2, 1}, {1, 0}, {127, 128}, {128, 128}, {129, 128}, {2999, 3000}, {3000, 3000}, {3001, 3000}, {3001, 0},
	} {
		what := strconv.Itoa(tt.rows) + " rows, limit " + strconv.FormatInt(tt.max, 10)
		a := p.query(p.rowsSQL(tt.rows), sdk.Limits{MaxRows: tt.max})
		want, cut := tt.rows, sdk.TruncatedNot
		if tt.max > 0 && int64(tt.rows) > tt.max {
			want, cut = int(tt.max), sdk.TruncatedByRows
		}
		p.wantRows(what, a, want)
		if a.summary.TruncatedBy != cut {
			p.errorf("%s: truncated by %q, want %q", what, a.summary.TruncatedBy, cut)
		}
	}
}

func limitBytes(p *probe) {
	const rows = 500
	whole := p.query(p.rowsSQL(rows), sdk.Limits{}).summary.Bytes
	if whole <= 0 {
		p.fatalf("a result of %d rows has %d bytes", rows, whole)
	}
	for _, tt := range []struct {
		name string
		max  int64
		cut  sdk.TruncatedBy
	}{
		{"the exact size", whole, sdk.TruncatedNot},
		{"one byte less", whole - 1, sdk.TruncatedByBytes},
		{"half", whole / 2, sdk.TruncatedByBytes},
		{"one byte", 1, sdk.TruncatedByBytes},
	} {
		a := p.query(p.rowsSQL(rows), sdk.Limits{MaxBytes: tt.max})
		if a.summary.TruncatedBy != tt.cut || a.summary.Bytes > tt.max {
			p.errorf("%s: truncated by %q with %d of %d bytes, want %q", tt.name, a.summary.TruncatedBy, a.summary.Bytes, tt.max, tt.cut)
		}
		p.wantRows(tt.name, a, len(a.rows))
	}
}

func limitCell(p *probe) {
	for _, tt := range []struct{ size, limit, want int }{{100, 100, 100}, {101, 100, 100}, {1, 1, 1}, {5000, 1, 1}} {
		p.wantText(tt.size, tt.limit, tt.want)
	}
}

func limitDefaultCell(p *probe) {
	p.wantText(sdk.DefaultMaxCellBytes, 0, sdk.DefaultMaxCellBytes)
	p.wantText(sdk.DefaultMaxCellBytes+1, 0, sdk.DefaultMaxCellBytes)
}

func (p *probe) wantText(size, limit, want int) {
	a := p.query(p.textSQL(size), sdk.Limits{MaxCellBytes: limit})
	if len(a.rows) != 1 || len(a.columns) == 0 || a.columns[0].Type != sdk.TypeText {
		p.fatalf("TextSQL returns %d rows of %s, want one TEXT", len(a.rows), columnList(a.columns))
	}
	cell, _ := a.rows[0][0].([]byte)
	if string(cell) != strings.Repeat("x", want) {
		p.errorf("a cell of %d bytes with limit %d arrives with %d, want %d", size, limit, len(cell), want)
	}
	clipped := int64(0)
	if want < size {
		clipped = 1
	}
	if a.summary.CellsClipped != clipped {
		p.errorf("a cell of %d bytes with limit %d: %d cells are said to be clipped, want %d", size, limit, a.summary.CellsClipped, clipped)
	}
}

// limitTime: Limits.Timeout ends a statement whose context has no deadline.
func limitTime(p *probe) {
	limit := p.run.pace.Deadline
	slow := p.startSlow(p.ctx, p.shareSession(), sdk.Limits{Timeout: limit})
	p.want("SlowSQL with a limit of its own", slow.wait(limit+p.run.pace.Settle), sdk.KindTimeout)
	p.wantIdle()
}

// limitTimeOfSession: the statement timeouts of the session and of the configuration are effective.
func limitTimeOfSession(p *probe) {
	requests := map[string]func(time.Duration) sdk.OpenRequest{"the session": func(limit time.Duration) sdk.OpenRequest {
		request := p.request(p.run.target.Config)
		request.StatementTimeout = limit
		return request
	}}
	if p.schema().Properties["statement_timeout"] != nil {
		requests["the configuration"] = func(limit time.Duration) sdk.OpenRequest {
			object := p.object()
			object["statement_timeout"] = limit.String()
			return p.request(p.config(object))
		}
	}
	for whose, request := range requests {
		session, limit := p.openWithin(request)
		p.defers(func() { p.closeSession(session) })
		statement := p.startSlow(p.ctx, session, sdk.Limits{})
		p.want("SlowSQL over the limit of "+whose, statement.wait(limit+p.run.pace.Settle), sdk.KindTimeout)
		p.wantEnded()
	}
}

// openWithin opens a session with a short statement timeout. Opening runs statements too, so that
// the timeout is doubled until opening succeeds.
func (p *probe) openWithin(request func(time.Duration) sdk.OpenRequest) (sdk.Session, time.Duration) {
	for limit := p.run.pace.Deadline; ; limit *= 2 {
		session, err := p.tryOpen(request(limit))
		if err == nil || sdk.KindOf(err) != sdk.KindTimeout || limit > p.run.pace.Settle {
			p.must("open", err)
			return session, limit
		}
	}
}

// limitStops: a limit ends a statement with many rows.
func limitStops(p *probe) {
	session := p.narrowSessions()[0]
	for _, limits := range []sdk.Limits{{MaxRows: 1}, {MaxBytes: 1000}} {
		a := p.queryOn(session, p.rowsSQL(manyRows), limits)
		p.wantRows("the first of many rows", a, len(a.rows))
		if a.summary.TruncatedBy == sdk.TruncatedNot || len(a.rows) == 0 {
			p.errorf("the first of many rows: %d rows, cut by %q", len(a.rows), a.summary.TruncatedBy)
		}
		p.wantRows("afterwards", p.queryOn(session, p.rowsSQL(2), sdk.Limits{}), 2)
	}
}
