package query

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func request(sql string) Request { return Request{Connection: "warehouse", SQL: sql} }

func TestRowLimit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		rows      int
		asked     int
		limit     int // of the connection
		want      int
		truncated bool
		note      string
	}{
		{"none", 0, 5, 0, 0, false, ""},
		{"one", 1, 5, 0, 1, false, ""},
		{"one below", 4, 5, 0, 4, false, ""},
		{"exactly", 5, 5, 0, 5, false, ""},
		{"one above", 6, 5, 0, 5, true, "The result was cut at 5 rows. Aggregate or filter in the statement, or raise maxRows."},
		{"limit of one", 2, 1, 0, 1, true, "cut at 1 rows"},
		{"default, exactly", 1000, 0, 0, 1000, false, ""},
		{"default, one above", 1001, 0, 0, 1000, true, "cut at 1000 rows"},
		{"no limit", 30_000, -1, 0, 30_000, false, ""},
		{"connection's limit, exactly", 7, -1, 7, 7, false, ""},
		{"connection's limit", 8, -1, 7, 7, true, "the most that connection warehouse allows (limits.max_rows)"},
		{"connection's limit below the request's", 8, 8, 7, 7, true, "limits.max_rows"},
		{"connection's limit above the request's", 8, 6, 7, 6, true, "raise maxRows"},
		{"connection's limit equal to the request's", 8, 7, 7, 7, true, "raise maxRows"},
		{"connection's limit above the default", 1001, 0, 2000, 1000, true, "raise maxRows"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			f := newFake(numbers(tt.rows, &sent))
			f.connection.Limits.MaxRows = tt.limit
			req := request("SELECT n")
			req.MaxRows, req.MaxBytes = tt.asked, -1
			var sink rows
			s, err := f.service().Run(t.Context(), req, &sink)
			if err != nil {
				t.Fatal(err)
			}
			if s.RowCount != tt.want || len(sink.rows) != tt.want || s.Truncated != tt.truncated || (s.TruncatedBy == sdk.TruncatedByRows) != tt.truncated {
				t.Errorf("summary %+v with %d rows, want %d, truncated: %t", s, len(sink.rows), tt.want, tt.truncated)
			}
			if got := strings.Join(s.Notes, "\n"); (tt.note == "") != (got == "") || !strings.Contains(got, tt.note) {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
			if most := int32(tt.want + 1); sent.Load() > most {
				t.Errorf("the session produced %d rows for %d", sent.Load(), tt.want)
			}
			f.wantSettled(t)
		})
	}
}

