package sqlkit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Open makes a connector's Open of connect, which turns a decoded configuration
// into a Session: it bounds the pool, unless connect did, sets the statement
// timeout and proves with a ping that the connection works. A session that
// connect returns beside an error is closed.
// Errors: KindInvalid for the configuration; those of connect and, mapped by
// Session.Errors, of the ping.
func Open[C any](connect func(context.Context, C) (*Session, error)) func(context.Context, sdk.OpenRequest) (sdk.Session, error) {
	return func(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
		var c C
		if err := req.Config.Decode(&c); err != nil {
			return nil, err
		}
		s, err := connect(ctx, c)
		if err == nil {
			s.StatementTimeout = Defaults(req).StatementTimeout
			if s.Pool.Stats().MaxOpenConnections == 0 {
				Limit(s.Pool, req)
			}
			err = s.Ping(ctx)
		}
		if err == nil {
			return s, nil
		}
		if ended := ContextError(ctx); ended != nil {
			ended.Err = errors.Join(ended.Err, err)
			err = ended
		}
		if s == nil {
			return nil, err
		}
		return nil, errors.Join(s.failed(ctx, err), s.Close(context.WithoutCancel(ctx)))
	}
}

// Dialects decodes a dialect, or a list of them, that was written as JSON with
// the names of dialect.Dialect's fields. It panics on any other text: the file
// is part of the program.
func Dialects(text []byte) []dialect.Dialect {
	var one dialect.Dialect
	if err := json.Unmarshal(text, &one); err == nil {
		return []dialect.Dialect{one}
	}
	var list []dialect.Dialect
	if err := json.Unmarshal(text, &list); err != nil {
		panic("sqlkit: no dialect: " + err.Error())
	}
	return list
}

// Raw runs f on one of the pool's connections, as its driver made it. On a pool
// of one connection that is the one all statements run on.
func Raw(ctx context.Context, pool *sql.DB, f func(driverConn any) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(conn.Raw(f), conn.Close())
}

// ByCode makes a Session's Errors of a table from a driver's native codes to
// kinds. code returns the code of the driver's error type: (*sqlite.Error).Code,
// say. Everything else is of kind other: KindInvalid where it can only be about
// the statement, "" for an internal error.
// Shape: the errors are the caller's to act on and keep the native code.
func ByCode[E error, C comparable](code func(E) C, kinds map[C]sdk.Kind, other sdk.Kind) func(error) *sdk.Error {
	return func(err error) *sdk.Error {
		kind, text := other, ""
		if native, ok := errors.AsType[E](err); ok {
			text = fmt.Sprint(code(native))
			if known := kinds[code(native)]; known != "" {
				kind = known
			}
		}
		if kind == "" {
			return nil
		}
		e := sdk.Errorf(kind, sdk.SourceCaller, "%w", err)
		e.Code = text
		return e
	}
}
