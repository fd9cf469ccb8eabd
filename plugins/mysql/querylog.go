package mysql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
)

// defaultLogEntries is what a QueryLogRequest without a bound gets.
const defaultLogEntries = 1000

const logStateSQL = "SELECT @@performance_schema, (SELECT COUNT(*) FROM performance_schema.setup_consumers WHERE NAME = 'statements_digest' AND ENABLED = 'YES')"

// digestsSQL lists the queries of tables that ran in the databases; of other
// statements the text may hold passwords. Times are in picoseconds.
const digestsSQL = `SELECT DIGEST, DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT, SUM_ROWS_SENT, UNIX_TIMESTAMP(LAST_SEEN), SUM_ERRORS
FROM performance_schema.events_statements_summary_by_digest
WHERE SCHEMA_NAME IN (%s) AND DIGEST_TEXT REGEXP '^[[:space:](]*(SELECT|WITH|VALUES|TABLE)[^A-Z0-9_]' AND LAST_SEEN >= %s AND FIRST_SEEN <= %s
  AND DIGEST_TEXT LIKE '%% FROM %%' AND DIGEST_TEXT NOT REGEXP '(information|performance)_schema'
ORDER BY LAST_SEEN DESC, DIGEST LIMIT %d`

// QueryLog implements sdk.QueryLogger from the performance schema: one entry per
// shape of statement, with its constants replaced, at the time it was last seen.
// MariaDB counts no prepared statements.
// Errors: KindUnsupported when the server keeps none, KindDenied when the account
// may not see it.
func (s *Session) QueryLog(ctx context.Context, req sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	limit := req.MaxEntries
	if limit <= 0 {
		limit = defaultLogEntries
	}
	return s.calls.Run(ctx, 0, 0, func(ctx context.Context) error {
		return s.read(ctx, s.limit(0), func(r *reading) error {
			if err := r.logState(); err != nil {
				return err
			}
			args := []any{literals(s.cfg.schemas()), moment(req.Since, "1970-01-01"), moment(req.Until, "9999-01-01"), limit}
			return r.queryf(digestsSQL, args, func(row []driver.Value) error { return w.Entry(logEntry(row)) })
		})
	})
}

// logState reports why there is no log.
func (r *reading) logState() error {
	const grant = "GRANT SELECT ON performance_schema.* TO %s"
	on := false
	err := r.query(logStateSQL, func(row []driver.Value) error {
		on = text(row[0]) == "1" && text(row[1]) == "1"
		return nil
	})
	if said(err, errTableDenied, errDatabaseDenied, 1227) {
		native, _ := asServerError(err)
		return fromServer(native).WithHint(grant, accountName(r.s.info.CurrentUser))
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
func logEntry(row []driver.Value) sdk.QueryLogEntry {
	count := func(i int) int64 {
		n, err := strconv.ParseInt(fmt.Sprint(text(row[i])), 10, 64)
		if err != nil {
			return -1
		}
		return n
	}
	seconds, err := strconv.ParseFloat(text(row[5]), 64)
	e := sdk.QueryLogEntry{
		QueryID: text(row[0]), Fingerprint: text(row[0]), SQL: text(row[1]), Executions: max(count(2), 1),
		Elapsed: time.Duration(max(count(3), 0) / 1000), Rows: count(4), BytesRead: -1, Failed: count(6) > 0 && count(6) == count(2),
	}
	if err == nil {
		e.StartedAt = time.UnixMicro(int64(seconds * 1e6)).UTC()
	}
	return e
}