func TestNamesOfColumnsAreWithinTheSizeLimit(t *testing.T) {
	t.Parallel()
	f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		columns := make([]sdk.Column, 100)
		row := make([]any, len(columns))
		for i := range columns {
			columns[i], row[i] = sdk.Column{Name: strings.Repeat("x", 10), Type: sdk.TypeInt64}, int64(1)
		}
		return errors.Join(w.Columns(columns...), w.Row(row...))
	})
	for budget, want := range map[int]sdk.Kind{999: sdk.KindLimit, 2000: "", -1: ""} {
		req := request("SELECT 1")
		req.MaxBytes = budget
		_, err := f.service().Run(t.Context(), req, &rows{})
		if sdk.KindOf(err) != want {
			t.Errorf("limit %d: %v, want %q", budget, err, want)
		}
	}
}

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	five := []string{"aa", "bb", "ÄÖ", "dd", "ee"} // [["aa"],["bb"],["ÄÖ"],["dd"],["ee"]] has 36 characters
	tests := []struct {
		name   string
		values []string
		limit  int
		want   string
		note   string
	}{
		{"all fit", five, 36, `[["aa"],["bb"],["ÄÖ"],["dd"],["ee"]]`, ""},
		{"one character short", five, 35, `[["aa"],["bb"],["ÄÖ"],["dd"]]`, "cut after 4 rows"},
		{"characters, not bytes", five, 22, `[["aa"],["bb"],["ÄÖ"]]`, "cut after 3 rows"},
		{"escapes count as written", []string{"\x00", "b"}, 12, `[["\u0000"]]`, "cut after 1 rows"},
		{"one fits", five, 8, `[["aa"]]`, "cut after 1 rows"},
		{"none fits", five, 7, `[]`, `No row fits: the first one has 6 characters of JSON and the limit is 7. Leave out column "t", whose value alone has 4, or select a part of it.`},
		{"least limit", five, 1, `[]`, "No row fits"},
		{"nothing to fit", nil, 1, `[]`, ""},
		{"default", []string{strings.Repeat("x", 39_994), "y"}, 0, `[["` + strings.Repeat("x", 39_994) + `"]]`, "cut after 1 rows"},
		{"above the default", []string{strings.Repeat("x", 39_995)}, 0, `[]`, "No row fits"},
		{"no limit", []string{strings.Repeat("x", 1<<20)}, -1, `[["` + strings.Repeat("x", 1<<20) + `"]]`, ""},
		{"large cell and no limit", []string{strings.Repeat("x", 1<<20+1)}, -1, `[["` + strings.Repeat("x", 1<<20) + `"]]`, "1 text or binary values were longer than 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(texts(tt.values...))
			req := request("SELECT t")
			req.MaxBytes = tt.limit
			var sink rows
			s, err := f.service().Run(t.Context(), req, &sink)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, sink.text()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			cut := len(sink.rows) < len(tt.values)
			if s.RowCount != len(sink.rows) || s.Truncated != cut || (s.TruncatedBy == sdk.TruncatedByBytes) != cut {
				t.Errorf("summary %+v for %d of %d rows", s, len(sink.rows), len(tt.values))
			}
			if got := strings.Join(s.Notes, "\n"); (tt.note == "") != (got == "") || !strings.Contains(got, tt.note) {
				t.Errorf("notes %q, want %q", got, tt.note)
			}
			f.wantSettled(t)
		})
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	wide := make([]sdk.Column, 1000)
	wideRow := make([]any, len(wide))
	for i := range wide {
		wide[i], wideRow[i] = sdk.Column{Name: "same", Type: sdk.TypeInt64}, int64(i)
	}
	tests := []struct {
		name    string
		columns []sdk.Column
		rows    [][]any
		want    int // cells in each row
		types   []string
	}{
		{"no columns", nil, [][]any{{}, {}}, 0, nil},
		{"no rows", []sdk.Column{{Name: "a", NativeType: "int4"}}, nil, 1, []string{"int4"}},
		{"names twice", []sdk.Column{{Name: "a", NativeType: "int4"}, {Name: "a"}}, [][]any{{"1", "2"}}, 2, []string{"int4", ""}},
		{"1,000 columns", wide, [][]any{wideRow}, 1000, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
				if err := w.Columns(tt.columns...); err != nil {
					return err
				}
				for _, row := range tt.rows {
					if err := w.Row(row...); err != nil {
						return err
					}
				}
				return nil
			})
			var sink rows
			s, err := f.service().Run(t.Context(), request("SELECT"), &sink)
			if err != nil || s.RowCount != len(tt.rows) || len(sink.rows) != len(tt.rows) || s.Truncated {
				t.Fatalf("%+v, %v", s, err)
			}
			for _, row := range sink.rows {
				if got := strings.Count(row, ",") + min(1, tt.want); got != tt.want {
					t.Errorf("row with %d cells, want %d", got, tt.want)
				}
			}
			if diff := cmp.Diff(tt.types, HeaderTypes(sink.columns)); diff != "" {
				t.Errorf("header types (-want +got):\n%s", diff)
			}
		})
	}
}

