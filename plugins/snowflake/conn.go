package snowflake

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// conn is a session of the service.
type conn struct {
	sqlkit.Conn
	limit int64 // seconds that a statement may take, as the session has it
}

// raw is the driver's connection, whose results are read as the service sends them:
// the driver itself rounds wide decimals.
type raw struct{ driver.Conn }

// streamer is what a connection of the driver implements beside driver.Conn.
type streamer interface {
	QueryArrowStream(ctx context.Context, query string, bindings ...driver.NamedValue) (gosnowflake.ArrowStreamLoader, error)
}

// QueryContext implements driver.QueryerContext.
func (c raw) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, err := gosnowflake.WithMultiStatement(ctx, 1)
	if err != nil {
		return nil, err
	}
	o := orderOf(ctx)
	if o != nil && o.describe {
		ctx = gosnowflake.WithDescribeOnly(ctx)
	}
	loader, err := c.Conn.(streamer).QueryArrowStream(ctx, sql, o.parameters(args)...)
	if err != nil {
		return nil, err
	}
	if o.started != nil {
		o.started()
	}
	return newRows(ctx, loader)
}

// parameters writes parameters as the driver takes them: bytes behind their type, and
// doubles for the transport to write again.
func (o *order) parameters(args []driver.NamedValue) []driver.NamedValue {
	var list []driver.NamedValue
	for _, arg := range args {
		switch v := arg.Value.(type) {
		case []byte:
			list = append(list, driver.NamedValue{Value: gosnowflake.DataTypeBinary})
		case float64:
			if o.reals == nil {
				o.reals = map[string]string{}
			}
			o.reals[strconv.Itoa(arg.Ordinal)] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		list = append(list, driver.NamedValue{Value: arg.Value})
	}
	return list
}

// ExecContext implements driver.ExecerContext for the connector's own statements.
func (c raw) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	rows, err := c.QueryContext(ctx, sql, nil)
	if err != nil {
		return nil, err
	}
	return driver.ResultNoRows, rows.Close()
}

// own lets the connector send a statement of its own.
func own(ctx context.Context) context.Context { return (&order{own: true}).in(ctx) }

// connect logs in. The session has the role's rights alone.
func (s *Session) connect(ctx context.Context) (*conn, error) {
	c, err := sqlkit.Within(ctx, s.cfg.ConnectTimeout, func(ctx context.Context) (*conn, error) {
		c, err := s.login(ctx)
		if err == nil {
			if err = c.Exec(own(ctx), "USE SECONDARY ROLES NONE"); err != nil {
				c.Close()
			}
		}
		return c, err
	})
	if err != nil {
		return nil, s.connectError(err)
	}
	return c, nil
}

// login makes a session with the settings that its answers depend on.
func (s *Session) login(ctx context.Context) (*conn, error) {
	limit := seconds(s.Limit(0))
	driverConfig, err := s.cfg.driver(s.transport, limit)
	if err != nil {
		return nil, err
	}
	c, err := gosnowflake.NewConnector(gosnowflake.SnowflakeDriver{}, *driverConfig).Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: sqlkit.Conn{Driver: raw{c}, Direct: true}, limit: limit}, nil
}

// seconds rounds a limit up: the service counts whole seconds, and 0 is none.
func seconds(limit time.Duration) int64 { return int64(math.Ceil(limit.Seconds())) }

// setLimit makes the service end statements after the time.
func (c *conn) setLimit(ctx context.Context, limit time.Duration) error {
	wanted := seconds(limit)
	if wanted == c.limit {
		return nil
	}
	if err := c.Exec(own(ctx), fmt.Sprintf("ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = %d", wanted)); err != nil {
		return err
	}
	c.limit = wanted
	return nil
}

// describe has the service compile a statement, which runs nothing and resumes no
// warehouse.
func (r *reading) describe(ctx context.Context, sql string, params []sdk.Value) (verdict, []sdk.Column, error) {
	o := &order{sql: sql, describe: true}
	var columns []sdk.Column
	err := r.Prepared(o.in(ctx), sql, params, func(result driver.Rows) error {
		columns = result.(*rows).columns
		return nil
	})
	return o.verdict, columns, r.Heard(err)
}
