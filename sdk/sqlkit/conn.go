package sqlkit

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Connection is a *Conn, or a connector's type that embeds one.
type Connection interface{ Base() *Conn }

// Conn is a connection of a database/sql driver, without that package's pool and
// conversions, so that no other call uses it.
// Concurrency: one goroutine.
type Conn struct {
	Driver driver.Conn
	// Direct: the driver is a driver.QueryerContext that takes parameters, and prepares
	// no statement.
	Direct bool
}

// Base implements Connection.
func (c *Conn) Base() *Conn { return c }

// Alive reports whether an idle connection still works, as far as its driver knows
// without asking the engine.
func (c *Conn) Alive() bool {
	if r, ok := c.Driver.(driver.SessionResetter); ok && r.ResetSession(context.Background()) != nil {
		return false
	}
	v, ok := c.Driver.(driver.Validator)
	return !ok || v.IsValid()
}

// Ping checks that the engine answers; without support of the driver it returns
// nil.
func (c *Conn) Ping(ctx context.Context) error {
	if p, ok := c.Driver.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

// Close closes the connection.
func (c *Conn) Close() {
	// The farewell is a courtesy; the socket is closed in any case.
	_ = c.Driver.Close()
}

// Exec runs a statement that returns no rows.
func (c *Conn) Exec(ctx context.Context, sql string) error {
	if direct, ok := c.Driver.(driver.ExecerContext); ok {
		if _, err := direct.ExecContext(ctx, sql, nil); !errors.Is(err, driver.ErrSkip) {
			return err
		}
	}
	statement, err := c.Prepare(ctx, sql)
	if err != nil {
		return err
	}
	if with, ok := statement.(driver.StmtExecContext); ok {
		_, err = with.ExecContext(ctx, nil)
	} else {
		err = errNoContext
	}
	return errors.Join(err, statement.Close())
}

// Query runs a statement and calls row for each row, which is valid until the
// function returns.
func (c *Conn) Query(ctx context.Context, sql string, row func(Row) error) (err error) {
	result, end, err := c.open(ctx, sql)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return EachRow(ctx, result, row)
}

// EachRow calls row for the rows of a result; a row is valid until the function
// returns. It checks ctx between rows, which few drivers do.
func EachRow(ctx context.Context, result driver.Rows, row func(Row) error) error {
	values := make(Row, len(result.Columns()))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := result.Next(values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
}

// EachNamed is EachRow for the texts of a row, by the lower-case names of their columns.
func EachNamed(ctx context.Context, result driver.Rows, row func(map[string]string) error) error {
	names := result.Columns()
	return EachRow(ctx, result, func(values Row) error {
		at := make(map[string]string, len(names))
		for i, name := range names {
			at[strings.ToLower(name)] = values.Text(i)
		}
		return row(at)
	})
}

// Prepare prepares a statement.
func (c *Conn) Prepare(ctx context.Context, sql string) (driver.Stmt, error) {
	if with, ok := c.Driver.(driver.ConnPrepareContext); ok {
		return with.PrepareContext(ctx, sql)
	}
	return c.Driver.Prepare(sql)
}

// open runs a statement, without preparing it where the driver can; end closes its
// result.
func (c *Conn) open(ctx context.Context, sql string) (_ driver.Rows, end func() error, _ error) {
	if direct, ok := c.Driver.(driver.QueryerContext); ok {
		rows, err := direct.QueryContext(ctx, sql, nil)
		if err == nil {
			return rows, rows.Close, nil
		}
		if !errors.Is(err, driver.ErrSkip) {
			return nil, nil, err
		}
	}
	statement, err := c.Prepare(ctx, sql)
	if err != nil {
		return nil, nil, err
	}
	rows, err := c.run(ctx, statement, nil)
	if err != nil {
		return nil, nil, errors.Join(err, statement.Close())
	}
	return rows, func() error { return errors.Join(rows.Close(), statement.Close()) }, nil
}

func namedValues(params []sdk.Value) []driver.NamedValue {
	named := make([]driver.NamedValue, len(params))
	for i, v := range params {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}

// errNoContext refuses a driver of before Go 1.8, whose calls nothing ends.
var errNoContext = errors.New("the driver takes no context")

// run runs a prepared statement.
func (c *Conn) run(ctx context.Context, statement driver.Stmt, params []sdk.Value) (driver.Rows, error) {
	with, ok := statement.(driver.StmtQueryContext)
	if !ok {
		return nil, errNoContext
	}
	named := namedValues(params)
	if checker, ok := c.Driver.(driver.NamedValueChecker); ok {
		for i := range named {
			if err := checker.CheckNamedValue(&named[i]); err != nil && !errors.Is(err, driver.ErrSkip) {
				return nil, err
			}
		}
	}
	return with.QueryContext(ctx, named)
}
