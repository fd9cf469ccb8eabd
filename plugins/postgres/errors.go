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

// states maps SQLSTATEs, and below them the classes that their first two
// characters name. Source: the manual's appendix A.
var states = map[string]sqlkit.Verdict{
	"25006": sqlkit.ReadsOnly,
	"25001": sqlkit.ReadsOnly, // active_sql_transaction: read-write asked for
	"25P03": sqlkit.Server(sdk.KindUnavailable, "the server ended an idle transaction: try again"),
	"2D000": sqlkit.ReadsOnly, // a procedure ends the transaction
	"2F002": sqlkit.ReadsOnly, // a function marked as reading writes
	"38002": sqlkit.ReadsOnly,

	"28000": sqlkit.Host(sdk.KindUnauthenticated, "check user, and that pg_hba.conf lets it in from this machine"),
	"28P01": sqlkit.Host(sdk.KindUnauthenticated, "check user and password of the connection"),

	"3D000": sqlkit.Host(sdk.KindNotFound, "correct the connection's database"),
	"3F000": sqlkit.Caller(sdk.KindNotFound, "check the schema's name"),
	"42P01": sqlkit.Caller(sdk.KindNotFound, "check the table's name, and put its schema in front"),
	"42703": sqlkit.Caller(sdk.KindNotFound, "check the column's name, and quote it if it has capitals"),
	"42883": sqlkit.Caller(sdk.KindNotFound, "check the function's name and cast its arguments to the types it takes"),
	"42704": sqlkit.Caller(sdk.KindNotFound, "check the name"),

	"42501": sqlkit.AskAdmin,
	"42P02": sqlkit.Caller(sdk.KindInvalid, "give a value for each of $1, $2, …"),
	"42P17": sqlkit.Server(sdk.KindInvalid, ""),
	"42P18": sqlkit.Caller(sdk.KindInvalid, "cast the parameter to a type: $1::int"),

	"53100": sqlkit.Server(sdk.KindUnavailable, "the server's disk is full: tell its administrator"),
	"53200": sqlkit.Server(sdk.KindLimit, "the server is out of memory: select less, or try again later").Again(),
	"53300": sqlkit.Server(sdk.KindRateLimited, "the server has no free connection: try again later"),
	"53400": sqlkit.Server(sdk.KindLimit, "select less: a limit of the server's configuration was reached"),

	"57014": sqlkit.Server(sdk.KindCanceled, "somebody cancelled the statement in the server: run it again"),
	"57P03": sqlkit.Server(sdk.KindUnavailable, "the server is starting or stopping: try again later"),
	"57P04": sqlkit.Server(sdk.KindNotFound, "the database was dropped: correct the connection's database"),
}

var classes = map[string]sqlkit.Verdict{
	"08": sqlkit.Server(sdk.KindUnavailable, "try again"),
	"0A": sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	"21": sqlkit.Caller(sdk.KindInvalid, "make sure that each subquery used as a value gives one row"),
	"22": sqlkit.Caller(sdk.KindInvalid, "check the values that the statement computes with"),
	"23": sqlkit.ReadsOnly,
	"25": {Kind: sdk.KindInternal, Source: sdk.SourceConnector, Hint: "report this: the connector lost track of its transaction"},
	"28": sqlkit.Host(sdk.KindUnauthenticated, "check user and password of the connection"),
	"34": sqlkit.Caller(sdk.KindNotFound, ""),
	"38": sqlkit.Server(sdk.KindInvalid, "a function of the database failed: answer the question without it"),
	"39": sqlkit.Server(sdk.KindInvalid, "a function of the database failed: answer the question without it"),
	"40": sqlkit.Server(sdk.KindConflict, "run the statement again"),
	"42": sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	"53": sqlkit.Server(sdk.KindUnavailable, "the server lacks resources: try again later"),
	"54": sqlkit.Caller(sdk.KindLimit, "write a simpler statement: a limit of the server was reached"),
	"55": sqlkit.Server(sdk.KindConflict, "the object is not in the state for this: try again later"),
	"57": sqlkit.Server(sdk.KindUnavailable, "the server ended the connection: try again"),
	"58": sqlkit.Server(sdk.KindUnavailable, "the server's system failed: tell its administrator"),
	"F0": sqlkit.Server(sdk.KindUnavailable, "the server's configuration is wrong: tell its administrator"),
	"HV": sqlkit.Server(sdk.KindUnavailable, "a foreign table cannot be reached: try again, or read other tables"),
	"P0": sqlkit.Server(sdk.KindInvalid, ""),
	"XX": sqlkit.Server(sdk.KindInternal, "the server failed inside: tell its administrator"),
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
	// An extension has states of its own, and there are classes that reads do not meet.
	e := sqlkit.Lookup(states, said.Code, classes, sqlkit.StateClass(said.Code)).Error(said.Code, said.Message, said)
	if said.Detail != "" {
		e.Msg += ": " + said.Detail
	}
	if said.Hint != "" {
		e.Hint = said.Hint
	}
	return e
}

const stateQueryCanceled = "57014"

// readError gives the end of a read-only transaction its meaning, as sqlkit.Ending
// says.
func readError(ctx context.Context, err error, took, limit time.Duration) error {
	said, fromServer := asServerError(err)
	_, known := errors.AsType[*sdk.Error](err)
	return sqlkit.Ending{
		Err: err, Took: took, Limit: limit, Native: nativeError, Lost: lost,
		// The driver answers the end of the context with an error of the connection.
		Stopped: fromServer && said.Code == stateQueryCanceled || err != nil && !fromServer && !known && ctx.Err() != nil,
	}.Error(ctx)
}

// nativeError maps what the server said; nil for an error on the way to it.
func nativeError(err error) *sdk.Error {
	if said, ok := asServerError(err); ok {
		return fromServer(said)
	}
	return nil
}

// lost says what became of the connection.
func lost(err error) error {
	if long, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "a row has %d bytes; the limit is %d", long.ActualBodyLen, long.MaxExpectedBodyLen).
			WithHint("select fewer or shorter columns")
	}
	return sqlkit.Lost(err)
}
