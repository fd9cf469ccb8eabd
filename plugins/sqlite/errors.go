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

// verdict is what a result code means to the caller.
type verdict struct {
	kind   sdk.Kind
	source sdk.Source
	retry  bool
	hint   string
}

// verdicts by result code; an extended code goes before its primary one.
// Source: https://sqlite.org/rescode.html
var verdicts = map[int32]verdict{
	sqlite3.SQLITE_ERROR:    {sdk.KindInvalid, sdk.SourceCaller, false, "correct the statement"},
	sqlite3.SQLITE_PERM:     {sdk.KindDenied, sdk.SourceWarehouse, false, "let this user read the file"},
	sqlite3.SQLITE_BUSY:     {sdk.KindConflict, sdk.SourceWarehouse, true, "repeat the call: another program is writing to the file"},
	sqlite3.SQLITE_LOCKED:   {sdk.KindConflict, sdk.SourceWarehouse, true, "repeat the call: another program is writing to the file"},
	sqlite3.SQLITE_PROTOCOL: {sdk.KindConflict, sdk.SourceWarehouse, true, "repeat the call: another program is writing to the file"},
	sqlite3.SQLITE_SCHEMA:   {sdk.KindConflict, sdk.SourceWarehouse, true, "repeat the call: the schema changed meanwhile"},
	sqlite3.SQLITE_NOMEM:    {sdk.KindLimit, sdk.SourceCaller, false, "select less: the statement needs more memory than there is"},
	sqlite3.SQLITE_TOOBIG:   {sdk.KindLimit, sdk.SourceCaller, false, "select parts of the long value with substr()"},
	sqlite3.SQLITE_FULL:     {sdk.KindLimit, sdk.SourceConnector, false, "select less, or free space in the folder for temporary files"},
	sqlite3.SQLITE_IOERR:    {sdk.KindUnavailable, sdk.SourceWarehouse, true, "check the disk or the network share that holds the file"},
	sqlite3.SQLITE_CANTOPEN: {sdk.KindUnavailable, sdk.SourceWarehouse, true, "check that the file and its folder are readable; a database in WAL mode " +
		"needs its -wal and -shm files, or a folder in which this user may create them"},
	sqlite3.SQLITE_NOTADB:   {sdk.KindInvalid, sdk.SourceHost, false, "point path at a SQLite 3 database that is not encrypted"},
	sqlite3.SQLITE_CORRUPT:  {sdk.KindUnavailable, sdk.SourceWarehouse, false, "run PRAGMA integrity_check with the sqlite3 program and restore the file from a backup"},
	sqlite3.SQLITE_READONLY: {sdk.KindNotReadOnly, sdk.SourceCaller, false, "only statements that read can run"},
	sqlite3.SQLITE_READONLY_ROLLBACK: {
		sdk.KindUnavailable, sdk.SourceWarehouse, false,
		"open the database once with a program that may write to it: a crashed writer left a journal to roll back",
	},
	sqlite3.SQLITE_READONLY_RECOVERY: {
		sdk.KindUnavailable, sdk.SourceWarehouse, false,
		"open the database once with a program that may write to it: its WAL must be recovered",
	},
	sqlite3.SQLITE_READONLY_CANTINIT: {
		sdk.KindUnavailable, sdk.SourceWarehouse, false,
		"let this user write the -shm file beside the database, or have a program that may write keep it open",
	},
	sqlite3.SQLITE_READONLY_DBMOVED: {sdk.KindUnavailable, sdk.SourceWarehouse, true, "repeat the call: the file was moved or replaced"},
	sqlite3.SQLITE_AUTH:             {sdk.KindNotReadOnly, sdk.SourceCaller, false, "only statements that read can run"},
	sqlite3.SQLITE_RANGE:            {sdk.KindInvalid, sdk.SourceCaller, false, "give as many parameters as the statement has"},
	sqlite3.SQLITE_MISMATCH:         {sdk.KindInvalid, sdk.SourceCaller, false, "give parameters as null, boolean, number, text or bytes"},
	sqlite3.SQLITE_CONSTRAINT:       {sdk.KindInvalid, sdk.SourceCaller, false, "give the table-valued function the arguments it needs"},
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
		v = verdict{kind: sdk.KindInternal, source: sdk.SourceConnector}
	}
	e := sdk.Errorf(v.kind, v.source, "%s", native.Msg)
	e.Hint, e.Retry, e.Code, e.Err = v.hint, v.retry, strconv.Itoa(int(native.Code)), native
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
		e.Kind, e.Hint = sdk.KindNotReadOnly, verdicts[sqlite3.SQLITE_AUTH].hint
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