// A result is nothing where it has no row, or one of zeros and NULLs that was delivered.
func TestNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rows    [][]any
		maxRows int
		want    bool
	}{
		"no row": {nil, 9, true}, "a zero": {[][]any{{int64(0), nil}}, 9, true}, "a one": {[][]any{{int64(0), int64(1)}}, 9, false},
		"two zeros": {[][]any{{int64(0), nil}, {int64(0), nil}}, 9, false}, "a zero of two": {[][]any{{int64(0), nil}, {int64(0), nil}}, 1, false},
	} {
		f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			if err := w.Columns(sdk.Column{Name: "a", Type: sdk.TypeInt64}, sdk.Column{Name: "b", Type: sdk.TypeInt64}); err != nil {
				return err
			}
			for _, row := range tt.rows {
				if err := w.Row(row...); err != nil {
					return err
				}
			}
			return nil
		})
		r := request("SELECT")
		r.MaxRows = tt.maxRows
		if s, err := f.service().Run(t.Context(), r, &rows{}); err != nil || s.Nothing != tt.want {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestRefusedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	broken := sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "loam.yaml is broken")
	missing := sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "no connector")
	tests := []struct {
		name   string
		change func(*fake, *Request)
		kind   sdk.Kind
	}{
		{"write", func(_ *fake, r *Request) { r.SQL = "DELETE FROM t" }, sdk.KindNotReadOnly},
		{"two statements", func(_ *fake, r *Request) { r.SQL = "SELECT 1; SELECT 2" }, sdk.KindNotReadOnly},
		{"empty", func(_ *fake, r *Request) { r.SQL = " \n " }, sdk.KindInvalid},
		{"open quote", func(_ *fake, r *Request) { r.SQL = "SELECT 'a" }, sdk.KindSyntax},
		{"unknown connection", func(_ *fake, r *Request) { r.Connection = "warehous" }, sdk.KindNotFound},
		{"broken project", func(f *fake, _ *Request) { f.registryErr = broken }, sdk.KindInvalid},
		{"no connector", func(f *fake, _ *Request) { f.describeErr = missing }, sdk.KindNotFound},
		{"no dialect", func(f *fake, _ *Request) { f.description.Dialects = nil }, sdk.KindUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(numbers(1, nil))
			req := request("SELECT 1")
			tt.change(f, &req)
			_, err := f.service().Run(t.Context(), req, &rows{})
			if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != tt.kind {
				t.Errorf("error %+v, want %s", e, tt.kind)
			}
			if f.leases.Load() != 0 {
				t.Error("a session was leased")
			}
		})
	}
}

// Product "b" refuses the function f; "a" and an unknown one do not.
func TestDialectFollowsTheServer(t *testing.T) {
	t.Parallel()
	dialects := []dialect.Dialect{fakeDialect("a"), fakeDialect("b", "f"), fakeDialect("")}
	tests := []struct {
		name             string
		remembered, real string
		kind             sdk.Kind
		leased, executed int32
	}{
		{"unknown, then a", "", "a", "", 1, 1},
		{"unknown, then b", "", "b", sdk.KindNotReadOnly, 1, 0},
		{"a, still a", "a", "a", "", 1, 1},
		{"a, now b", "a", "b", sdk.KindNotReadOnly, 1, 0},
		{"b refuses before the lease", "b", "a", sdk.KindNotReadOnly, 0, 0},
		{"neither", "c", "d", "", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(numbers(1, nil))
			f.description.Dialects = dialects
			f.remembered.Server.Product, f.server.Product = tt.remembered, tt.real
			_, err := f.service().Run(t.Context(), request("SELECT f(1)"), &rows{})
			if sdk.KindOf(err) != tt.kind || f.leases.Load() != tt.leased || f.executions.Load() != tt.executed {
				t.Errorf("error %v after %d leases and %d executions", err, f.leases.Load(), f.executions.Load())
			}
			f.wantSettled(t)
		})
	}
}

