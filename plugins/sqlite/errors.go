package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// verdicts by result code; an extended code goes before its primary one.
// Source: https://sqlite.org/rescode.html
var verdicts = map[int32]sqlkit.Verdict{
	sqlite3.SQLITE_ERROR:    sqlkit.Caller(sdk.KindInvalid, "correct the statement"),
	sqlite3.SQLITE_PERM:     sqlkit.Server(sdk.KindDenied, "let this user read the file"),
	sqlite3.SQLITE_BUSY:     sqlkit.Server(sdk.KindConflict, "repeat the call: another program is writing to the file"),
	sqlite3.SQLITE_LOCKED:   sqlkit.Server(sdk.KindConflict, "repeat the call: another program is writing to the file"),
	sqlite3.SQLITE_PROTOCOL: sqlkit.Server(sdk.KindConflict, "repeat the call: another program is writing to the file"),
	sqlite3.SQLITE_SCHEMA:   sqlkit.Server(sdk.KindConflict, "repeat the call: the schema changed meanwhile"),
	sqlite3.SQLITE_NOMEM:    sqlkit.Caller(sdk.KindLimit, "select less: the statement needs more memory than there is"),
	sqlite3.SQLITE_TOOBIG:   sqlkit.Caller(sdk.KindLimit, "select parts of the long value with substr()"),
	sqlite3.SQLITE_FULL:     {Kind: sdk.KindLimit, Source: sdk.SourceConnector, Hint: "select less, or free space in the folder for temporary files"},
	sqlite3.SQLITE_IOERR:    sqlkit.Server(sdk.KindUnavailable, "check the disk or the network share that holds the file"),
	sqlite3.SQLITE_CANTOPEN: sqlkit.Server(sdk.KindUnavailable, "check that the file and its folder are readable; a database in WAL mode "+
		"needs its -wal and -shm files, or a folder in which this user may create them"),
	sqlite3.SQLITE_NOTADB:            sqlkit.Host(sdk.KindInvalid, "point path at a SQLite 3 database that is not encrypted"),
	sqlite3.SQLITE_CORRUPT:           sqlkit.Server(sdk.KindUnavailable, "run PRAGMA integrity_check with the sqlite3 program and restore the file from a backup").Final(),
	sqlite3.SQLITE_READONLY:          sqlkit.Caller(sdk.KindNotReadOnly, "only statements that read can run"),
	sqlite3.SQLITE_READONLY_ROLLBACK: sqlkit.Server(sdk.KindUnavailable, "open the database once with a program that may write to it: a crashed writer left a journal to roll back").Final(),
	sqlite3.SQLITE_READONLY_RECOVERY: sqlkit.Server(sdk.KindUnavailable, "open the database once with a program that may write to it: its WAL must be recovered").Final(),
	sqlite3.SQLITE_READONLY_CANTINIT: sqlkit.Server(sdk.KindUnavailable, "let this user write the -shm file beside the database, or have a program that may write keep it open").Final(),
	sqlite3.SQLITE_READONLY_DBMOVED:  sqlkit.Server(sdk.KindUnavailable, "repeat the call: the file was moved or replaced"),
	sqlite3.SQLITE_AUTH:              sqlkit.Caller(sdk.KindNotReadOnly, "only statements that read can run"),
	sqlite3.SQLITE_RANGE:             sqlkit.Caller(sdk.KindInvalid, "give as many parameters as the statement has"),
	sqlite3.SQLITE_MISMATCH:          sqlkit.Caller(sdk.KindInvalid, "give parameters as null, boolean, number, text or bytes"),
	sqlite3.SQLITE_CONSTRAINT:        sqlkit.Caller(sdk.KindInvalid, "give the table-valued function the arguments it needs"),
}

// failed makes the caller's error of an engine's. What ended the context goes
// first: the engine only says that it was interrupted.
func failed(ctx context.Context, sql string, err error) error {
	return sqlkit.Failed(ctx, err, func(err error) *sdk.Error {
		if misfit, ok := errors.AsType[*misfitError](err); ok {
			e := sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "%w", misfit).
				WithHint("repeat the same statement: the column then comes as text; or convert it with CAST(… AS TEXT)")
			e.Retry = true
			return e
		}
		if errors.Is(err, engine.ErrEmpty) {
			e := sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "there is no statement in the text").WithHint("write one SELECT statement")
			e.Pos = sdk.PositionAtByte(sql, len(sql))
			return e
		}
		if several, ok := errors.AsType[*engine.SeveralError](err); ok {
			e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "the text has several statements").WithHint("send one statement per call")
			e.Pos = sdk.PositionAtByte(sql, several.Offset)
			return e
		}
		if native, ok := errors.AsType[*engine.Error](err); ok {
			return explain(sql, native)
		}
		return sdk.AsError(err, sdk.SourceConnector)
	})
}

