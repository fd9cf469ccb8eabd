package snowflake

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Errors that more than the table below knows.
const (
	errNoWarehouse    = 606
	errSessionGone    = 390111
	errSessionExpired = 390112
	errMasterExpired  = 390114
	errTokenExpired   = 390318
)

const signInAgain = "sign in: loam connection login <connection>; then: loam connection test"

var (
	notThere = sqlkit.Caller(sdk.KindNotFound, "check the name, and that the role may use it: the service does not tell one from the other")
	logIn    = sqlkit.Host(sdk.KindUnauthenticated, "check user and secret of the connection")
	// An account locator is known in its region alone.
	noAccount = sqlkit.Host(sdk.KindNotFound, "correct account: an organization and an account, such as myorg-myaccount, or a locator with its region, such as xy12345.eu-central-1")
	newToken  = sqlkit.Host(sdk.KindUnauthenticated, "put a new token in the place that the connection's secret refers to; a programmatic one is renewed by: ALTER USER <user> ROTATE PROGRAMMATIC ACCESS TOKEN <name>")
)

// numbers maps the service's errors, and states below them SQLSTATE classes.
// Source: the vendor's documentation and drivers.
var numbers = map[int]sqlkit.Verdict{
	8:    sqlkit.ReadsOnly, // another number of statements than one
	904:  sqlkit.Caller(sdk.KindNotFound, "check the column's name; a name in quotes keeps its case, others are upper case"),
	1003: sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	2003: notThere,
	2043: notThere,
	2140: sqlkit.Caller(sdk.KindNotFound, "check the function's name"),
	3001: sqlkit.AskAdmin,

	604:            sqlkit.Server(sdk.KindCanceled, "somebody ended the statement in the service: run it again"),
	errNoWarehouse: sqlkit.Server(sdk.KindUnavailable, "the warehouse is suspended, or the role may not use it: have it resumed (ALTER WAREHOUSE … RESUME) or set to resume by itself"),
	630:            sqlkit.TimeOver,

	90073: sqlkit.Server(sdk.KindRateLimited, "the warehouse's quota is used up: have the administrator look at its resource monitor").Final(),
	90105: sqlkit.Host(sdk.KindInvalid, "set database in the connection's configuration"),

	390100: logIn,
	390101: logIn,
	390102: sqlkit.Host(sdk.KindUnauthenticated, "have the user unlocked: it is disabled, or locked after wrong passwords"),
	390106: logIn,
	390144: sqlkit.Host(sdk.KindUnauthenticated, "check that account and user are right, and that the user has the public key of private_key: DESCRIBE USER <user> shows its fingerprint"),
	390186: sqlkit.Host(sdk.KindDenied, "use a role that is granted to the user"),
	390189: sqlkit.Host(sdk.KindNotFound, "correct the connection's role: it does not exist, or is not granted to the user"),
	390201: sqlkit.Host(sdk.KindNotFound, "correct the connection's database, schema or warehouse: it does not exist, or the role may not use it"),
	390191: sqlkit.Host(sdk.KindUnauthenticated, "sign in as the connection's user, or correct user"),
	390195: sqlkit.Host(sdk.KindUnauthenticated, signInAgain),
	390303: newToken, errTokenExpired: newToken, 394304: newToken, 394400: newToken,
	390420: sqlkit.Host(sdk.KindDenied, "have the network policy of the account let this machine's address in"),
	390422: sqlkit.Host(sdk.KindDenied, "have the network policy of the account let this machine's address in"),
	390432: sqlkit.Host(sdk.KindDenied, "have the network policy of the account let this machine's address in"),

	errSessionGone: sqlkit.Gone, errSessionExpired: sqlkit.Gone, errMasterExpired: sqlkit.Gone,

	gosnowflake.ErrCodeServiceUnavailable: sqlkit.Gone,
	gosnowflake.ErrCodeFailedToConnect:    noAccount,
	gosnowflake.ErrFailedToPostQuery:      sqlkit.Gone,
	gosnowflake.ErrFailedToRenewSession:   sqlkit.Gone,
	gosnowflake.ErrFailedToAuth:           noAccount,
	gosnowflake.ErrFailedToGetChunk:       sqlkit.Gone,
}