// The guard's floor holds for the dialect of the manifest, and for the one that
// the server's version means once a session is open.
func TestNoDialectLetsAWriteThrough(t *testing.T) {
	t.Parallel()
	for _, kind := range []dialect.StatementKind{dialect.StatementQuery, dialect.StatementShow, "upsert"} {
		hostile := fakeDialect("hostile")
		hostile.Guard.Statements = append(hostile.Guard.Statements, dialect.Statement{Words: []string{"DELETE"}, Kind: kind})
		for _, remembered := range []string{"", "hostile"} {
			f := newFake(numbers(1, nil))
			f.description.Dialects = []dialect.Dialect{hostile, fakeDialect("")}
			f.remembered.Server.Product, f.server.Product = remembered, "hostile"
			_, err := f.service().Run(t.Context(), request("DELETE FROM t"), &rows{})
			if sdk.KindOf(err) != sdk.KindNotReadOnly || f.executions.Load() != 0 {
				t.Errorf("kind %q, remembered %q: error %v after %d executions", kind, remembered, err, f.executions.Load())
			}
			f.wantSettled(t)
		}
	}
	// A word that the dialect of the manifest refuses and that of the server
	// allows, in a form that only looks like a read.
	lax := fakeDialect("lax")
	lax.Guard.Statements = append(lax.Guard.Statements, dialect.Statement{Words: []string{"SELECT", "A", "INTO"}, Kind: dialect.StatementQuery})
	f := newFake(numbers(1, nil))
	f.description.Dialects, f.server.Product = []dialect.Dialect{lax}, "lax"
	if _, err := f.service().Run(t.Context(), request("SELECT a INTO t FROM u"), &rows{}); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 0 {
		t.Errorf("SELECT INTO as a word of the dialect: %v after %d leases", err, f.leases.Load())
	}
}

func TestServerIsRemembered(t *testing.T) {
	t.Parallel()
	f := newFake(numbers(1, nil))
	f.description.Dialects = []dialect.Dialect{fakeDialect("b", "f"), fakeDialect("")}
	f.rememberErr = errors.New("the store is damaged") // no reason to fail a query
	f.server.Product = "b"
	s := f.service()
	if _, err := s.Run(t.Context(), request("SELECT f(1)"), &rows{}); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 1 {
		t.Fatalf("first query: %v after %d leases", err, f.leases.Load())
	}
	if _, err := s.Run(t.Context(), request("SELECT f(1)"), &rows{}); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 1 || f.recollection.Load() != 1 {
		t.Errorf("second query: %v after %d leases, %d looks into the store", err, f.leases.Load(), f.recollection.Load())
	}
	f.connection.Config = map[string]any{"host": "other"}
	if _, err := s.Run(t.Context(), request("SELECT f(1)"), &rows{}); sdk.KindOf(err) != sdk.KindNotReadOnly || f.leases.Load() != 2 || f.recollection.Load() != 2 {
		t.Errorf("query after an edit: %v after %d leases, %d looks into the store", err, f.leases.Load(), f.recollection.Load())
	}
}

func TestErrorsComeThrough(t *testing.T) {
	t.Parallel()
	native := &sdk.Error{Kind: sdk.KindSyntax, Source: sdk.SourceWarehouse, Msg: "no column b", Code: "42703", Pos: sdk.Position{Line: 1, Column: 8}}
	crash := &sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceConnector, Msg: "the connector stopped", Retry: true}
	slow := &sdk.Error{Kind: sdk.KindTimeout, Source: sdk.SourceWarehouse, Msg: "statement timeout", Hint: "ask the administrator", Code: "57014"}
	pipe := errors.New("broken pipe")
	fails := func(err error) func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
		return func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error { return err }
	}
	tests := []struct {
		name   string
		change func(*fake, *rows)
		want   error
	}{
		{"warehouse", func(f *fake, _ *rows) { f.execute = fails(native) }, native},
		{"crash", func(f *fake, _ *rows) { f.execute = fails(crash) }, crash},
		{"timeout with a hint", func(f *fake, _ *rows) { f.execute = fails(slow) }, slow},
		{"lease", func(f *fake, _ *rows) { f.leaseErr = crash }, crash},
		{"sink", func(_ *fake, r *rows) { r.fail, r.failAt = pipe, 2 }, pipe},
		{"sink, and a session that wraps", func(f *fake, r *rows) {
			r.fail = pipe
			run := f.execute
			f.execute = func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
				return errors.Join(native, run(ctx, req, w), w.Close())
			}
		}, pipe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, sink := newFake(numbers(200, nil)), rows{}
			tt.change(f, &sink)
			s, err := f.service().Run(t.Context(), request("SELECT 1"), &sink)
			if err != tt.want { // the very error
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if s.RowCount != 0 || s.Truncated {
				t.Errorf("summary %+v beside an error", s)
			}
			f.wantSettled(t)
		})
	}
}