// explain maps what the library said.
func explain(sql string, native *engine.Error) *sdk.Error {
	v, ok := verdicts[native.Code]
	if !ok {
		v, ok = verdicts[native.Primary()]
	}
	if !ok {
		v = sqlkit.Verdict{Kind: sdk.KindInternal, Source: sdk.SourceConnector}
	}
	e := v.Error(strconv.Itoa(int(native.Code)), native.Msg, native)
	if native.Offset >= 0 {
		e.Pos = sdk.PositionAtByte(sql, native.Offset)
	}
	switch {
	case native.Denied != nil:
		deny(e, native.Denied)
	case native.Primary() == sqlite3.SQLITE_CANTOPEN && errors.Is(native.Errno, fs.ErrPermission):
		e.Kind, e.Retry = sdk.KindDenied, false
		e.Hint = "let this user read the file and search its folder; for a database in WAL mode, also create the -shm file beside it"
	}
	return e
}

// deny says what the authorizer refused.
func deny(e *sdk.Error, a *engine.Action) {
	switch a.Code {
	case sqlite3.SQLITE_READ:
		e.Kind, e.Msg = sdk.KindDenied, fmt.Sprintf("the table %s must not be read: it shows raw pages past every rule about tables", a.Arg1)
		e.Hint = "read the tables themselves"
	case sqlite3.SQLITE_FUNCTION:
		e.Kind, e.Msg = sdk.KindDenied, fmt.Sprintf("the function %s must not be called: it does more than compute", a.Arg2)
		e.Hint = "leave the function out"
	default:
		e.Kind, e.Hint = sdk.KindNotReadOnly, verdicts[sqlite3.SQLITE_AUTH].Hint
		if words, known := actions[a.Code]; known {
			e.Msg = "the statement would " + fmt.Sprintf(words, a.Arg1)
		}
	}
}

// misnamed is what a compile error with the bare code SQLITE_ERROR can be about.
// SQLite has no codes of their own for these: the prefix of the message is all
// there is. Source: the error messages of sqlite3LocateTable, sqlite3ExprResolve
// and their callers, unchanged since 3.0.
var misnamed = []struct{ prefix, what string }{
	{"no such table: ", "table"},
	{"no such column: ", "column"},
	{"no such function: ", "function"},
	{"no such module: ", "module"},
	{"no such collation sequence: ", "collation"},
}

// compileFailed refines the error of a statement that does not compile: it is
// the text that is wrong. It says what kind of thing is missing, and its name.
func compileFailed(sql string, err error) (what, missing string, refined error) {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindInvalid || e.Code != strconv.Itoa(sqlite3.SQLITE_ERROR) {
		return "", "", err
	}
	e.Kind, e.Hint = sdk.KindSyntax, "correct the statement; it is SQLite's dialect"
	for _, m := range misnamed {
		name, ok := strings.CutPrefix(e.Msg, m.prefix)
		if !ok {
			continue
		}
		e.Kind, e.Hint = sdk.KindNotFound, fmt.Sprintf("use a %s that exists", m.what)
		if e.Pos.IsZero() {
			e.Pos = positionOf(sql, name)
		}
		return m.what, name, e
	}
	if e.Pos.IsZero() && e.Msg == "incomplete input" {
		e.Pos = sdk.PositionAtByte(sql, len(sql))
	}
	return "", "", e
}

// positionOf returns where a name stands in the text, if it stands there once.
func positionOf(sql, name string) sdk.Position {
	unguarded := *quoting // a statement that is refused has names, too
	unguarded.Guard = dialect.Guard{}
	stmt, err := sqlkit.Parse(sql, &unguarded)
	if err != nil {
		return sdk.Position{}
	}
	return stmt.Find(quoting, name)
}
