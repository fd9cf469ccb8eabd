package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Recorded from PostgreSQL 15 unless the name says otherwise.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		said pgconn.PgError
		want sdk.Error
	}{
		{
			"syntax",
			pgconn.PgError{Code: "42601", Message: `syntax error at or near "FORM"`, Position: 12},
			sdk.Error{Kind: sdk.KindSyntax, Source: sdk.SourceCaller, Msg: `syntax error at or near "FORM"`, Hint: "correct the statement at this place", Pos: sdk.Position{Line: 2, Column: 3}},
		},
		{
			"the server's own hint goes first",
			pgconn.PgError{Code: "42703", Message: `column "idd" does not exist`, Hint: `Perhaps you meant to reference the column "t.id".`, Position: 1},
			sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceCaller, Msg: `column "idd" does not exist`, Hint: `Perhaps you meant to reference the column "t.id".`, Pos: sdk.Position{Line: 1, Column: 1}},
		},
		{
			"detail",
			pgconn.PgError{Code: "22008", Message: "date/time field value out of range", Detail: "more"},
			sdk.Error{Kind: sdk.KindInvalid, Source: sdk.SourceCaller, Msg: "date/time field value out of range: more", Hint: "check the values that the statement computes with"},
		},
		{
			"read-only",
			pgconn.PgError{Code: "25006", Message: "cannot execute INSERT in a read-only transaction"},
			sdk.Error{Kind: sdk.KindNotReadOnly, Source: sdk.SourceCaller, Msg: "cannot execute INSERT in a read-only transaction", Hint: "send a statement that only reads"},
		},
		{
			"privilege",
			pgconn.PgError{Code: "42501", Message: "permission denied for table t"},
			sdk.Error{Kind: sdk.KindDenied, Source: sdk.SourceWarehouse, Msg: "permission denied for table t", Hint: "ask the administrator for the right to read this, or read something else"},
		},
		{
			"password",
			pgconn.PgError{Code: "28P01", Message: `password authentication failed for user "x"`},
			sdk.Error{Kind: sdk.KindUnauthenticated, Source: sdk.SourceHost, Msg: `password authentication failed for user "x"`, Hint: "check user and password of the connection"},
		},
		{
			"deadlock",
			pgconn.PgError{Code: "40P01", Message: "deadlock detected"},
			sdk.Error{Kind: sdk.KindConflict, Source: sdk.SourceWarehouse, Retry: true, Msg: "deadlock detected", Hint: "run the statement again"},
		},
		{
			"standby",
			pgconn.PgError{Code: "40001", Message: "canceling statement due to conflict with recovery"},
			sdk.Error{Kind: sdk.KindConflict, Source: sdk.SourceWarehouse, Retry: true, Msg: "canceling statement due to conflict with recovery", Hint: "run the statement again"},
		},
		{
			"connections",
			pgconn.PgError{Code: "53300", Message: "sorry, too many clients already"},
			sdk.Error{Kind: sdk.KindRateLimited, Source: sdk.SourceWarehouse, Retry: true, Msg: "sorry, too many clients already", Hint: "the server has no free connection: try again later"},
		},
		{
			"starting",
			pgconn.PgError{Code: "57P03", Message: "the database system is starting up"},
			sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceWarehouse, Retry: true, Msg: "the database system is starting up", Hint: "the server is starting or stopping: try again later"},
		},
		{
			"inside",
			pgconn.PgError{Code: "XX000", Message: "cache lookup failed for type 0"},
			sdk.Error{Kind: sdk.KindInternal, Source: sdk.SourceWarehouse, Msg: "cache lookup failed for type 0", Hint: "the server failed inside: tell its administrator"},
		},
		{
			"a state that nobody knows",
			pgconn.PgError{Code: "ZZ999", Message: "odd"},
			sdk.Error{Kind: sdk.KindInvalid, Source: sdk.SourceWarehouse, Msg: "odd", Hint: "check the statement; if it is right, tell the server's administrator"},
		},
		{
			"a function that returned what it may not",
			pgconn.PgError{Code: "39004", Message: "null value not allowed"},
			sdk.Error{Kind: sdk.KindInvalid, Source: sdk.SourceWarehouse, Msg: "null value not allowed", Hint: "a function of the database failed: answer the question without it"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := serverError(fmt.Errorf("while reading: %w", &c.said), "SELECT 1\n  FORM t")
			got, ok := errors.AsType[*sdk.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			c.want.Code = c.said.Code
			if diff := cmp.Diff(c.want, *got, cmpopts.IgnoreFields(sdk.Error{}, "Err")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !errors.Is(err, &c.said) {
				t.Error("the server's own words are lost")
			}
		})
	}
}