func TestResultWithoutColumnsIsTheConnectorsFault(t *testing.T) {
	t.Parallel()
	f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error { return nil })
	_, err := f.service().Run(t.Context(), request("SELECT 1"), &rows{})
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindInternal || e.Source != sdk.SourceConnector {
		t.Errorf("error %+v", e)
	}
}

// blocks runs until its context ends, and takes a moment to settle.
func blocks(settled *atomic.Bool) func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
	return func(ctx context.Context, _ sdk.ExecuteRequest, _ *sdk.RowWriter) error {
		<-ctx.Done()
		<-time.After(300 * time.Millisecond)
		settled.Store(true)
		return sdk.AsError(ctx.Err(), sdk.SourceWarehouse)
	}
}

func TestClocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		timeout, callers time.Duration // 0 = none
		lease            time.Duration // how long the lease takes
		stops            time.Duration
	}{
		{"default", 0, 0, 0, time.Minute},
		{"connection's", 5 * time.Second, 0, 0, 5 * time.Second},
		{"caller's", 0, 2 * time.Second, 0, 2 * time.Second},
		{"caller's is longer", 5 * time.Second, time.Hour, 0, 5 * time.Second},
		{"the wait for a session counts", 5 * time.Second, 0, 3 * time.Second, 5 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var settled atomic.Bool
				var asked time.Duration
				f := newFake(nil)
				f.execute = func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
					asked = req.Limits.Timeout
					return blocks(&settled)(ctx, req, w)
				}
				f.connection.Limits.Timeout = tt.timeout
				s := f.serviceOn(slowLease{f, tt.lease})
				ctx := t.Context()
				if tt.callers > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.callers)
					defer cancel()
				}
				started := time.Now()
				_, err := s.Run(ctx, request("SELECT 1"), &rows{})
				e := sdk.AsError(err, sdk.SourceHost)
				if e == nil || e.Kind != sdk.KindTimeout || !strings.Contains(e.Hint, "raise limits.timeout of connection warehouse") {
					t.Errorf("error %+v", e)
				}
				if took := time.Since(started); took != tt.stops+300*time.Millisecond {
					t.Errorf("stopped after %s, want %s", took, tt.stops)
				}
				if want := tt.stops - tt.lease; asked != want {
					t.Errorf("the engine got a limit of %s, want %s", asked, want)
				}
				if !settled.Load() {
					t.Error("Run returned before the session had settled")
				}
				f.wantSettled(t)
			})
		})
	}
}

type slowLease struct {
	*fake
	takes time.Duration
}

func (s slowLease) Lease(ctx context.Context, c connection.Connection) (sdk.Session, func(), error) {
	<-time.After(s.takes)
	return s.fake.Lease(ctx, c)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var settled atomic.Bool
		f := newFake(blocks(&settled))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := f.service().Run(ctx, request("SELECT 1"), &rows{})
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindCanceled || e.Source != sdk.SourceCaller || !settled.Load() {
			t.Errorf("error %+v, settled: %t", e, settled.Load())
		}
		f.wantSettled(t)
	})
}

