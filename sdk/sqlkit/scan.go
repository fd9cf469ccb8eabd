package sqlkit

import (
	"context"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Scan writes the tables that a catalogue lists and the request selects. It
// holds their names and keys, and the columns of one table at a time.
// Shape: each table once, with a fingerprint; facets that were not asked for
// are left out. With Catalog.Stamps, a table that is made from the very rows that
// it was made from before is sent as unchanged, and its columns are not read.
// Errors: KindLimit beyond req.MaxObjects; those of query and of w.
func Scan(ctx context.Context, query Queries, c Catalog, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	filter, err := NewFilter(req.Include, req.Exclude, c.Levels)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	s := scanner{catalog: c, req: req, filter: filter, w: w, tables: map[sdk.TableRef]*sdk.Table{}}
	if c.Stamps != "" && s.wants(sdk.FacetColumns) {
		s.marks, s.sources = newMarks(c.Version, &req), map[sdk.TableRef]uint64{}
	}
	w.Progress(sdk.Progress{Phase: "tables", Unit: "tables"})
	if err := query(ctx, c.Tables, s.table); err != nil {
		return s.sum, err
	}
	if err := s.denied.warn(w, c.DeniedCode); err != nil {
		return s.sum, err
	}
	if c.Keys != "" && s.wants(sdk.FacetKeys) {
		if err := query(ctx, c.Keys, s.key); err != nil {
			return s.sum, err
		}
	}
	if s.marks != nil {
		if err := query(ctx, c.Stamps, s.stamp); err != nil {
			return s.sum, err
		}
	}
	if columns := s.columns(); columns != "" {
		if err := query(ctx, columns, s.column); err != nil {
			return s.sum, err
		}
	}
	if err := s.rest(); err != nil {
		return s.sum, err
	}
	if s.marks != nil {
		s.sum.Since = s.marks.token()
	}
	s.sum.Complete = true
	return s.sum, nil
}

type scanner struct {
	catalog Catalog
	req     sdk.ScanRequest
	filter  *Filter
	w       sdk.ScanWriter
	tables  map[sdk.TableRef]*sdk.Table // not yet written
	order   []sdk.TableRef
	current *sdk.Table // whose columns are being read
	denied  denied
	sum     sdk.ScanSummary
	marks   *marks                  // nil when the scan is not incremental
	sources map[sdk.TableRef]uint64 // of tables not yet written
}

func (s *scanner) wants(facet sdk.Facet) bool {
	return len(s.req.Facets) == 0 || slices.Contains(s.req.Facets, facet)
}

func (s *scanner) table(r Row) error {
	ref := r.ref(0)
	if !s.filter.Match(ref) {
		return nil
	}
	if len(r) > tableDenied && s.denied.add(ref, r.Text(tableDenied)) {
		return nil
	}
	if s.req.MaxObjects > 0 && len(s.order) == s.req.MaxObjects {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "there are more than %d tables", s.req.MaxObjects).
			WithHint("narrow the scan with include and exclude, or raise its limit")
	}
	t := &sdk.Table{TableRef: ref, Kind: tableKind(r.Text(3)), RowEstimate: -1, ByteEstimate: -1}
	if s.wants(sdk.FacetComments) {
		t.Comment = r.Text(4)
	}
	if s.wants(sdk.FacetEstimates) {
		t.RowEstimate, t.ByteEstimate = r.Int(5, -1), r.Int(6, -1)
	}
	if s.wants(sdk.FacetDefinitions) {
		t.Definition = r.Text(7)
	}
	t.Properties = r.properties(tableDenied+1, s.catalog.TableProperties)
	s.tables[ref], s.order = t, append(s.order, ref)
	return nil
}

func tableKind(name string) sdk.TableKind {
	switch name {
	case "BASE TABLE", "LOCAL TEMPORARY":
		return sdk.TableBase
	case "VIEW":
		return sdk.TableView
	case "FOREIGN", "EXTERNAL TABLE":
		return sdk.TableExternal
	case "MATERIALIZED VIEW":
		return sdk.TableMaterialized
	default:
		return sdk.TableKind(name)
	}
}

