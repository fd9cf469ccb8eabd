package wire

import (
	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func encodeProfile(id string, r sdk.ProfileRequest) *pb.ProfileRequest {
	return &pb.ProfileRequest{
		ConnectionId: text(id), Table: encodeTableRef(r.Table), Columns: texts(r.Columns), SampleRows: small(r.SampleRows),
		MaxValues: small(r.MaxValues), TopValues: small(r.TopValues), Quantiles: r.Quantiles,
		SketchSize: small(r.SketchSize), Limits: encodeLimits(r.Limits), MaxBytesScanned: r.MaxBytesScanned,
	}
}

func decodeProfile(r *pb.ProfileRequest) sdk.ProfileRequest {
	return sdk.ProfileRequest{
		Table: decodeTableRef(r.GetTable()), Columns: r.GetColumns(), SampleRows: int(r.GetSampleRows()),
		MaxValues: int(r.GetMaxValues()), TopValues: int(r.GetTopValues()), Quantiles: r.GetQuantiles(),
		SketchSize: int(r.GetSketchSize()), Limits: decodeLimits(r.GetLimits()), MaxBytesScanned: r.GetMaxBytesScanned(),
	}
}

func encodeStats(s sdk.ColumnStats) *pb.ColumnStats {
	return &pb.ColumnStats{
		Column: text(s.Column), Rows: s.Rows, Complete: s.Complete, Nulls: s.Nulls,
		Distinct: s.Distinct, DistinctApprox: s.DistinctApprox, Min: optional(s.Min), Max: optional(s.Max),
		Quantiles: texts(s.Quantiles), MinLength: s.MinLength, MaxLength: s.MaxLength, AvgLength: s.AvgLength,
		Values: convert(s.Values, func(v string) []byte { return []byte(v) }), Counts: s.Counts,
		ValuesComplete: s.ValuesComplete, Sketch: s.Sketch,
	}
}

func decodeStats(s *pb.ColumnStats) sdk.ColumnStats {
	return sdk.ColumnStats{
		Column: s.GetColumn(), Rows: s.GetRows(), Complete: s.GetComplete(), Nulls: s.GetNulls(),
		Distinct: s.GetDistinct(), DistinctApprox: s.GetDistinctApprox(), Min: optional(s.Min), Max: optional(s.Max),
		Quantiles: s.GetQuantiles(), MinLength: s.GetMinLength(), MaxLength: s.GetMaxLength(), AvgLength: s.GetAvgLength(),
		Values: convert(s.GetValues(), func(v []byte) string { return string(v) }), Counts: s.GetCounts(),
		ValuesComplete: s.GetValuesComplete(), Sketch: s.GetSketch(),
	}
}

func optional(s *string) *string {
	if s == nil {
		return nil
	}
	return new(text(*s))
}
