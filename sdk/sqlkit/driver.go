package sqlkit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Driver is the minimum that a connector over a database/sql driver supplies.
type Driver struct {
	// Connect opens a connection, and the optional Ready makes it read-only in the
	// engine.
	Connect func(context.Context) (driver.Conn, error)
	Ready   func(context.Context, driver.Conn) error
	// Dialect is the dialect with which Parse checks a caller's text.
	Dialect *dialect.Dialect
	Types   Types
	// Catalog to scan; its Type may be nil for Types.
	Catalog Catalog
	// Errors maps a driver's error; an error without a mapping is an internal one.
	// It is not called after the end of the context.
	Errors func(error) *sdk.Error
	// Info of the server.
	Info sdk.ServerInfo
}

// SQL is the resource of a call over a driver.
type (
	SQL       = Reading[*Conn]
	SQLEngine = Engine[*SQL, *Statement]
)

// Session returns a session over pooled connections. A connector changes its
// Engine where the engine behaves differently.
func (d Driver) Session(req sdk.OpenRequest) *Session[*SQL, *Statement] {
	req = Defaults(req)
	if d.Catalog.Type == nil {
		d.Catalog.Type = d.Types.Of
	}
	connections := &Connections[*Conn]{
		Pool: NewPool(PoolOptions[*Conn]{
			MaxOpen: req.MaxOpen, IdleTimeout: req.IdleTimeout, Alive: (*Conn).Alive, Close: (*Conn).Close,
			Connect: d.connect,
		}),
		End:    func(*Conn) bool { return true },
		Broken: func(err error) bool { return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) },
		Native: d.native,
	}
	return &Session[*SQL, *Statement]{
		Life: Life{Info: d.Info, Dialect: d.Dialect, Timeout: req.StatementTimeout},
		Engine: SQLEngine{
			Parse: func(sql string) (*Statement, error) { return Parse(sql, d.Dialect) },
			Read:  connections.Read,
			Ping:  func(r *SQL, ctx context.Context) error { return r.Conn.Ping(ctx) },
			Execute: func(r *SQL, ctx context.Context, st *Statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
				return r.Prepared(ctx, st.SQL, req.Params, func(rows driver.Rows) error { return Copy(ctx, rows, d.Types, w) })
			},
			Scan: func(r *SQL, ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
				return Scan(ctx, r.Query, d.Catalog, req, w)
			},
			Close: func(context.Context) error { connections.Pool.Close(); return nil },
		},
	}
}

// native maps what the engine said.
func (d Driver) native(err error) *sdk.Error {
	if d.Errors == nil {
		return nil
	}
	return d.Errors(err)
}

// connect opens a connection that is ready.
func (d Driver) connect(ctx context.Context) (*Conn, error) {
	c, err := d.Connect(ctx)
	if err == nil && d.Ready != nil {
		if err = d.Ready(ctx, c); err != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if ended := ContextError(ctx); err != nil && ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		return nil, ended
	}
	return &Conn{Driver: c}, Failed(ctx, err, d.Errors)
}

// Stages returns the stages of Session: Examine only checks that the server
// answers.
func (d Driver) Stages(req sdk.OpenRequest) *Stages {
	s := d.Session(req)
	return &Stages{Session: s, Examine: s.Ping}
}

// Limit applies the request's bounds to a pool of database/sql.
func Limit(pool *sql.DB, req sdk.OpenRequest) {
	req = Defaults(req)
	pool.SetMaxOpenConns(req.MaxOpen)
	pool.SetMaxIdleConns(req.MaxOpen)
	pool.SetConnMaxIdleTime(req.IdleTimeout)
}
