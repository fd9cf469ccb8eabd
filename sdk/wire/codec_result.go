package wire

import (
	"time"
	"unicode/utf8"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func encodeExecute(id string, r sdk.ExecuteRequest) (*pb.ExecuteRequest, error) {
	params, err := encodeParams(r.Params)
	if err != nil {
		return nil, err
	}
	if err := checkSQL(r.SQL); err != nil {
		return nil, err
	}
	return &pb.ExecuteRequest{
		ConnectionId: text(id), RequestId: text(r.RequestID), Sql: r.SQL, Params: params,
		Limits: encodeLimits(r.Limits), Tags: textMap(r.Tags),
	}, nil
}

func decodeExecute(r *pb.ExecuteRequest) sdk.ExecuteRequest {
	return sdk.ExecuteRequest{
		RequestID: r.GetRequestId(), SQL: r.GetSql(), Params: convert(r.GetParams(), decodeParam),
		Limits: decodeLimits(r.GetLimits()), Tags: r.GetTags(),
	}
}

// checkSQL refuses what a proto3 string cannot carry. A statement is never
// mended: a changed statement is another statement.
func checkSQL(sql string) error {
	if !utf8.ValidString(sql) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement is not valid UTF-8").
			WithHint("send the statement as UTF-8 text")
	}
	if len(sql) > MaxMessageBytes/2 {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the statement has %d bytes; the limit is %d", len(sql), MaxMessageBytes/2).
			WithHint("send a shorter statement")
	}
	return nil
}

func encodeParams(params []sdk.Value) ([]*pb.Value, error) {
	if params == nil {
		return nil, nil
	}
	out := make([]*pb.Value, len(params))
	for i, param := range params {
		switch v := param.(type) {
		case nil:
			out[i] = &pb.Value{Value: &pb.Value_Null{Null: true}}
		case int64:
			out[i] = &pb.Value{Value: &pb.Value_I64{I64: v}}
		case float64:
			out[i] = &pb.Value{Value: &pb.Value_F64{F64: v}}
		case bool:
			out[i] = &pb.Value{Value: &pb.Value_Boolean{Boolean: v}}
		case []byte:
			out[i] = &pb.Value{Value: &pb.Value_Bytes{Bytes: v}}
		case string:
			if !utf8.ValidString(v) {
				return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "parameter %d is not valid UTF-8", i+1).
					WithHint("send it as bytes")
			}
			out[i] = &pb.Value{Value: &pb.Value_Text{Text: v}}
		default:
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "parameter %d has the unsupported type %T", i+1, param)
		}
	}
	return out, nil
}

func decodeParam(v *pb.Value) sdk.Value {
	switch v := v.GetValue().(type) {
	case *pb.Value_I64:
		return v.I64
	case *pb.Value_F64:
		return v.F64
	case *pb.Value_Text:
		return v.Text
	case *pb.Value_Bytes:
		return v.Bytes
	case *pb.Value_Boolean:
		return v.Boolean
	default:
		return nil
	}
}

func encodeLimits(l sdk.Limits) *pb.Limits {
	return &pb.Limits{
		MaxRows: l.MaxRows, MaxBytes: l.MaxBytes, MaxCellBytes: small(l.MaxCellBytes), TimeoutMs: millis(l.Timeout),
		BatchRows: small(l.BatchRows), BatchBytes: small(l.BatchBytes), MaxBytesScanned: l.MaxBytesScanned,
	}
}

func decodeLimits(l *pb.Limits) sdk.Limits {
	return sdk.Limits{
		MaxRows: l.GetMaxRows(), MaxBytes: l.GetMaxBytes(), MaxCellBytes: int(l.GetMaxCellBytes()),
		Timeout:   duration(l.GetTimeoutMs(), time.Millisecond),
		BatchRows: int(l.GetBatchRows()), BatchBytes: int(l.GetBatchBytes()), MaxBytesScanned: l.GetMaxBytesScanned(),
	}
}

func encodeSummary(s sdk.Summary) *pb.Summary {
	return &pb.Summary{
		Rows: s.Rows, Bytes: s.Bytes, TruncatedBy: text(string(s.TruncatedBy)), CellsClipped: s.CellsClipped,
		ElapsedUs: s.Elapsed.Microseconds(), BytesScanned: s.BytesScanned, WarehouseQueryId: text(s.QueryID),
		BytesBilled: s.BytesBilled,
	}
}

func decodeSummary(s *pb.Summary) sdk.Summary {
	return sdk.Summary{
		Rows: s.GetRows(), Bytes: s.GetBytes(), TruncatedBy: sdk.TruncatedBy(s.GetTruncatedBy()),
		CellsClipped: s.GetCellsClipped(), Elapsed: micros(s.GetElapsedUs()),
		BytesScanned: s.GetBytesScanned(), QueryID: s.GetWarehouseQueryId(), BytesBilled: s.GetBytesBilled(),
	}
}

// batchEncoder turns batches into messages that share their slices. One message
// is used again and again: gRPC has marshalled it when Send returns.
type batchEncoder struct {
	batch   pb.Batch
	vectors []pb.Vector
}

func (e *batchEncoder) encode(b *sdk.Batch) *pb.Batch {
	if len(e.vectors) != len(b.Columns) {
		e.vectors = make([]pb.Vector, len(b.Columns))
		e.batch.Columns = make([]*pb.Vector, len(b.Columns))
		for i := range e.vectors {
			e.batch.Columns[i] = &e.vectors[i]
		}
	}
	e.batch.Rows = small(b.Rows)
	for i := range b.Columns {
		from, to := &b.Columns[i], &e.vectors[i]
		to.Valid, to.I64, to.F64, to.Bits, to.Offsets, to.Data = from.Valid, from.I64, from.F64, from.Bits, from.Offsets, from.Data
		to.Nanos = from.Nanos
	}
	return &e.batch
}

// decodeBatch shares the message's slices. The result is not checked.
func decodeBatch(b *pb.Batch) *sdk.Batch {
	out := &sdk.Batch{Rows: int(b.GetRows()), Columns: make([]sdk.Vector, len(b.GetColumns()))}
	for i, v := range b.GetColumns() {
		out.Columns[i] = sdk.Vector{
			Valid: v.GetValid(), I64: v.GetI64(), F64: v.GetF64(), Bits: v.GetBits(),
			Offsets: v.GetOffsets(), Data: v.GetData(), Nanos: v.GetNanos(),
		}
	}
	return out
}
