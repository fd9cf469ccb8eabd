package mysql

import (
	"context"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Every error that is known has words for who has to do what.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for number, v := range numbers {
		if v.Kind == "" || v.Source == "" || v.Hint == "" {
			t.Errorf("%d: %+v", number, v)
		}
	}
	for state, v := range states {
		if len(state) != 2 || v.Kind == "" || v.Source == "" || v.Hint == "" {
			t.Errorf("%s: %+v", state, v)
		}
	}
}

// As the servers write them.
func TestFromServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number  uint16
		state   string
		message string
		kind    sdk.Kind
		source  sdk.Source
		retry   bool
	}{
		{1792, "25006", "Cannot execute statement in a READ ONLY transaction", sdk.KindNotReadOnly, sdk.SourceCaller, false},
		{1290, "HY000", "The MySQL server is running with the --read-only option so it cannot execute this statement", sdk.KindNotReadOnly, sdk.SourceCaller, false},
		{1045, "28000", "Access denied for user 'u'@'h' (using password: YES)", sdk.KindUnauthenticated, sdk.SourceHost, false},
		{1040, "08004", "Too many connections", sdk.KindRateLimited, sdk.SourceWarehouse, true},
		{1146, "42S02", "Table 'd.t' doesn't exist", sdk.KindNotFound, sdk.SourceCaller, false},
		{1142, "42000", "SELECT command denied to user 'u'@'h' for table `d`.`t`", sdk.KindDenied, sdk.SourceWarehouse, false},
		{3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded", sdk.KindTimeout, sdk.SourceCaller, true},
		{1205, "HY000", "Lock wait timeout exceeded; try restarting transaction", sdk.KindConflict, sdk.SourceWarehouse, true},
		{1690, "22003", "BIGINT UNSIGNED value is out of range in '(1 - 2)'", sdk.KindInvalid, sdk.SourceCaller, false},
		{1052, "23000", "Column 'id' in field list is ambiguous", sdk.KindSyntax, sdk.SourceCaller, false},
		{9999, "HY000", "Something new", sdk.KindInvalid, sdk.SourceWarehouse, false},
		{9999, "XA100", "Something new", sdk.KindInvalid, sdk.SourceWarehouse, false},
	} {
		native := &mysql.MySQLError{Number: c.number, Message: c.message}
		copy(native.SQLState[:], c.state)
		e := fromServer(native)
		if e.Kind != c.kind || e.Source != c.source || e.Retry != c.retry || e.Hint == "" || e.Msg != c.message || e.Code == "" {
			t.Errorf("%d: %+v", c.number, e)
		}
	}
}

func TestMissingName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number        uint16
		message, want string
	}{
		{1054, "Unknown column 'o.creatd' in 'field list'", "o.creatd"},
		{1054, "Unknown column 'creatd' in 'SELECT'", "creatd"},
		{1109, "Unknown table 'x' in field list", "x"},
		{1052, "Column 'id' in field list is ambiguous", "id"},
		{1146, "Table 'shop.ordres' doesn't exist", "ordres"},
		{1049, "Unknown database 'nowhere'", "nowhere"},
		{1305, "FUNCTION shop.nosuch does not exist", "nosuch"},
		{1142, "SELECT command denied to user 'u'@'127.0.0.1' for table `shop`.`t`", "t"},
		{1142, "SELECT command denied to user 'u'@'%' for table 't'", "t"},
		{1143, "SELECT command denied to user 'u'@'%' for column 'secret' in table 't'", "secret"},
		{1370, "execute command denied to user 'u'@'%' for routine 'shop.f'", "f"},
		{1690, "BIGINT value is out of range in 'x'", ""},
	} {
		if got := missingName(c.number, c.message); got != c.want {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
}

// What ended a statement goes before what the server or the driver says of it.
func TestEnded(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	interrupted := &mysql.MySQLError{Number: errInterrupted, Message: "Query execution was interrupted"}
	syntax := &mysql.MySQLError{Number: errSyntax, Message: "You have an error"}
	connections := (&Session{dialer: &dialer{}}).use(sqlkit.Defaults(sdk.OpenRequest{}))
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		took time.Duration
		kind sdk.Kind
	}{
		{"done", t.Context(), nil, 0, ""},
		{"enough", t.Context(), sdk.ErrLimit, 0, ""},
		{"canceled", canceled, interrupted, 0, sdk.KindCanceled},
		{"canceled without an error", canceled, nil, 0, sdk.KindCanceled},
		{"canceled, and its own error", canceled, syntax, 0, sdk.KindSyntax},
		{"killed by others", t.Context(), interrupted, 0, sdk.KindCanceled},
		{"too long", t.Context(), interrupted, time.Hour, sdk.KindTimeout},
		{"too long without an error", t.Context(), nil, time.Hour, sdk.KindTimeout},
		{"lost", t.Context(), mysql.ErrInvalidConn, 0, sdk.KindUnavailable},
		{"lost before it was used", t.Context(), driver.ErrBadConn, 0, sdk.KindUnavailable},
	} {
		if got := sdk.KindOf(connections.Ended(c.ctx, &conn{socket: &socket{}}, c.err, c.took, time.Minute)); got != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, got, c.kind)
		}
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		product string
		limit   string
		dialect string // its MaxVersion
	}{
		{"10.11.19-MariaDB-0+deb12u1", "MariaDB", "max_statement_time = 1.500", ""},
		{"5.5.5-10.6.1-MariaDB-log", "MariaDB", "max_statement_time = 1.500", ""},
		{"8.0.36-28.1", "MySQL", "max_execution_time = 1500", "8.4"},
		{"9.1.0", "MySQL", "max_execution_time = 1500", ""},
	} {
		s := serverOf(c.version)
		if s.product != c.product || s.timeLimit(1500*time.Millisecond) != c.limit {
			t.Errorf("%s: %s, %s", c.version, s.product, s.timeLimit(1500*time.Millisecond))
		}
	}
}