// Every line of the tables has all that an error needs.
func TestErrorTables(t *testing.T) {
	t.Parallel()
	kinds := map[sdk.Kind]bool{}
	for _, k := range sdk.Kinds() {
		kinds[k] = true
	}
	check := func(key string, length int, v sqlkit.Verdict) {
		if len(key) != length || !kinds[v.Kind] || v.Source == "" {
			t.Errorf("%s: %+v", key, v)
		}
	}
	for state, v := range states {
		check(state, 5, v)
	}
	for class, v := range classes {
		check(class, 2, v)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	canceled := &pgconn.PgError{Code: "57014", Message: "canceling statement"}
	denied := &pgconn.PgError{Code: "42501", Message: "permission denied"}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithTimeout(context.Background(), 0)
	defer cancelLate()
	const limit = time.Minute
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		took time.Duration
		kind sdk.Kind
	}{
		{"the caller cancelled", over, canceled, time.Second, sdk.KindCanceled},
		{"the caller's deadline", late, canceled, time.Second, sdk.KindTimeout},
		{"the caller cancelled, the server was faster", over, denied, time.Second, sdk.KindDenied},
		{"the caller cancelled, the connection broke", over, io.ErrUnexpectedEOF, time.Second, sdk.KindCanceled},
		{"the server's time limit", context.Background(), canceled, limit, sdk.KindTimeout},
		{"another one cancelled", context.Background(), canceled, time.Second, sdk.KindCanceled},
		{"the connection broke", context.Background(), io.ErrUnexpectedEOF, time.Second, sdk.KindUnavailable},
		{"a row of a gigabyte", context.Background(), fmt.Errorf("receive: %w", &pgproto3.ExceededMaxBodyLenErr{MaxExpectedBodyLen: 1, ActualBodyLen: 2}), 0, sdk.KindLimit},
		{"known already", context.Background(), sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "no"), 0, sdk.KindNotReadOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := readError(c.ctx, c.err, c.took, limit)
			if sdk.KindOf(err) != c.kind {
				t.Errorf("got %v (%s), want %s", err, sdk.KindOf(err), c.kind)
			}
		})
	}
}

// The patterns of the denied functions are all well-formed and in lower case.
func TestDeniedFunctions(t *testing.T) {
	t.Parallel()
	dialects := Dialects()
	s := &Session{}
	s.Dialect = &dialects[len(dialects)-1]
	for _, sql := range []string{
		"SELECT dblink_exec('x')", `SELECT "dblink_exec"('x')`, "SELECT DBLINK_exec ('x')", "SELECT pg_catalog.lo_create(1)",
		"SELECT pg_advisory_lock/* */(1)", `SELECT U&"\0064blink"('x')`, `SELECT U&"!0064blink" UESCAPE '!' ('x')`,
		"SELECT query_to_xml('x', true, true, '')", "WITH x AS (SELECT set_config('a', 'b', true)) SELECT 1",
		`SELECT U&"dblink" FROM t`,
	} {
		if _, err := s.parse(sql); sdk.KindOf(err) != sdk.KindNotReadOnly {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT dblink FROM t", "SELECT 'dblink(1)'", "SELECT 1 -- dblink(1)", `SELECT "dblink" FROM t`, "SELECT count(*) AS lo_create, (1)",
	} {
		if _, err := s.parse(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
