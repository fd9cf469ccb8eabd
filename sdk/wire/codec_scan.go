package wire

import (
	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func encodeTableRef(r sdk.TableRef) *pb.TableRef {
	if r == (sdk.TableRef{}) {
		return nil
	}
	return &pb.TableRef{Catalog: text(r.Catalog), Schema: text(r.Schema), Name: text(r.Name)}
}

func decodeTableRef(r *pb.TableRef) sdk.TableRef {
	return sdk.TableRef{Catalog: r.GetCatalog(), Schema: r.GetSchema(), Name: r.GetName()}
}

func encodeScan(id string, r sdk.ScanRequest) *pb.ScanRequest {
	return &pb.ScanRequest{
		ConnectionId: text(id), Include: texts(r.Include), Exclude: texts(r.Exclude),
		Facets: convert(r.Facets, func(f sdk.Facet) string { return text(string(f)) }),
		Since:  text(r.Since), MaxObjects: small(r.MaxObjects), MaxBytesScanned: r.MaxBytesScanned,
	}
}

func decodeScan(r *pb.ScanRequest) sdk.ScanRequest {
	return sdk.ScanRequest{
		Include: r.GetInclude(), Exclude: r.GetExclude(),
		Facets: convert(r.GetFacets(), func(f string) sdk.Facet { return sdk.Facet(f) }),
		Since:  r.GetSince(), MaxObjects: int(r.GetMaxObjects()), MaxBytesScanned: r.GetMaxBytesScanned(),
	}
}

func encodeTable(t *sdk.Table) *pb.Table {
	return &pb.Table{
		Ref: encodeTableRef(t.TableRef), Kind: text(string(t.Kind)), Comment: text(t.Comment),
		Columns: convert(t.Columns, encodeColumn), Keys: convert(t.Keys, encodeKey),
		RowEstimate: t.RowEstimate, ByteEstimate: t.ByteEstimate, Definition: text(t.Definition),
		Fingerprint: text(t.Fingerprint), Unchanged: t.Unchanged, Properties: textMap(t.Properties),
	}
}

func decodeTable(t *pb.Table) *sdk.Table {
	return &sdk.Table{
		TableRef: decodeTableRef(t.GetRef()), Kind: sdk.TableKind(t.GetKind()), Comment: t.GetComment(),
		Columns: convert(t.GetColumns(), decodeColumn), Keys: convert(t.GetKeys(), decodeKey),
		RowEstimate: t.GetRowEstimate(), ByteEstimate: t.GetByteEstimate(), Definition: t.GetDefinition(),
		Fingerprint: t.GetFingerprint(), Unchanged: t.GetUnchanged(), Properties: t.GetProperties(),
	}
}

func encodeKey(k sdk.Key) *pb.Key {
	return &pb.Key{
		Kind: pb.Key_Kind(k.Kind), Name: text(k.Name), Columns: texts(k.Columns), Ref: encodeTableRef(k.Ref),
		RefColumns: texts(k.RefColumns), Enforced: k.Enforced,
	}
}

func decodeKey(k *pb.Key) sdk.Key {
	kind := sdk.KeyKind(0) // of a later minor version
	if k.GetKind() > 0 && k.GetKind() <= pb.Key_KIND_CLUSTER {
		kind = sdk.KeyKind(k.GetKind())
	}
	return sdk.Key{
		Kind: kind, Name: k.GetName(), Columns: k.GetColumns(), Ref: decodeTableRef(k.GetRef()),
		RefColumns: k.GetRefColumns(), Enforced: k.GetEnforced(),
	}
}

func encodeColumn(c sdk.Column) *pb.Column {
	return &pb.Column{
		Name: text(c.Name), Type: pb.Type(c.Type), NativeType: text(c.NativeType), Nullable: c.Nullable,
		Precision: small(c.Precision), Scale: encodeScale(c.Scale), Comment: text(c.Comment), DefaultExpr: text(c.Default),
		Generated: c.Generated, Properties: textMap(c.Properties),
		Fields: convert(c.Fields, encodeColumn), TimeDigits: small(c.TimeDigits), Repeated: c.Repeated,
	}
}

func decodeColumn(c *pb.Column) sdk.Column {
	return sdk.Column{
		Name: c.GetName(), Type: decodeType(c.GetType()), NativeType: c.GetNativeType(), Nullable: c.GetNullable(),
		Precision: int(c.GetPrecision()), Scale: int(int32(c.GetScale())), Comment: c.GetComment(), Default: c.GetDefaultExpr(),
		Generated: c.GetGenerated(), Properties: c.GetProperties(),
		Fields: convert(c.GetFields(), decodeColumn), TimeDigits: int(c.GetTimeDigits()), Repeated: c.GetRepeated(),
	}
}

// encodeScale keeps a negative scale (a decimal that is rounded to hundreds) as
// its two's complement.
func encodeScale(n int) uint32 { return uint32(int32(n)) }

func decodeType(t pb.Type) sdk.Type {
	if t <= 0 || t > pb.Type_TYPE_NESTED_JSON {
		return sdk.TypeText
	}
	return sdk.Type(t)
}

func encodeScanSummary(s sdk.ScanSummary) *pb.ScanDone {
	return &pb.ScanDone{Tables: s.Tables, Columns: s.Columns, Since: text(s.Since), Complete: s.Complete, BytesBilled: s.BytesBilled}
}

func decodeScanSummary(s *pb.ScanDone) sdk.ScanSummary {
	return sdk.ScanSummary{Tables: s.GetTables(), Columns: s.GetColumns(), Since: s.GetSince(), Complete: s.GetComplete(), BytesBilled: s.GetBytesBilled()}
}

func encodeProgress(p sdk.Progress) *pb.Progress {
	return &pb.Progress{Phase: text(p.Phase), Done: p.Done, Total: p.Total, Unit: text(p.Unit), Message: text(p.Message)}
}

func decodeProgress(p *pb.Progress) sdk.Progress {
	return sdk.Progress{
		Phase: cut(p.GetPhase(), maxShortText), Done: p.GetDone(), Total: p.GetTotal(),
		Unit: cut(p.GetUnit(), maxShortText), Message: cut(p.GetMessage(), maxHint),
	}
}

func encodeWarning(w sdk.Warning) *pb.Warning {
	return &pb.Warning{Object: text(w.Object), Code: text(w.Code), Message: text(w.Message)}
}

func decodeWarning(w *pb.Warning) sdk.Warning {
	return sdk.Warning{
		Object: cut(w.GetObject(), maxErrorText), Code: cut(w.GetCode(), maxShortText), Message: cut(w.GetMessage(), maxErrorText),
	}
}
