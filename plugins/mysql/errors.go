package mysql

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Errors that more than the table below knows.
const (
	errSyntax          = 1064
	errNoTable         = 1146
	errNoColumn        = 1054
	errUnknownTable    = 1109 // of a qualified column: no such table in FROM
	errNoView          = 1356 // a view refers to what is not there
	errNotPreparable   = 1295
	errInterrupted     = 1317
	errStatementTime   = 1969 // MariaDB's max_statement_time
	errExecutionTime   = 3024 // MySQL's max_execution_time
	errReadOnly        = 1792
	errDatabaseDenied  = 1044
	errTableDenied     = 1142
	errColumnDenied    = 1143
	errRoutineDenied   = 1370
	errAmbiguous       = 1052
	errLoginDenied     = 1045
	errNoDatabase      = 1049
	errNoFunction      = 1305
	errNativeArguments = 1582 // a function of the server, with too few or too many arguments
	errLibraryCall     = 1123 // a loadable function minds its arguments
	errNoSchemaOfTable = 1932 // the engine lost the table
)

// verdict is what an error number means to a caller.
type verdict struct {
	kind   sdk.Kind
	source sdk.Source
	retry  bool
	hint   string
}

var (
	readsOnly  = verdict{sdk.KindNotReadOnly, sdk.SourceCaller, false, "send a statement that only reads"}
	overloaded = verdict{sdk.KindRateLimited, sdk.SourceWarehouse, true, "the server has no free connection for this account: try again later"}
	timeOver   = verdict{sdk.KindTimeout, sdk.SourceCaller, true, "select less (a filter, a LIMIT, fewer joins) or raise the connection's timeout"}
	askAdmin   = verdict{sdk.KindDenied, sdk.SourceWarehouse, false, "ask the administrator for the right to read this, or read something else"}
	gone       = verdict{sdk.KindUnavailable, sdk.SourceWarehouse, true, "try again; if it stays so, check that the server runs"}
)

