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

// kinds maps codes to kinds. Source: ErrorCodes.cpp.
var kinds = map[int32]sdk.Kind{
	codeSyntax:          sdk.KindSyntax,
	codeUnknownFunction: sdk.KindSyntax,                                                              // the functions are part of the language
	53:                  sdk.KindSyntax, 43: sdk.KindSyntax, 42: sdk.KindSyntax, 386: sdk.KindSyntax, // types and numbers of arguments
	184: sdk.KindSyntax, 215: sdk.KindSyntax, // aggregates where none may be, columns that are not under one
	codeUnknownIdentifier: sdk.KindNotFound, codeUnknownTable: sdk.KindNotFound, codeUnknownDatabase: sdk.KindNotFound,
	10: sdk.KindNotFound, 16: sdk.KindNotFound, 36: sdk.KindInvalid,
	codeUnknownSetting: sdk.KindInvalid, 207: sdk.KindInvalid, // AMBIGUOUS_IDENTIFIER
	6: sdk.KindInvalid, 27: sdk.KindInvalid, 38: sdk.KindInvalid, 41: sdk.KindInvalid, 69: sdk.KindInvalid, 70: sdk.KindInvalid,
	72: sdk.KindInvalid, 153: sdk.KindInvalid, 349: sdk.KindInvalid, 395: sdk.KindInvalid, 407: sdk.KindInvalid, // values that do not fit

	codeReadOnly: sdk.KindNotReadOnly, 358: sdk.KindNotReadOnly, // INTO OUTFILE
	codeConstraint: sdk.KindNotReadOnly,
	codeDenied:     sdk.KindDenied, codeNoAccessDatabase: sdk.KindDenied, 495: sdk.KindDenied,

	codeUnknownUser: sdk.KindUnauthenticated, codeWrongPassword: sdk.KindUnauthenticated, 194: sdk.KindUnauthenticated,
	195: sdk.KindUnauthenticated, codeAuthentication: sdk.KindUnauthenticated,

	codeTimeout: sdk.KindTimeout, 160: sdk.KindTimeout, 209: sdk.KindTimeout,
	codeCanceled: sdk.KindCanceled,
	codeMemory:   sdk.KindLimit, 158: sdk.KindLimit, 161: sdk.KindLimit, 168: sdk.KindLimit, 191: sdk.KindLimit,
	307: sdk.KindLimit, 396: sdk.KindLimit,
	201: sdk.KindRateLimited, 202: sdk.KindRateLimited,
	216: sdk.KindConflict,
	48:  sdk.KindUnsupported, 344: sdk.KindUnsupported,
	210: sdk.KindUnavailable, 236: sdk.KindUnavailable, 279: sdk.KindUnavailable,
}

var hints = map[int32]string{
	codeSyntax:            "correct the statement at this place",
	codeUnknownFunction:   "use a function of this ClickHouse version: SELECT name FROM system.functions",
	codeUnknownIdentifier: "name a column that the tables of FROM have: DESCRIBE TABLE lists them",
	codeUnknownTable:      "list the tables with a scan, or with SHOW TABLES FROM the database",
	codeUnknownDatabase:   "list the databases with SHOW DATABASES",
	codeReadOnly:          "send a query that only reads and changes no settings",
	codeConstraint:        "leave the setting out: the account's profile fixes it",
	codeNoAccessDatabase:  "have the server's administrator allow the database for the account, or query another one",
	codeDenied:            "have the server's administrator grant SELECT on it to the account, or query something else",
	codeUnknownUser:       "correct user and password of the connection",
	codeWrongPassword:     "correct user and password of the connection",
	codeAuthentication:    "correct user and password of the connection",
	194:                   "set the password of the connection",
	195:                   "have the server's administrator allow this machine's address for the account",
	codeTimeout:           "select less (a filter, a LIMIT, fewer joins) or raise the connection's timeout",
	codeMemory:            "select less, or aggregate over fewer distinct values",
	158:                   "select fewer rows: a limit of the account's profile was reached",
	396:                   "select fewer rows: a limit of the account's profile was reached",
	codeCanceled:          "somebody ended the statement in the server: run it again",
	201:                   "wait until the quota's interval is over",
	202:                   "wait until other queries have ended",
	216:                   "repeat the call",
}

// fromServer maps what the server said about a query; nil = about none.
func fromServer(said *proto.Exception, q *query) *sdk.Error {
	kind, known := kinds[said.Code]
	e := sdk.Errorf(kind, sdk.SourceCaller, "%w", said)
	e.Msg, e.Code = message(said.Message), strconv.Itoa(int(said.Code))
	e.Hint = hints[said.Code]
	switch kind {
	case sdk.KindDenied, sdk.KindUnauthenticated:
		e.Source = sdk.SourceHost
	case sdk.KindUnavailable, sdk.KindRateLimited, sdk.KindCanceled:
		e.Source, e.Retry = sdk.SourceWarehouse, true
	case sdk.KindTimeout, sdk.KindConflict:
		e.Retry = true
	}
	if !known {
		e.Kind = sdk.KindInvalid
	}
	if e.Hint == "" {
		e.Hint = "correct the statement as the message says"
	}
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
