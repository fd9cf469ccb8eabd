package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
)

// defaultLogEntries is what a QueryLogRequest without a bound gets.
const defaultLogEntries = 1000

// extensionSQL finds the schema and the version of pg_stat_statements.
const extensionSQL = `
SELECT pg_catalog.quote_ident(n.nspname), x.extversion
FROM pg_catalog.pg_extension x JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace
WHERE x.extname = 'pg_stat_statements'`

// statementsSQL lists the queries that ran in this database; of other statements
// the text may hold passwords. The extension keeps no times of single runs: the
// entries that took longest come first. Before its version 1.8 the column with
// that time has another name.
const statementsSQL = `
SELECT s.queryid, s.query, COALESCE(r.rolname, ''), s.calls, s.%[1]s, s.rows,
  (s.shared_blks_hit + s.shared_blks_read) * pg_catalog.current_setting('block_size')::bigint
FROM %[2]s.pg_stat_statements s LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.userid
WHERE s.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
  AND s.query ~* '^[[:space:](]*(select|with|values|table)[^a-z0-9_]'
ORDER BY s.%[1]s DESC, s.queryid LIMIT %[3]d`

// QueryLog implements sdk.QueryLogger from pg_stat_statements: one entry per
// shape of statement and role, with its constants replaced. Since and Until
// cannot be honoured, because nothing says when a statement ran.
// Errors: KindUnsupported without the extension.
func (s *Session) QueryLog(ctx context.Context, req sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	return s.ask(ctx, s.limit(0), func(r *reading) error {
		var schema, version string
		err := r.query(extensionSQL, nil, func(v [][]byte) error {
			schema, version = string(v[0]), string(v[1])
			return nil
		})
		if err != nil {
			return err
		}
		if schema == "" {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the server keeps no log of queries: the extension pg_stat_statements is missing").
				WithHint("have the administrator add pg_stat_statements to shared_preload_libraries, restart the server and run CREATE EXTENSION pg_stat_statements")
		}
		limit := req.MaxEntries
		if limit <= 0 {
			limit = defaultLogEntries
		}
		elapsed := "total_exec_time"
		if major, minor := extensionVersion(version); major == 1 && minor < 8 {
			elapsed = "total_time"
		}
		return r.query(fmt.Sprintf(statementsSQL, elapsed, schema, limit), nil, func(v [][]byte) error {
			return w.Entry(logEntry(v))
		})
	})
}

func extensionVersion(text string) (major, minor int) {
	// Its versions are all of this form; another one is newer.
	_, _ = fmt.Sscanf(text, "%d.%d", &major, &minor)
	return major, minor
}

// logEntry reads a row of statementsSQL.
func logEntry(v [][]byte) sdk.QueryLogEntry {
	// The sum of all runs, in milliseconds.
	millis, err := strconv.ParseFloat(string(v[4]), 64)
	if err != nil {
		millis = 0
	}
	return sdk.QueryLogEntry{
		QueryID: string(v[0]), Fingerprint: string(v[0]), SQL: string(v[1]), User: string(v[2]),
		Executions: max(number(v[3]), 1), Elapsed: time.Duration(millis * float64(time.Millisecond)),
		Rows: number(v[5]), BytesRead: number(v[6]),
	}
}
