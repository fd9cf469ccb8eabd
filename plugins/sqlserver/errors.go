package sqlserver

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Errors that more than the table below knows.
const (
	errNoColumn   = 207
	errNoObject   = 208
	errNoShowplan = 262
	errNoState    = 300
)

var (
	badLogin  = sqlkit.Host(sdk.KindUnauthenticated, "check user and password of the connection")
	expired   = sqlkit.Host(sdk.KindUnauthenticated, "have the account's password changed: it expired or must be changed at the first login")
	noMemory  = sqlkit.Server(sdk.KindLimit, "the server is out of memory for this: select less, or try again later").Again()
	noRoom    = sqlkit.Server(sdk.KindLimit, "a file of the server is full: select less, or tell its administrator").Again()
	busy      = sqlkit.Server(sdk.KindRateLimited, "the server has no free resources for this account: try again later")
	snapshots = sqlkit.Server(sdk.KindConflict, "run the statement again: the structure of a table changed meanwhile")
	badName   = sqlkit.Caller(sdk.KindNotFound, "check the name, and put its schema in front")
	badValue  = sqlkit.Caller(sdk.KindInvalid, "check the values that the statement computes with; TRY_CAST and NULLIF give NULL instead of an error")
	misspelt  = sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place")
)

// numbers maps error numbers, and classes below them what is not listed.
// Source: "Database engine events and errors" of Microsoft's documentation.
var numbers = map[int32]sqlkit.Verdict{
	errNoColumn: sqlkit.Caller(sdk.KindNotFound, "check the column's name"),
	errNoObject: sqlkit.Caller(sdk.KindNotFound, "check the table's name, and put its schema in front"),
	195:         sqlkit.Caller(sdk.KindNotFound, "check the function's name; a function of users needs its schema in front"),
	911:         badName, 2812: badName, 4104: badName, 4121: badName, 7202: badName, 8155: misspelt,

	3906: sqlkit.ReadsOnly, 3930: sqlkit.ReadsOnly,
	229: sqlkit.AskAdmin, 230: sqlkit.AskAdmin, 297: sqlkit.AskAdmin, 371: sqlkit.AskAdmin, 916: sqlkit.AskAdmin,
	errNoShowplan: sqlkit.AskAdmin, errNoState: sqlkit.AskAdmin,

	18456: badLogin, 18450: badLogin, 18452: badLogin, 18470: sqlkit.Host(sdk.KindUnauthenticated, "have the login enabled"),
	18486: sqlkit.Host(sdk.KindUnauthenticated, "have the login unlocked"), 18487: expired, 18488: expired,
	4060:  sqlkit.Host(sdk.KindNotFound, "correct the connection's database, or have a user for the login created in it: CREATE USER … FOR LOGIN …"),
	40532: sqlkit.Host(sdk.KindNotFound, "correct the connection's host, which names server and cloud: <server>.database.windows.net; its region has no such server"),
	40615: sqlkit.Host(sdk.KindDenied, "have the firewall of the server let this machine's address in"),
	978:   sqlkit.Host(sdk.KindDenied, "set application_intent to ReadOnly: the replica serves nothing else"),
	40613: sqlkit.Gone, 40197: sqlkit.Gone, 976: sqlkit.Gone, 983: sqlkit.Gone, 6005: sqlkit.Gone, 17142: sqlkit.Gone, 18461: sqlkit.Gone,
	596: sqlkit.Server(sdk.KindCanceled, "somebody ended the session in the server: run the statement again"),

	1205: sqlkit.Server(sdk.KindConflict, "run the statement again: the server chose it as the victim of a deadlock"),
	1222: sqlkit.Server(sdk.KindConflict, "another transaction holds a lock: try again later"),
	3952: sqlkit.Server(sdk.KindConflict, "run the statement without the other database, which allows no snapshots").Final(),
	3960: snapshots, 3961: snapshots, 41305: snapshots, 41325: snapshots,

	701: noMemory, 802: noMemory, 1204: noMemory, 8645: noMemory, 8651: noMemory, 1101: noRoom, 1105: noRoom, 9002: noRoom,
	10928: busy, 10929: busy, 40501: busy, 49918: busy, 49919: busy, 49920: busy, 17809: busy,
	530:  sqlkit.Caller(sdk.KindLimit, "bound the recursion with a WHERE, or add OPTION (MAXRECURSION n)"),
	8623: sqlkit.Caller(sdk.KindLimit, "write a simpler statement: the server finds no plan for it"),
	8632: sqlkit.Caller(sdk.KindLimit, "write a simpler statement: it has too many expressions"),

	220: badValue, 241: badValue, 242: badValue, 245: badValue, 295: badValue, 512: badValue, 517: badValue, 8114: badValue, 8115: badValue,
	8134: badValue, 8152: badValue, 9812: badValue, 3623: badValue,
	205: misspelt, 206: misspelt, 209: misspelt, 402: misspelt, 529: misspelt, 1033: misspelt, 8116: misspelt, 8117: misspelt, 8120: misspelt,
	8121: misspelt, 8124: misspelt, 8127: misspelt, 8144: misspelt, 8162: misspelt, 8178: misspelt, 4108: misspelt, 4145: misspelt, 10756: misspelt,
}

// sessionOver is the severity from which on the session is over.
const sessionOver = 20

// classes are the severities of errors, from 11 on.
var classes = map[uint8]sqlkit.Verdict{
	11: badName, 12: sqlkit.Unlisted, 13: snapshots, 14: sqlkit.AskAdmin, 15: misspelt,
	16: sqlkit.Caller(sdk.KindInvalid, "correct the statement at this place"), 17: noMemory, sessionOver: sqlkit.Gone,
}

// first returns what the server said first: what follows only says that there was
// an error.
func first(e mssql.Error) mssql.Error {
	for _, said := range e.All {
		if said.Class > 10 {
			return said
		}
	}
	return e
}

func fromServer(e mssql.Error) *sdk.Error {
	e = first(e)
	return sqlkit.Lookup(numbers, e.Number, classes, min(e.Class, sessionOver)).Error(strconv.Itoa(int(e.Number)), e.Message, e)
}

// nativeError maps what the server said; nil for an error on the way to it.
func nativeError(err error) *sdk.Error {
	if said, ok := errors.AsType[mssql.Error](err); ok {
		return fromServer(said)
	}
	return nil
}

// said reports whether the server said one of the errors.
func said(err error, numbers ...int32) bool {
	e, ok := errors.AsType[mssql.Error](err)
	return ok && slices.Contains(numbers, e.Number)
}

// named finds what a message is about: Invalid column name 'x'.
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'([^']+)'|"([^"]+)"`) })

// missing returns the name that an error is about, or "".
func missing(e *sdk.Error) string {
	found := named().FindStringSubmatch(e.Msg)
	if found == nil {
		return ""
	}
	return found[1] + found[2]
}

// placed maps the error of a statement with its place: the server names a line, and
// what the error is about stands in the message.
func (s *Session) placed(st *sqlkit.Statement, err error) error {
	native, ok := errors.AsType[mssql.Error](err)
	if !ok {
		return err
	}
	native = first(native)
	e := fromServer(native)
	if native.ProcName == "" { // else the line is one of a procedure or a function
		e.Pos.Line = int(native.LineNo)
	}
	if at := st.Find(s.Dialect, missing(e)); at.Line == e.Pos.Line {
		e.Pos = at
	}
	return e
}
