package snowflake

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// historySQL lists the queries of a database's sessions of the last seven days, those
// that the role may see. Times are in milliseconds.
const historySQL = `SELECT query_id, query_text, user_name, DATE_PART(EPOCH_MILLISECOND, start_time), total_elapsed_time, rows_produced, bytes_scanned,
  execution_status, query_hash, database_name, schema_name, query_tag
FROM TABLE(%s.information_schema.query_history(END_TIME_RANGE_START => TO_TIMESTAMP_LTZ(%d, 3), %sRESULT_LIMIT => %d))
WHERE query_type = 'SELECT' AND database_name IS NOT NULL ORDER BY start_time DESC LIMIT %d`

const (
	// kept is how long the function looks back.
	kept = 7 * 24 * time.Hour
	// maxEntries is how many entries the function looks at, those of other types too.
	maxEntries = 10_000
)

// queryLog implements sdk.QueryLogger.
func (r *reading) queryLog(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	since, until := time.Now().Add(time.Minute-kept), ""
	if req.Since.After(since) {
		since = req.Since
	}
	if !req.Until.IsZero() { // without it, now by the service's clock
		until = fmt.Sprintf("END_TIME_RANGE_END => TO_TIMESTAMP_LTZ(%d, 3), ", req.Until.UnixMilli())
		if req.Until.Before(since) {
			return nil
		}
	}
	sql := fmt.Sprintf(historySQL, quote(r.s.cfg.Database), since.UnixMilli(), until, maxEntries, req.MaxEntries)
	return r.query(ctx, sql, func(row sqlkit.Row) error { return w.Entry(logEntry(row)) })
}

// logEntry reads a row of historySQL.
func logEntry(row sqlkit.Row) sdk.QueryLogEntry {
	e := sdk.QueryLogEntry{
		QueryID: row.Text(0), SQL: row.Text(1), User: row.Text(2), StartedAt: time.UnixMilli(row.Int(3, 0)).UTC(),
		Elapsed: time.Duration(row.Int(4, 0)) * time.Millisecond, Rows: row.Int(5, -1), BytesRead: row.Int(6, -1), Executions: 1,
		Failed: strings.HasPrefix(strings.ToUpper(row.Text(7)), "FAIL"), Fingerprint: row.Text(8), Database: row.Text(9), Application: row.Text(11),
	}
	if schema := row.Text(10); schema != "" {
		e.SearchPath = []string{schema}
	}
	return e
}