var classes = map[string]sqlkit.Verdict{
	"02": notThere,
	"08": sqlkit.Gone,
	"0A": sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	"22": sqlkit.Caller(sdk.KindInvalid, "check the values that the statement computes with"),
	"28": logIn,
	"42": sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	"53": sqlkit.Server(sdk.KindLimit, "select less: the service has no room for it"),
	"57": sqlkit.Server(sdk.KindUnavailable, "try again; if it stays so, check the warehouse"),
	"P0": sqlkit.Server(sdk.KindInvalid, "read something else: the database's own code refuses this"),
}

func asSnowflake(err error) (*gosnowflake.SnowflakeError, bool) {
	return errors.AsType[*gosnowflake.SnowflakeError](err)
}

// native maps what the service said; nil for an error on the way to it.
func (s *Session) native(err error) *sdk.Error {
	said, ok := asSnowflake(err)
	if !ok {
		return nil
	}
	v := sqlkit.Lookup(numbers, said.Number, classes, sqlkit.StateClass(said.SQLState))
	message := said.Message
	if len(said.MessageArgs) > 0 {
		message = fmt.Sprintf(said.Message, said.MessageArgs...)
	}
	e := v.Error(fmt.Sprintf("%06d", said.Number), strings.ReplaceAll(message, "\n", " "), said)
	switch {
	case said.Number == errNoWarehouse && s.cfg.Warehouse == "":
		e.Kind, e.Source, e.Retry, e.Hint = sdk.KindInvalid, sdk.SourceHost, false, "set warehouse in the connection's configuration"
	case v == noAccount:
		e.Msg = "the service has no account " + s.cfg.account() + " at " + s.cfg.host()
	case said.Number == errNoWarehouse:
		e.Hint = strings.ReplaceAll(e.Hint, "WAREHOUSE …", "WAREHOUSE "+quote(s.cfg.Warehouse))
	case said.Number == errTokenExpired && s.cfg.method() == byOAuth:
		e.Hint = "the token has expired: " + newToken.Hint
	}
	return e
}

// statementError adds the place to an error about a caller's statement.
func (s *Session) statementError(st *statement, err error) error {
	e := s.native(err)
	if _, ours := errors.AsType[*sdk.Error](err); e == nil || ours {
		return err
	}
	_, at, found := strings.Cut(e.Msg, "line ")
	var line, column int
	if n, _ := fmt.Sscanf(at, "%d at position %d", &line, &column); found && n == 2 {
		e.Pos = sdk.PositionAtByte(st.SQL, placeOf(st, line, column))
	}
	return e
}

// placeOf returns where a line, from 1, and a position in it, from 0, of the examined
// text are in the caller's.
func placeOf(st *statement, line, column int) int {
	start := st.Start(0) + len(st.text) - len(st.query)
	rest := st.query
	for ; line > 1; line-- {
		_, after, more := strings.Cut(rest, "\n")
		if !more {
			break
		}
		start, rest = start+len(rest)-len(after), after
	}
	for at := range rest {
		if column == 0 {
			return start + at
		}
		column--
	}
	return start + len(rest)
}

// isNetwork reports whether an error is of the way to the service.
func isNetwork(err error) bool {
	if _, ours := errors.AsType[*sdk.Error](err); ours {
		return false
	}
	_, op := errors.AsType[*net.OpError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	_, http := errors.AsType[*url.Error](err)
	return op || dns || http || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// connectError maps a failed attempt to connect.
func (s *Session) connectError(err error) error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		known.Op = "connect"
		return known
	}
	if e := s.native(err); e != nil {
		e.Op = "connect"
		for kind, name := range map[string]string{"database": s.cfg.Database, "schema": s.cfg.Schema, "warehouse": s.cfg.Warehouse} {
			e.Msg = strings.ReplaceAll(e.Msg, "requested "+kind+" does", "requested "+kind+" "+name+" does")
		}
		if skew, _ := s.transport.skew.Load().(string); skew != "" && e.Kind == sdk.KindUnauthenticated && s.cfg.method() != byPassword {
			e.Msg, e.Hint = strings.TrimSuffix(e.Msg, ".")+": "+skew, network.ClockHint
		}
		return e
	}
	if isNetwork(err) {
		return network.WebError(err)
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%w", err).WithHint("check the connection's configuration")
}