// numbers maps error numbers, and states below them SQLSTATE classes, the first
// two characters. Numbers above 1900 are the products' own and do not meet.
// Source: both manuals' lists of server errors.
var numbers = map[uint16]verdict{
	errReadOnly: readsOnly,
	1223:        readsOnly, // a lock prevents updates
	1290:        readsOnly, // --read-only, --secure-file-priv
	1422:        readsOnly, // a function that commits
	1568:        readsOnly, // the transaction's characteristics cannot be changed
	1665:        readsOnly,
	1694:        readsOnly,
	1766:        readsOnly,
	1836:        readsOnly,
	3566:        readsOnly,

	errLoginDenied: {sdk.KindUnauthenticated, sdk.SourceHost, false, "check user and password of the connection"},
	1130:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "have the server let the account in from this machine: CREATE USER 'name'@'host'"},
	1227:           askAdmin,
	1251:           {sdk.KindUnsupported, sdk.SourceHost, false, "have the account use caching_sha2_password, ed25519 or mysql_native_password"},
	1524:           {sdk.KindUnsupported, sdk.SourceHost, false, "have the account use a plugin that the server has loaded"},
	1698:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "use an account with a password: this one logs in by its system user only"},
	1820:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "have the account's password changed: it expired"},
	1862:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "have the account's password changed: it expired"},
	3118:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "have the account unlocked"},
	4151:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "have the account unlocked"},
	3159:           {sdk.KindUnauthenticated, sdk.SourceHost, false, "set sslmode to require or verify-full: the server takes no unencrypted connection"},

	errDatabaseDenied: askAdmin,
	errTableDenied:    askAdmin,
	errColumnDenied:   askAdmin,
	1345:              {sdk.KindDenied, sdk.SourceWarehouse, false, "ask for the right to read the tables behind the view, or EXPLAIN something else"},
	errRoutineDenied:  {sdk.KindDenied, sdk.SourceWarehouse, false, "check the function's name: it does not exist, or the account may not run it"},

	errNoDatabase:      {sdk.KindNotFound, sdk.SourceCaller, false, "check the database's name"},
	errNoTable:         {sdk.KindNotFound, sdk.SourceCaller, false, "check the table's name, and put its database in front"},
	errNoColumn:        {sdk.KindNotFound, sdk.SourceCaller, false, "check the column's name"},
	errUnknownTable:    {sdk.KindNotFound, sdk.SourceCaller, false, "name a table, or its alias, of the FROM clause"},
	errNoFunction:      {sdk.KindNotFound, sdk.SourceCaller, false, "check the function's name"},
	1630:               {sdk.KindNotFound, sdk.SourceCaller, false, "check the function's name: a space before its parenthesis may be in the way"},
	1128:               {sdk.KindNotFound, sdk.SourceCaller, false, "check the function's name"},
	1051:               {sdk.KindNotFound, sdk.SourceCaller, false, "check the table's name"},
	1193:               {sdk.KindNotFound, sdk.SourceCaller, false, "check the variable's name"},
	1273:               {sdk.KindNotFound, sdk.SourceCaller, false, "check the collation's name"},
	errNoView:          {sdk.KindInvalid, sdk.SourceWarehouse, false, "have the view mended: it names what is not there, or its definer may not read it"},
	errNoSchemaOfTable: {sdk.KindInvalid, sdk.SourceWarehouse, false, "have the table repaired: its storage engine does not know it"},
	1449:               {sdk.KindInvalid, sdk.SourceWarehouse, false, "have the view mended: the account that defined it is gone"},

	errSyntax: {sdk.KindSyntax, sdk.SourceCaller, false, "correct the statement at this place"},
	1046:      {sdk.KindInvalid, sdk.SourceCaller, false, "put a database in front of the table's name"},
	1055:      {sdk.KindSyntax, sdk.SourceCaller, false, "add the column to GROUP BY, or aggregate it with MIN or MAX"},
	1140:      {sdk.KindSyntax, sdk.SourceCaller, false, "add the column to GROUP BY, or aggregate it with MIN or MAX"},
	1242:      {sdk.KindInvalid, sdk.SourceCaller, false, "make sure that each subquery used as a value gives one row"},
	1366:      {sdk.KindInvalid, sdk.SourceCaller, false, "check the values that the statement computes with"},
	1525:      {sdk.KindInvalid, sdk.SourceCaller, false, "correct the date or number in the statement"},

	errInterrupted:   {sdk.KindCanceled, sdk.SourceWarehouse, true, "somebody ended the statement in the server: run it again"},
	errStatementTime: timeOver,
	errExecutionTime: timeOver,
	1205:             {sdk.KindConflict, sdk.SourceWarehouse, true, "another transaction holds a lock: try again later"},
	1213:             {sdk.KindConflict, sdk.SourceWarehouse, true, "run the statement again"},
	1412:             {sdk.KindConflict, sdk.SourceWarehouse, true, "run the statement again: the table's structure changed meanwhile"},

	1040: overloaded,
	1203: overloaded,
	1226: overloaded,
	1129: {sdk.KindRateLimited, sdk.SourceWarehouse, false, "have the administrator run FLUSH HOSTS: the server blocks this machine after failed connections"},

	1021: {sdk.KindUnavailable, sdk.SourceWarehouse, true, "the server's disk is full: tell its administrator"},
	1037: {sdk.KindLimit, sdk.SourceWarehouse, true, "the server is out of memory: select less, or try again later"},
	1038: {sdk.KindLimit, sdk.SourceWarehouse, true, "the server is out of memory for sorting: select less"},
	1041: {sdk.KindLimit, sdk.SourceWarehouse, true, "the server is out of memory: select less, or try again later"},
	1104: {sdk.KindLimit, sdk.SourceCaller, false, "select less: the account may not look at so many rows (max_join_size)"},
	1114: {sdk.KindLimit, sdk.SourceWarehouse, true, "select less: a temporary table of the server is full"},
	1153: {sdk.KindLimit, sdk.SourceCaller, false, "send a shorter statement: the server's max_allowed_packet is exceeded"},
	1116: {sdk.KindLimit, sdk.SourceCaller, false, "join fewer tables"},
	1436: {sdk.KindLimit, sdk.SourceCaller, false, "write a simpler statement: the server's stack is too small for it"},
	3636: {sdk.KindLimit, sdk.SourceCaller, false, "bound the recursion with a WHERE"},

	1053: gone, // the server is stopping
	1077: gone,
	1079: gone,
	1152: gone,
	1927: gone, // MariaDB: the connection was killed
	4031: gone, // idle for too long

	1235: {sdk.KindUnsupported, sdk.SourceCaller, false, "write the statement without this feature"},
	1286: {sdk.KindUnsupported, sdk.SourceWarehouse, false, "have the storage engine enabled"},
	1429: {sdk.KindUnavailable, sdk.SourceWarehouse, true, "a table of another server cannot be reached: try again, or read other tables"},
	1430: {sdk.KindUnavailable, sdk.SourceWarehouse, true, "a table of another server cannot be read: try again, or read other tables"},
}