func (s *scanner) key(r Row) error {
	t := s.tables[r.ref(0)]
	if t == nil {
		return nil
	}
	if r.Int(6, 1) == 1 || len(t.Keys) == 0 {
		t.Keys = append(t.Keys, sdk.Key{Kind: keyKind(r.Text(4)), Name: r.Text(3), Enforced: r.Bool(11)})
	}
	k := &t.Keys[len(t.Keys)-1]
	k.Columns = append(k.Columns, r.Text(5))
	if k.Kind == sdk.KeyForeign {
		k.Ref = r.ref(7)
		k.RefColumns = append(k.RefColumns, r.Text(10))
	}
	return nil
}

func keyKind(name string) sdk.KeyKind {
	switch name {
	case "PRIMARY KEY":
		return sdk.KeyPrimary
	case "FOREIGN KEY":
		return sdk.KeyForeign
	case "PARTITION KEY":
		return sdk.KeyPartition
	case "CLUSTER KEY":
		return sdk.KeyCluster
	default:
		return sdk.KeyUnique
	}
}

// stamp writes a table that is as it was.
func (s *scanner) stamp(r Row) error {
	t := s.tables[r.ref(0)]
	if t == nil {
		return nil
	}
	source := s.marks.source(t, r.Text(3))
	fingerprint, ok := s.marks.unchanged(source)
	if !ok {
		s.sources[t.TableRef] = source
		return nil
	}
	delete(s.tables, t.TableRef)
	return s.send(&sdk.Table{
		TableRef: t.TableRef, Kind: t.Kind, Fingerprint: fingerprint, Unchanged: true,
		RowEstimate: t.RowEstimate, ByteEstimate: t.ByteEstimate,
	})
}

// columns returns the query for the columns of the tables that are not yet
// written, "" where none are wanted.
func (s *scanner) columns() string {
	switch {
	case !s.wants(sdk.FacetColumns) || s.marks != nil && len(s.tables) == 0:
		return ""
	case s.catalog.ColumnsOf == nil || len(s.tables) == len(s.order):
		return s.catalog.Columns
	}
	var changed []sdk.TableRef
	for _, ref := range s.order {
		if s.tables[ref] != nil {
			changed = append(changed, ref)
		}
	}
	return s.catalog.ColumnsOf(changed)
}

func (s *scanner) column(r Row) error {
	if s.current == nil || !r.is(s.current.TableRef) {
		if err := s.finish(); err != nil {
			return err
		}
		s.current = s.tables[r.ref(0)]
	}
	if s.current == nil {
		return nil
	}
	native := r.Text(4)
	column := sdk.Column{
		Name: r.Text(3), NativeType: native, Nullable: r.Bool(5), Default: r.Text(6), Generated: r.Bool(8),
		Properties: r.properties(9, s.catalog.ColumnProperties),
	}
	if s.catalog.Type != nil {
		column.Type = s.catalog.Type(native)
	}
	if column.Type == sdk.TypeDecimal {
		column.Precision, column.Scale = precision(native)
	} else {
		digits, _ := precision(native)
		column.TimeDigits = timeDigits(column.Type, digits)
	}
	if s.catalog.Column != nil {
		s.catalog.Column(&column)
	}
	if s.wants(sdk.FacetComments) {
		column.Comment = r.Text(7)
	}
	s.current.Columns = append(s.current.Columns, column)
	return nil
}

// finish writes the table whose columns are complete.
func (s *scanner) finish() error {
	t := s.current
	s.current = nil
	if t == nil {
		return nil
	}
	delete(s.tables, t.TableRef)
	return s.write(t)
}

// rest writes the last table and those without columns.
func (s *scanner) rest() error {
	if err := s.finish(); err != nil {
		return err
	}
	for _, ref := range s.order {
		if t := s.tables[ref]; t != nil {
			if err := s.write(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scanner) write(t *sdk.Table) error {
	t.Fingerprint = Fingerprint(t)
	if err := s.send(t); err != nil {
		return err
	}
	if source, ok := s.sources[t.TableRef]; ok {
		s.marks.sent(source, t.Fingerprint) // which the writer may have set
	}
	return nil
}

func (s *scanner) send(t *sdk.Table) error {
	s.sum.Tables++
	s.sum.Columns += int64(len(t.Columns))
	if s.sum.Tables%100 == 0 {
		s.w.Progress(sdk.Progress{Phase: "tables", Done: s.sum.Tables, Total: int64(len(s.order)), Unit: "tables"})
	}
	return s.w.Table(t)
}
