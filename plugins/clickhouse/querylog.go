package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// logSQL reads the ends of queries, the failed ones too (types 2 to 4).
const logSQL = `SELECT query_id, query, user, toInt64(toUnixTimestamp(query_start_time)), toInt64(query_duration_ms),
  toInt64(result_rows), toInt64(read_bytes), toInt8(type) > 2, {fingerprint}
FROM system.query_log
WHERE toInt8(type) > 1 AND is_initial_query{since}{until}
ORDER BY query_start_time DESC, event_time DESC
LIMIT {limit}`

// queryLog implements sdk.QueryLogger.
// Errors: KindUnsupported where the server keeps no log.
func (a *asking) queryLog(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	since, until := "", ""
	if !req.Since.IsZero() {
		since = fmt.Sprintf(" AND query_start_time >= toDateTime(%d)", req.Since.Unix())
	}
	if !req.Until.IsZero() {
		until = fmt.Sprintf(" AND query_start_time < toDateTime(%d)", req.Until.Add(time.Second-1).Unix())
	}
	fingerprint := "''"
	if a.session.newer(modern) {
		fingerprint = "toString(normalized_query_hash)"
	}
	sql := strings.NewReplacer("{fingerprint}", fingerprint, "{since}", since, "{until}", until,
		"{limit}", strconv.Itoa(req.MaxEntries)).Replace(logSQL)
	return a.session.noLog(a.session.ask(ctx, a.limit, sql, func(r sqlkit.Row) error {
		return w.Entry(sdk.QueryLogEntry{
			QueryID: r.Text(0), SQL: r.Text(1), User: r.Text(2),
			StartedAt: time.Unix(r.Int(3, 0), 0).UTC(), Elapsed: time.Duration(r.Int(4, 0)) * time.Millisecond,
			Rows: r.Int(5, -1), BytesRead: r.Int(6, -1), Executions: 1, Failed: r.Bool(7), Fingerprint: r.Text(8),
		})
	}))
}

// noLog says what to do where the log is not kept or not to be read.
func (s *Session) noLog(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	switch {
	case ok && e.Code == strconv.Itoa(codeUnknownTable):
		return &sdk.Error{
			Kind: sdk.KindUnsupported, Source: sdk.SourceWarehouse, Code: e.Code, Err: err,
			Msg:  "the server keeps no log of its queries, or has logged none yet",
			Hint: "have the server's administrator set <query_log> in config.xml and log_queries = 1 in the profile",
		}
	case ok && e.Kind == sdk.KindDenied:
		e.Hint = "have the server's administrator run GRANT SELECT ON system.query_log TO " + s.Dialect.QuoteIdentifier(s.Info.CurrentUser)
	}
	return err
}