var states = map[string]verdict{
	"08": gone,
	"0A": {sdk.KindUnsupported, sdk.SourceCaller, false, "write the statement without this feature"},
	"21": {sdk.KindInvalid, sdk.SourceCaller, false, "make sure that columns and values are as many on both sides"},
	"22": {sdk.KindInvalid, sdk.SourceCaller, false, "check the values that the statement computes with"},
	"23": {sdk.KindSyntax, sdk.SourceCaller, false, "correct the statement at this place"}, // 1052: an ambiguous column
	"25": readsOnly,
	"28": {sdk.KindUnauthenticated, sdk.SourceHost, false, "check user and password of the connection"},
	"3D": {sdk.KindInvalid, sdk.SourceCaller, false, "put a database in front of the table's name"},
	"40": {sdk.KindConflict, sdk.SourceWarehouse, true, "run the statement again"},
	"42": {sdk.KindSyntax, sdk.SourceCaller, false, "correct the statement at this place"},
	"45": {sdk.KindInvalid, sdk.SourceWarehouse, false, "read something else: the database's own code refuses this"},
	"70": {sdk.KindCanceled, sdk.SourceWarehouse, true, "somebody ended the statement in the server: run it again"},
}

// asServerError returns what the server said, as opposed to what went wrong on
// the way to it.
func asServerError(err error) (*mysql.MySQLError, bool) {
	return errors.AsType[*mysql.MySQLError](err)
}

func isServerError(err error) bool {
	_, ok := asServerError(err)
	return ok
}

// said reports whether the server said one of the errors.
func said(err error, numbers ...uint16) bool {
	e, ok := asServerError(err)
	if !ok {
		return false
	}
	for _, n := range numbers {
		if e.Number == n {
			return true
		}
	}
	return false
}

func fromServer(e *mysql.MySQLError) *sdk.Error {
	v, ok := numbers[e.Number]
	if !ok {
		v, ok = states[string(e.SQLState[:2])]
	}
	if !ok {
		v = verdict{sdk.KindInvalid, sdk.SourceWarehouse, false, "check the statement; if it is right, tell the server's administrator"}
	}
	return &sdk.Error{
		Kind: v.kind, Source: v.source, Msg: e.Message, Hint: v.hint, Retry: v.retry, Code: strconv.Itoa(int(e.Number)), Err: e,
	}
}

// readError gives an error of a read-only transaction its meaning: the caller's
// context first, then the time limit, then what the server or the driver said.
// A statement that the server ended without an error, as it does within
// BENCHMARK, has still not run to its end.
func readError(ctx context.Context, err, network error, took, limit time.Duration) error {
	stopped := err == nil || said(err, errInterrupted, errStatementTime, errExecutionTime) || broken(err) || errors.Is(err, errOver)
	known, isKnown := errors.AsType[*sdk.Error](err)
	native, fromWarehouse := asServerError(err)
	ended := sqlkit.ContextError(ctx)
	switch {
	case ended != nil && ended.Kind != sdk.KindTimeout && stopped:
		return ended
	case took >= limit && stopped:
		e := sdk.Errorf(timeOver.kind, timeOver.source, "the statement took longer than the %s it may take", limit).WithHint("%s", timeOver.hint)
		e.Retry, e.Err = timeOver.retry, err
		if fromWarehouse {
			e.Code = strconv.Itoa(int(native.Number))
		}
		return e
	case ended != nil && stopped:
		return ended
	case err == nil || errors.Is(err, sdk.ErrLimit):
		return nil
	case isKnown:
		return known
	case fromWarehouse:
		return fromServer(native)
	case broken(err):
		return lost(err, network)
	}
	return err
}

// lost says what became of the connection; network is what the network said, if
// it said anything.
func lost(err, network error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](network); ok {
		return known // of the tunnel
	}
	if network != nil {
		err = network
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the connection to the server was lost: %w", err).WithHint("%s", gone.hint)
	e.Retry = true
	return e
}
