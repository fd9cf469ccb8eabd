package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
)

// extensionSQL finds the schema and the version of pg_stat_statements.
const extensionSQL = `
SELECT pg_catalog.quote_ident(n.nspname), x.extversion
FROM pg_catalog.pg_extension x JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace
WHERE x.extname = 'pg_stat_statements'`

// statementsSQL lists the queries that ran in this database, of those whose
// statistics may be of a time between $1 and $2; of other statements the text may
// hold passwords. Without times, those that took longest come first.
const statementsSQL = `
SELECT s.queryid, s.query, COALESCE(r.rolname, ''), s.calls, s.%[1]s, s.rows,
  (s.shared_blks_hit + s.shared_blks_read) * pg_catalog.current_setting('block_size')::bigint,
  pg_catalog.to_char(%[2]s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM %[3]s.pg_stat_statements s LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.userid
WHERE s.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
  AND s.query ~* '^[[:space:](]*(select|with|values|table)[^a-z0-9_]'
  AND ($1::timestamp with time zone IS NULL OR pg_catalog.clock_timestamp() >= $1)
  AND ($2::timestamp with time zone IS NULL OR %[2]s IS NULL OR %[2]s < $2)
ORDER BY %[2]s DESC, s.%[1]s DESC, s.queryid LIMIT %[4]d`

// queryLog implements sdk.QueryLogger from pg_stat_statements: one entry per
// shape of statement and role, with its constants replaced, that stands for all
// runs since StartedAt. The extension keeps no times of single runs. So Since
// leaves out nothing but a time to come: every entry may have run since. Until
// leaves out what was first seen later, from PostgreSQL 17 on; before, StartedAt
// is zero, and nothing is left out.
// Errors: KindUnsupported without the extension.
func (r *reading) queryLog(_ context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
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
	elapsed, began := logColumns(version)
	sql := fmt.Sprintf(statementsSQL, elapsed, began, schema, req.MaxEntries)
	return r.query(sql, [][]byte{instant(req.Since), instant(req.Until)}, func(v [][]byte) error {
		entry, err := logEntry(v)
		if err != nil {
			return err
		}
		return w.Entry(entry)
	})
}

// logColumns returns the columns with the time of all runs and with the time of
// the first, NULL where there is none.
// Source: the extension's update scripts, 1.7 to 1.8 and 1.10 to 1.11.
func logColumns(version string) (elapsed, began string) {
	var major, minor int
	// Its versions are all of this form; another one is newer.
	_, _ = fmt.Sscanf(version, "%d.%d", &major, &minor)
	elapsed, began = "total_exec_time", "s.stats_since"
	if major == 1 && minor < 8 {
		elapsed = "total_time"
	}
	if major == 1 && minor < 11 {
		began = "NULL::timestamp with time zone"
	}
	return elapsed, began
}

// instant is a parameter; the zero time is NULL.
func instant(t time.Time) []byte {
	if t.IsZero() {
		return nil
	}
	return []byte(t.UTC().Format(time.RFC3339Nano))
}

// logEntry reads a row of statementsSQL.
func logEntry(v [][]byte) (sdk.QueryLogEntry, error) {
	// The sum of all runs, in milliseconds.
	millis, err := strconv.ParseFloat(string(v[4]), 64)
	if err != nil {
		return sdk.QueryLogEntry{}, err
	}
	var began time.Time
	if v[7] != nil {
		if began, err = time.Parse(time.RFC3339Nano, string(v[7])); err != nil {
			return sdk.QueryLogEntry{}, err
		}
	}
	return sdk.QueryLogEntry{
		QueryID: string(v[0]), Fingerprint: string(v[0]), SQL: string(v[1]), User: string(v[2]), StartedAt: began,
		Executions: max(number(v[3]), 1), Elapsed: time.Duration(millis * float64(time.Millisecond)),
		Rows: number(v[5]), BytesRead: number(v[6]),
	}, nil
}
