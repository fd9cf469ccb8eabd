package sqlkit_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// socketConn is a connection of a driver that does nothing.
type socketConn struct{ driver.Conn }

func (socketConn) Close() error { return nil }

// resource is what a call of a test works with.
type resource struct{ *sqlkit.Reading[*sqlkit.Conn] }

func TestReadings(t *testing.T) {
	t.Parallel()
	dead, tunnel := errors.New("dead"), sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the tunnel refuses")
	for _, tt := range []struct {
		name        string
		err, behind error
		want        sdk.Kind
	}{
		{"passes", nil, nil, ""},
		{"lost", dead, nil, sdk.KindUnavailable},
		{"lost by the tunnel", dead, tunnel, sdk.KindDenied},
	} {
		p := &sqlkit.Connections[*sqlkit.Conn]{
			Pool: sqlkit.NewPool(sqlkit.PoolOptions[*sqlkit.Conn]{
				MaxOpen: 1, Close: (*sqlkit.Conn).Close,
				Connect: func(context.Context) (*sqlkit.Conn, error) { return &sqlkit.Conn{Driver: socketConn{}}, nil },
			}),
			Broken: func(err error) bool { return errors.Is(err, dead) },
			Native: func(error) *sdk.Error { return nil },
			Cause:  func(*sqlkit.Conn) error { return tt.behind },
		}
		read := sqlkit.Readings(p, func(r *sqlkit.Reading[*sqlkit.Conn]) resource { return resource{r} })
		err := read(t.Context(), time.Minute, func(_ context.Context, r resource) error {
			if r.Conn == nil || r.Running() != nil {
				t.Errorf("%s: the resource is not of a call under way", tt.name)
			}
			return tt.err
		})
		if sdk.KindOf(err) != tt.want || (err == nil) != (tt.want == "") {
			t.Errorf("%s: %v", tt.name, err)
		}
		p.Pool.Close()
	}
}

// direct is a connection that takes parameters without preparing a statement.
type direct struct {
	socketConn
	got []driver.NamedValue
}

func (d *direct) QueryContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Rows, error) {
	d.got = args
	return none{}, nil
}

// none is a result without rows.
type none struct{}

func (none) Columns() []string         { return nil }
func (none) Close() error              { return nil }
func (none) Next([]driver.Value) error { return io.EOF }

func TestPreparedDirectly(t *testing.T) {
	t.Parallel()
	d := &direct{}
	p := &sqlkit.Connections[*sqlkit.Conn]{
		Pool: sqlkit.NewPool(sqlkit.PoolOptions[*sqlkit.Conn]{
			MaxOpen: 1, Close: (*sqlkit.Conn).Close,
			Connect: func(context.Context) (*sqlkit.Conn, error) { return &sqlkit.Conn{Driver: d, Direct: true}, nil },
		}),
		Broken: func(error) bool { return false },
		Native: func(error) *sdk.Error { return nil },
	}
	defer p.Pool.Close()
	err := p.Read(t.Context(), time.Minute, func(ctx context.Context, r *sqlkit.Reading[*sqlkit.Conn]) error {
		return r.Prepared(ctx, "SELECT ?, ?", []sdk.Value{"a", nil}, func(rows driver.Rows) error {
			return sqlkit.EachRow(ctx, rows, func(sqlkit.Row) error { return nil })
		})
	})
	if err != nil || len(d.got) != 2 || d.got[0].Ordinal != 1 || d.got[0].Value != "a" || d.got[1].Ordinal != 2 {
		t.Errorf("%v, %v", d.got, err)
	}
}
