package sqlserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// queryLog writes the queries of the database that the server still has plans of:
// one entry per statement, at the time it last ran.
// Errors: KindDenied when the account may not see them.
func (r *reading) queryLog(ctx context.Context, req *sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	query := strings.NewReplacer("{n}", strconv.Itoa(req.MaxEntries), "{since}", moment(req.Since, "1900-01-01"), "{until}", moment(req.Until, "9999-12-31")).Replace(logSQL)
	err := r.Query(ctx, query, func(row sqlkit.Row) error {
		text := strings.TrimSpace(row.Text(1))
		if word := strings.ToUpper(text[:min(len(text), 6)]); word != "SELECT" && !strings.HasPrefix(word, "WITH") {
			return nil
		}
		hash := fmt.Sprintf("%x", row[0])
		e := sdk.QueryLogEntry{
			QueryID: hash, Fingerprint: hash, SQL: text, Database: r.s.Info.Database,
			Executions: max(row.Int(2, 1), 1), Elapsed: time.Duration(max(row.Int(3, 0), 0)) * time.Microsecond, Rows: row.Int(4, -1), BytesRead: -1,
		}
		e.StartedAt, _ = row[5].(time.Time)
		e.LastSeen, _ = row[6].(time.Time)
		return w.Entry(e)
	})
	if said(err, errNoState, errNoShowplan, 371, 297) {
		right, to := "VIEW SERVER STATE", r.s.Info.CurrentUser
		if r.s.account.azure {
			right, to = "VIEW DATABASE STATE", r.s.account.user
		}
		return nativeError(err).WithHint("GRANT %s TO %s", right, quote(to))
	}
	return err
}

// moment writes a time in UTC.
func moment(t time.Time, open string) string {
	if t.IsZero() {
		return literal(open)
	}
	return literal(t.UTC().Format("2006-01-02T15:04:05.999"))
}
