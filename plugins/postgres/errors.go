package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// verdict is what an SQLSTATE means to a caller.
type verdict struct {
	kind   sdk.Kind
	source sdk.Source
	retry  bool
	hint   string
}

// states maps SQLSTATEs, and below them the classes that their first two
// characters name. Source: the manual's appendix A.
var states = map[string]verdict{
	"25006": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"},
	"25001": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"}, // active_sql_transaction: read-write asked for
	"25P03": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server ended an idle transaction: try again"},
	"2D000": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"}, // a procedure ends the transaction
	"2F002": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"}, // a function marked as reading writes
	"38002": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"},

	"28000": {sdk.KindUnauthenticated, sdk.SourceHost, false, "check user, and that pg_hba.conf lets it in from this machine"},
	"28P01": {sdk.KindUnauthenticated, sdk.SourceHost, false, "check user and password of the connection"},

	"3D000": {sdk.KindNotFound, sdk.SourceHost, false, "correct the connection's database"},
	"3F000": {sdk.KindNotFound, sdk.SourceCaller, false, "check the schema's name"},
	"42P01": {sdk.KindNotFound, sdk.SourceCaller, false, "check the table's name, and put its schema in front"},
	"42703": {sdk.KindNotFound, sdk.SourceCaller, false, "check the column's name, and quote it if it has capitals"},
	"42883": {sdk.KindNotFound, sdk.SourceCaller, false, "check the function's name and cast its arguments to the types it takes"},
	"42704": {sdk.KindNotFound, sdk.SourceCaller, false, "check the name"},

	"42501": {sdk.KindDenied, sdk.SourceWarehouse, false, "ask the administrator for the right to read this, or read something else"},
	"42P02": {sdk.KindInvalid, sdk.SourceCaller, false, "give a value for each of $1, $2, …"},
	"42P17": {sdk.KindInvalid, sdk.SourceWarehouse, false, ""},
	"42P18": {sdk.KindInvalid, sdk.SourceCaller, false, "cast the parameter to a type: $1::int"},

	"53100": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server's disk is full: tell its administrator"},
	"53200": {sdk.KindLimit, sdk.SourceWarehouse, true, "the server is out of memory: select less, or try again later"},
	"53300": {sdk.KindRateLimited, sdk.SourceWarehouse, true, "the server has no free connection: try again later"},
	"53400": {sdk.KindLimit, sdk.SourceWarehouse, false, "select less: a limit of the server's configuration was reached"},

	"57014": {sdk.KindCanceled, sdk.SourceWarehouse, true, "somebody cancelled the statement in the server: run it again"},
	"57P03": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server is starting or stopping: try again later"},
	"57P04": {sdk.KindNotFound, sdk.SourceWarehouse, false, "the database was dropped: correct the connection's database"},
}

var classes = map[string]verdict{
	"08": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "try again"},
	"0A": {sdk.KindUnsupported, sdk.SourceCaller, false, "write the statement without this feature"},
	"21": {sdk.KindInvalid, sdk.SourceCaller, false, "make sure that each subquery used as a value gives one row"},
	"22": {sdk.KindInvalid, sdk.SourceCaller, false, "check the values that the statement computes with"},
	"23": {sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"},
	"25": {sdk.KindInternal, sdk.SourceConnector, false, "report this: the connector lost track of its transaction"},
	"28": {sdk.KindUnauthenticated, sdk.SourceHost, false, "check user and password of the connection"},
	"34": {sdk.KindNotFound, sdk.SourceCaller, false, ""},
	"38": {sdk.KindInvalid, sdk.SourceWarehouse, false, "a function of the database failed: answer the question without it"},
	"39": {sdk.KindInvalid, sdk.SourceWarehouse, false, "a function of the database failed: answer the question without it"},
	"40": {sdk.KindConflict, sdk.SourceWarehouse, true, "run the statement again"},
	"42": {sdk.KindSyntax, sdk.SourceCaller, false, "correct the statement at this place"},
	"53": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server lacks resources: try again later"},
	"54": {sdk.KindLimit, sdk.SourceCaller, false, "write a simpler statement: a limit of the server was reached"},
	"55": {sdk.KindConflict, sdk.SourceWarehouse, true, "the object is not in the state for this: try again later"},
	"57": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server ended the connection: try again"},
	"58": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server's system failed: tell its administrator"},
	"F0": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server's configuration is wrong: tell its administrator"},
	"HV": {sdk.KindUnavailable, sdk.SourceWarehouse, true, "a foreign table cannot be reached: try again, or read other tables"},
	"P0": {sdk.KindInvalid, sdk.SourceWarehouse, false, ""},
	"XX": {sdk.KindInternal, sdk.SourceWarehouse, false, "the server failed inside: tell its administrator"},
}

// serverError maps what the server said to a statement; another error stays as
// it is.
func serverError(err error, sql string) error {
	said, ok := asServerError(err)
	if !ok {
		return err
	}
	e := fromServer(said)
	if said.Position > 0 {
		e.Pos = sdk.PositionAt(sql, int(said.Position)-1)
	}
	return e
}

func fromServer(said *pgconn.PgError) *sdk.Error {
	v, ok := states[said.Code]
	if !ok {
		v, ok = classes[said.Code[:min(2, len(said.Code))]]
	}
	if !ok { // an extension's own state, or one of a class that reads do not meet
		v = verdict{sdk.KindInvalid, sdk.SourceWarehouse, false, "check the statement; if it is right, tell the server's administrator"}
	}
	e := &sdk.Error{Kind: v.kind, Source: v.source, Msg: said.Message, Hint: v.hint, Code: said.Code, Retry: v.retry, Err: said}
	if said.Detail != "" {
		e.Msg += ": " + said.Detail
	}
	if said.Hint != "" {
		e.Hint = said.Hint
	}
	return e
}

const stateQueryCanceled = "57014"

// readError gives an error of a read-only transaction its meaning: the caller's
// context first, then the time limit, then what the server or the driver said.
func readError(ctx context.Context, err error, took, limit time.Duration) error {
	said, fromWarehouse := asServerError(err)
	canceled := fromWarehouse && said.Code == stateQueryCanceled
	known, ok := errors.AsType[*sdk.Error](err)
	switch ended := sqlkit.ContextError(ctx); {
	case ended != nil && (canceled || !fromWarehouse && !ok):
		return ended
	case canceled && took >= limit:
		e := sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the statement took longer than the %s it may take", limit).
			WithHint("select less (a filter, a LIMIT, fewer joins) or raise the connection's timeout")
		e.Code, e.Retry, e.Err = said.Code, true, err
		return e
	case ok:
		return known
	case fromWarehouse:
		return fromServer(said)
	}
	if long, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "a row has %d bytes; the limit is %d", long.ActualBodyLen, long.MaxExpectedBodyLen).
			WithHint("select fewer or shorter columns")
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the connection to the server was lost: %w", err).
		WithHint("try again; if it stays so, check that the server runs")
	e.Retry = true
	return e
}
