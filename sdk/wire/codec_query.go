package wire

import (
	"time"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// maxLoggedSQL bounds one statement of a query log; a longer one is cut, with
// an ellipsis at its end.
const maxLoggedSQL = 1 << 20

func encodeExplain(id string, r sdk.ExplainRequest) (*pb.ExplainRequest, error) {
	params, err := encodeParams(r.Params)
	if err != nil {
		return nil, err
	}
	if err := checkSQL(r.SQL); err != nil {
		return nil, err
	}
	return &pb.ExplainRequest{ConnectionId: text(id), Sql: r.SQL, Params: params, TimeoutMs: millis(r.Timeout)}, nil
}

func decodeExplain(r *pb.ExplainRequest) sdk.ExplainRequest {
	return sdk.ExplainRequest{
		SQL: r.GetSql(), Params: convert(r.GetParams(), decodeParam),
		Timeout: duration(r.GetTimeoutMs(), time.Millisecond),
	}
}

func encodeExplanation(e sdk.Explanation) *pb.ExplainResponse {
	return &pb.ExplainResponse{
		Format: text(e.Format), Text: text(e.Text), EstimatedRows: e.EstimatedRows,
		EstimatedBytes: e.EstimatedBytes, EstimatedCostUsd: e.EstimatedCostUSD,
	}
}

func decodeExplanation(e *pb.ExplainResponse) sdk.Explanation {
	return sdk.Explanation{
		Format: e.GetFormat(), Text: e.GetText(), EstimatedRows: e.GetEstimatedRows(),
		EstimatedBytes: e.GetEstimatedBytes(), EstimatedCostUSD: e.GetEstimatedCostUsd(),
	}
}

func encodeValidate(id string, r sdk.ValidateRequest) (*pb.ValidateRequest, error) {
	if err := checkSQL(r.SQL); err != nil {
		return nil, err
	}
	return &pb.ValidateRequest{ConnectionId: text(id), Sql: r.SQL, TimeoutMs: millis(r.Timeout)}, nil
}

func decodeValidate(r *pb.ValidateRequest) sdk.ValidateRequest {
	return sdk.ValidateRequest{SQL: r.GetSql(), Timeout: duration(r.GetTimeoutMs(), time.Millisecond)}
}

func encodeValidation(v sdk.Validation) *pb.ValidateResponse {
	return &pb.ValidateResponse{
		Columns: convert(v.Columns, encodeColumn), Warnings: convert(v.Warnings, encodeWarning),
		StatementType: text(v.StatementType), Tables: convert(v.Tables, encodeListed),
		EstimatedBytes: v.EstimatedBytes, Estimate: text(string(v.Estimate)),
	}
}

func decodeValidation(v *pb.ValidateResponse) sdk.Validation {
	return sdk.Validation{
		Columns: convert(v.GetColumns(), decodeColumn), Warnings: convert(v.GetWarnings(), decodeWarning),
		StatementType: v.GetStatementType(), Tables: convert(v.GetTables(), decodeTableRef),
		EstimatedBytes: v.GetEstimatedBytes(), Estimate: sdk.Estimate(v.GetEstimate()),
	}
}

// encodeListed is encodeTableRef for a list, which cannot hold nil.
func encodeListed(r sdk.TableRef) *pb.TableRef {
	return &pb.TableRef{Catalog: text(r.Catalog), Schema: text(r.Schema), Name: text(r.Name)}
}

func encodeQueryLog(id string, r sdk.QueryLogRequest) *pb.QueryLogRequest {
	return &pb.QueryLogRequest{
		ConnectionId: text(id), SinceUnixUs: unixMicros(r.Since), UntilUnixUs: unixMicros(r.Until), MaxEntries: small(r.MaxEntries),
	}
}

func decodeQueryLog(r *pb.QueryLogRequest) sdk.QueryLogRequest {
	return sdk.QueryLogRequest{
		Since: timeOf(r.GetSinceUnixUs()), Until: timeOf(r.GetUntilUnixUs()), MaxEntries: int(r.GetMaxEntries()),
	}
}

func encodeLogEntry(e sdk.QueryLogEntry) *pb.QueryLogEntry {
	sql := []byte(e.SQL)
	if len(sql) > maxLoggedSQL {
		sql = []byte(cut(e.SQL, maxLoggedSQL))
	}
	return &pb.QueryLogEntry{
		QueryId: text(e.QueryID), Sql: sql, User: text(e.User), StartedUnixUs: unixMicros(e.StartedAt),
		ElapsedUs: e.Elapsed.Microseconds(), Rows: e.Rows, BytesRead: e.BytesRead, Executions: e.Executions,
		Fingerprint: text(e.Fingerprint), Failed: e.Failed,
		Database: text(e.Database), SearchPath: texts(e.SearchPath), Normalised: e.Normalised,
		Truncated:      e.Truncated || len(e.SQL) > maxLoggedSQL,
		LastSeenUnixUs: unixMicros(e.LastSeen), Application: text(e.Application), BytesBilled: e.BytesBilled,
	}
}

func decodeLogEntry(e *pb.QueryLogEntry) sdk.QueryLogEntry {
	return sdk.QueryLogEntry{
		QueryID: e.GetQueryId(), SQL: string(e.GetSql()), User: e.GetUser(), StartedAt: timeOf(e.GetStartedUnixUs()),
		Elapsed: micros(e.GetElapsedUs()), Rows: e.GetRows(), BytesRead: e.GetBytesRead(), Executions: e.GetExecutions(),
		Fingerprint: e.GetFingerprint(), Failed: e.GetFailed(),
		Database: e.GetDatabase(), SearchPath: e.GetSearchPath(), Normalised: e.GetNormalised(), Truncated: e.GetTruncated(),
		LastSeen: timeOf(e.GetLastSeenUnixUs()), Application: e.GetApplication(), BytesBilled: e.GetBytesBilled(),
	}
}
