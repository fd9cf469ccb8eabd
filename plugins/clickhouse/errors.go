package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The codes that more than the table of kinds is about.
// Source: the server's ErrorCodes.cpp, by the names there.
const (
	codeUnknownFunction   = 46
	codeUnknownIdentifier = 47
	codeUnknownTable      = 60
	codeSyntax            = 62
	codeUnknownDatabase   = 81
	codeUnknownSetting    = 115
	codeTimeout           = 159
	codeReadOnly          = 164
	codeUnknownUser       = 192
	codeWrongPassword     = 193
	codeMemory            = 241
	codeNoAccessDatabase  = 291
	codeCanceled          = 394
	codeConstraint        = 452
	codeDenied            = 497
	codeAuthentication    = 516
)

const asSaid = "correct the statement as the message says"

var (
	badLogin = sqlkit.Host(sdk.KindUnauthenticated, "correct user and password of the connection")
	misspelt = sqlkit.Caller(sdk.KindSyntax, asSaid)
	badName  = sqlkit.Caller(sdk.KindNotFound, asSaid)
	badValue = sqlkit.Caller(sdk.KindInvalid, asSaid)
	tooMuch  = sqlkit.Caller(sdk.KindLimit, asSaid)
	tooMany  = sqlkit.Caller(sdk.KindLimit, "select fewer rows: a limit of the account's profile was reached")
)

// numbers maps codes. Source: ErrorCodes.cpp.
var numbers = map[int32]sqlkit.Verdict{
	codeSyntax: sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	// The functions are part of the language.
	codeUnknownFunction: sqlkit.Caller(sdk.KindSyntax, "use a function of this ClickHouse version: SELECT name FROM system.functions"),
	53:                  misspelt, 43: misspelt, 42: misspelt, 386: misspelt, // types and numbers of arguments
	184: misspelt, 215: misspelt, // aggregates where none may be, columns that are not under one

	codeUnknownIdentifier: sqlkit.Caller(sdk.KindNotFound, "name a column that the tables of FROM have: DESCRIBE TABLE lists them"),
	codeUnknownTable:      sqlkit.Caller(sdk.KindNotFound, "list the tables with a scan, or with SHOW TABLES FROM the database"),
	codeUnknownDatabase:   sqlkit.Caller(sdk.KindNotFound, "list the databases with SHOW DATABASES"),
	10:                    badName, 16: badName,

	36: badValue, codeUnknownSetting: badValue, 207: badValue, // AMBIGUOUS_IDENTIFIER
	6: badValue, 27: badValue, 38: badValue, 41: badValue, 69: badValue, 70: badValue, // values that do not fit
	72: badValue, 153: badValue, 349: badValue, 395: badValue, 407: badValue,

	codeReadOnly:   sqlkit.Caller(sdk.KindNotReadOnly, "send a query that only reads and changes no settings"),
	codeConstraint: sqlkit.Caller(sdk.KindNotReadOnly, "leave the setting out: the account's profile fixes it"),
	358:            sqlkit.ReadsOnly, // INTO OUTFILE

	codeDenied:           sqlkit.Host(sdk.KindDenied, "have the server's administrator grant SELECT on it to the account, or query something else"),
	codeNoAccessDatabase: sqlkit.Host(sdk.KindDenied, "have the server's administrator allow the database for the account, or query another one"),
	495:                  sqlkit.Host(sdk.KindDenied, asSaid),
	codeUnknownUser:      badLogin, codeWrongPassword: badLogin, codeAuthentication: badLogin,
	194: sqlkit.Host(sdk.KindUnauthenticated, "set the password of the connection"),
	195: sqlkit.Host(sdk.KindUnauthenticated, "have the server's administrator allow this machine's address for the account"),

	codeTimeout: sqlkit.TimeOver, 160: sqlkit.TimeOver, 209: sqlkit.TimeOver,
	codeCanceled: sqlkit.Server(sdk.KindCanceled, "somebody ended the statement in the server: run it again"),
	codeMemory:   sqlkit.Caller(sdk.KindLimit, "select less, or aggregate over fewer distinct values"),
	158:          tooMany, 396: tooMany, 161: tooMuch, 168: tooMuch, 191: tooMuch, 307: tooMuch,
	201: sqlkit.Server(sdk.KindRateLimited, "wait until the quota's interval is over"),
	202: sqlkit.Server(sdk.KindRateLimited, "wait until other queries have ended"),
	216: sqlkit.Caller(sdk.KindConflict, "repeat the call"),
	48:  sqlkit.Caller(sdk.KindUnsupported, asSaid), 344: sqlkit.Caller(sdk.KindUnsupported, asSaid),
	210: sqlkit.Gone, 236: sqlkit.Gone, 279: sqlkit.Gone,
}

// fromServer maps what the server said about a query; nil = about none.
func fromServer(said *proto.Exception, q *query) *sdk.Error {
	verdict, known := numbers[said.Code]
	if !known {
		verdict = badValue
	}
	e := verdict.Error(strconv.Itoa(int(said.Code)), message(said.Message), said)
	if at := failedAt.FindStringSubmatch(said.Message); at != nil && q != nil {
		// The pattern has digits only; a number too long for an int is no place.
		if n, err := strconv.Atoi(at[1]); err == nil {
			at := max(0, n-1-q.offset)
			if q.bound != nil {
				at = q.bound.source(at)
			}
			e.Pos = sdk.PositionAtByte(cmp.Or(q.caller, q.sql), at)
		}
	}
	return e
}

// failedAt is where the server's parser says that it stopped: bytes from 1.
var failedAt = regexp.MustCompile(`failed at position (\d+)`)

// decoration is what the server writes around its messages.
var decoration = regexp.MustCompile(`^DB::Exception: |, e\.what\(\) = DB::Exception.*$|(: While executing \w+)? \(version [^)]*\)*\)$|\. Stack trace:[\s\S]*$`)

// maxMessage bounds a message: the server repeats the whole query in some.
const maxMessage = 1000

func message(text string) string {
	text = strings.TrimSpace(decoration.ReplaceAllString(strings.TrimSpace(text), ""))
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// failed maps an error of running a query.
func failed(ctx context.Context, err error, q *query) error {
	return sqlkit.Failed(ctx, err, func(err error) *sdk.Error {
		if said, ok := errors.AsType[*proto.Exception](err); ok {
			return fromServer(said, q)
		}
		return sqlkit.Lost(err)
	})
}
