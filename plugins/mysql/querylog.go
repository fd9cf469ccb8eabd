package mysql

import (
	"context"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const logStateSQL = "SELECT @@performance_schema, (SELECT COUNT(*) FROM performance_schema.setup_consumers WHERE NAME = 'statements_digest' AND ENABLED = 'YES')"

// digestsSQL lists the queries of tables that ran in the databases; of other
// statements the text may hold passwords. Times are in picoseconds.
const digestsSQL = `SELECT DIGEST, DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT, SUM_ROWS_SENT, UNIX_TIMESTAMP(LAST_SEEN), SUM_ERRORS
FROM performance_schema.events_statements_summary_by_digest
WHERE SCHEMA_NAME IN (%s) AND DIGEST_TEXT REGEXP '^[[:space:](]*(SELECT|WITH|VALUES|TABLE)[^A-Z0-9_]' AND LAST_SEEN >= %s AND FIRST_SEEN <= %s
  AND DIGEST_TEXT LIKE '%% FROM %%' AND DIGEST_TEXT NOT REGEXP '(information|performance)_schema'
ORDER BY LAST_SEEN DESC, DIGEST LIMIT %d`

// queryLog implements sdk.QueryLogger from the performance schema: one entry per
// shape of statement, with its constants replaced, at the time it was last seen.
// MariaDB counts no prepared statements.
// Errors: KindUnsupported when the server keeps none, KindDenied when the account
// may not see it.
func (r *reading) queryLog(_ context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	if err := r.logState(); err != nil {
		return err
	}
	args := []any{literals(r.s.cfg.schemas()), moment(req.Since, "1970-01-01"), moment(req.Until, "9999-01-01"), req.MaxEntries}
	return r.queryf(digestsSQL, args, func(row sqlkit.Row) error { return w.Entry(logEntry(row)) })
}

// logState reports why there is no log.
func (r *reading) logState() error {
	const grant = "GRANT SELECT ON performance_schema.* TO %s"
	on := false
	err := r.query(logStateSQL, func(row sqlkit.Row) error {
		on = row.Text(0) == "1" && row.Text(1) == "1"
		return nil
	})
	if said(err, errTableDenied, errDatabaseDenied, 1227) {
		native, _ := asServerError(err)
		return fromServer(native).WithHint(grant, accountName(r.s.Info.CurrentUser))
	}
	if err != nil {
		return err
	}
	if !on {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the server keeps no log of queries: its performance schema is off").
			WithHint("have the administrator start the server with performance_schema=ON and run UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = 'statements_digest'")
	}
	return nil
}

// moment writes a time in UTC, which the session is in.
func moment(t time.Time, open string) string {
	if t.IsZero() {
		return literal(open)
	}
	return literal(t.UTC().Format("2006-01-02 15:04:05.999999"))
}

// logEntry reads a row of digestsSQL.
func logEntry(row sqlkit.Row) sdk.QueryLogEntry {
	seconds, err := strconv.ParseFloat(row.Text(5), 64)
	e := sdk.QueryLogEntry{
		QueryID: row.Text(0), Fingerprint: row.Text(0), SQL: row.Text(1), Executions: max(row.Int(2, -1), 1),
		Elapsed: time.Duration(max(row.Int(3, -1), 0) / 1000), Rows: row.Int(4, -1), BytesRead: -1, Failed: row.Int(6, -1) > 0 && row.Int(6, -1) == row.Int(2, -1),
	}
	if err == nil {
		e.StartedAt = time.UnixMicro(int64(seconds * 1e6)).UTC()
	}
	return e
}