// A statement that failed for its own reason keeps it, though its context
// ended as well.
func TestReasonOutlivesTheContext(t *testing.T) {
	t.Parallel()
	native := sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "no right")
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake(func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
		cancel()
		return native
	})
	if _, err := f.service().Run(ctx, request("SELECT 1"), &rows{}); !errors.Is(err, native) || sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("error %v", err)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	f := newFake(func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		for _, m := range []string{"one", "", "two", "three", "four", "five", "six"} {
			w.Notice(sdk.Warning{Message: m})
		}
		if err := w.Columns(sdk.Column{Type: sdk.TypeText}, sdk.Column{Type: sdk.TypeJSON}, sdk.Column{Type: sdk.TypeJSON}); err != nil {
			return err
		}
		return w.Row("\xff", "{", "9007199254740993")
	})
	s, err := f.service().Run(t.Context(), request("SELECT 1"), &rows{})
	want := []string{
		"1 values held bytes that are no UTF-8; each such byte is shown as U+FFFD.",
		"1 values of a JSON type were no valid JSON and are shown as text.",
		"1 JSON values held integers beyond ±2^53, which are shown as strings to keep every digit.",
		"The warehouse remarks: one", "The warehouse remarks: two", "The warehouse remarks: three", "The warehouse remarks: four", "The warehouse remarks: five",
	}
	if diff := cmp.Diff(want, s.Notes); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// What the row that did not fit held is no note of the rows that did.
func TestNotesAreOfDeliveredRows(t *testing.T) {
	t.Parallel()
	f := newFake(texts("fine", "\xff\xff\xff"))
	req := request("SELECT t")
	req.MaxBytes = 12
	s, err := f.service().Run(t.Context(), req, &rows{})
	if err != nil || s.RowCount != 1 || len(s.Notes) != 1 || strings.Contains(s.Notes[0], "UTF-8") {
		t.Errorf("%+v, %v", s, err)
	}
}

// A statement that is written for another server does not run, and the error has the
// dialect of the server that was found.
func TestStatementOfAnotherDialect(t *testing.T) {
	t.Parallel()
	dialects := []dialect.Dialect{fakeDialect("a"), fakeDialect("b")}
	copied := dialects[1]
	for _, written := range []*dialect.Dialect{nil, &dialects[0], &dialects[1], &copied} {
		f := newFake(numbers(1, nil))
		f.description.Dialects, f.server.Product = dialects, "b"
		req := request("SELECT 1")
		req.Dialect = written
		_, err := f.service().Run(t.Context(), req, &rows{})
		other, _ := errors.AsType[*OtherDialect](err)
		if wrong := written == &dialects[0]; (other != nil) != wrong || wrong && other.Is.Product != "b" || (f.executions.Load() == 0) != wrong {
			t.Errorf("written in %+v: %v after %d executions", written, err, f.executions.Load())
		}
		f.wantSettled(t)
	}
}

// Parameters reach the connector as they are; one that binds none is not asked.
func TestParams(t *testing.T) {
	t.Parallel()
	for _, binds := range []bool{true, false} {
		var got []sdk.Value
		f := newFake(func(_ context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
			got = req.Params
			return w.Columns(sdk.Column{Name: "n", Type: sdk.TypeInt64})
		})
		f.description.Capabilities.Params = binds
		_, err := f.service().Run(t.Context(), Request{SQL: "SELECT ?", Params: []sdk.Value{int64(7)}}, &rows{})
		switch {
		case binds && (err != nil || len(got) != 1 || got[0] != int64(7)):
			t.Errorf("%v: the connector got %v", err, got)
		case !binds && (sdk.KindOf(err) != sdk.KindUnsupported || f.leases.Load() != 0):
			t.Errorf("%v after %d leases", err, f.leases.Load())
		}
	}
}
