package conform_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// speaker is a session that answers every statement alike.
type speaker struct {
	sdk.Session
	err error
}

func (s speaker) Execute(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
	_ = w.Started("q1")
	_ = w.Columns(sdk.Column{Name: "t", Type: sdk.TypeTimestamp, TimeDigits: 9}, sdk.Column{Name: "b", Type: sdk.TypeBytes})
	w.Progress(sdk.Progress{Phase: "p"})
	w.Notice(sdk.Warning{Message: "n"})
	w.Moment(1, 2)
	w.Value([]byte{1})
	_ = w.EndRow()
	w.Null()
	w.Null()
	_ = w.EndRow()
	return s.err
}

func TestExecute(t *testing.T) {
	t.Parallel()
	got := conform.Query(t, speaker{}, "SELECT 1")
	if diff := cmp.Diff([][]string{{"1970-01-01T00:00:00.000001002", "AQ=="}, {"NULL", "NULL"}}, got.Texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if len(got.Rows) != 2 || got.Rows[0][1] != "\x01" || got.Rows[1][0] != nil || got.Nanos[0][0] != 2 || got.QueryID != "q1" ||
		len(got.Columns) != 2 || len(got.Notices) != 1 || got.Summary.Rows != 2 {
		t.Errorf("%+v", got)
	}
	_, err := conform.Execute(t.Context(), speaker{err: sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "no").WithHint("less")}, sdk.ExecuteRequest{})
	conform.WantKind(t, err, sdk.KindLimit)
}

// table is a driver with one query, of one row with a value.
type table struct {
	driver.Conn
	driver.Rows
	value driver.Value
}

func (d *table) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (*table) Driver() driver.Driver                          { return nil }
func (*table) Close() error                                   { return nil }
func (*table) Columns() []string                              { return []string{"c"} }

func (d *table) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if query != "q" {
		return nil, errors.New("no such query")
	}
	return &table{value: d.value}, nil
}

func (d *table) Next(row []driver.Value) error {
	if d.value == nil {
		return io.EOF
	}
	row[0], d.value = d.value, nil
	return nil
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	of := func(value driver.Value, queries ...string) (string, error) {
		db := sql.OpenDB(&table{value: value})
		defer db.Close()
		return conform.Fingerprint(t.Context(), db, queries)
	}
	one, err := of("a", "q")
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := of("a", "q"); same != one {
		t.Error("the same rows have two fingerprints")
	}
	if other, _ := of("b", "q"); other == one {
		t.Error("other rows have the same fingerprint")
	}
	if _, err := of("a", "unknown"); err == nil {
		t.Error("a query that fails has a fingerprint")
	}
}
