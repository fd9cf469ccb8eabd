package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// blockBytes is the size of a page of nearly every server: the estimates are
	// not worth a question. Source: BLCKSZ.
	blockBytes = 8192
	// maxUnreadable is how many tables a scan warns about one by one.
	maxUnreadable = 100
	progressEvery = 100 // tables
)

// Scan implements sdk.Session. It sees one state of the catalogue, keeps the
// relations and their keys, and streams the columns.
func (s *Session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	ctx, leave, err := s.calls.Begin(ctx)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	defer leave()
	filter, err := sqlkit.NewFilter(req.Include, req.Exclude, len(s.dialect.Namespace)+1)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	scan := &scan{req: req, filter: filter, w: w, byOID: map[uint32]*relation{}, denied: map[string]int{}}
	err = s.read(ctx, beginSnapshot, s.limit(0), func(r *reading) error {
		scan.r = r
		return scan.run()
	})
	scan.sum.Complete = err == nil
	return scan.sum, err
}

// scan is a scan under way.
type scan struct {
	r      *reading
	req    sdk.ScanRequest
	filter *sqlkit.Filter
	w      sdk.ScanWriter
	sum    sdk.ScanSummary

	relations []*relation // in the order of their OIDs
	byOID     map[uint32]*relation
	written   int // relations written, in their order
	types     map[uint32]sdk.Type
	denied    map[string]int // tables left out, by schema
	unread    int            // tables warned about
}

type relation struct {
	oid   uint32
	table sdk.Table
}

func (s *scan) wants(f sdk.Facet) bool {
	return len(s.req.Facets) == 0 || slices.Contains(s.req.Facets, f)
}

func (s *scan) run() error {
	s.w.Progress(sdk.Progress{Phase: "tables", Unit: "tables"})
	params := [][]byte{textList(s.r.s.cfg.Schemas), boolean(s.wants(sdk.FacetDefinitions)), boolean(s.wants(sdk.FacetComments))}
	if err := s.r.query(relationsSQL, params, s.relation); err != nil {
		return err
	}
	if err := s.warnSchemas(); err != nil {
		return err
	}
	oids := make([]string, len(s.relations))
	for i, rel := range s.relations {
		oids[i] = strconv.FormatUint(uint64(rel.oid), 10)
	}
	if s.wants(sdk.FacetKeys) {
		if err := s.r.query(keysSQL, [][]byte{list(oids)}, s.key); err != nil {
			return err
		}
	}
	if s.wants(sdk.FacetColumns) {
		if err := s.columnTypes(list(oids)); err != nil {
			return err
		}
		if err := s.r.query(columnsSQL, [][]byte{list(oids), boolean(s.wants(sdk.FacetComments))}, s.column); err != nil {
			return err
		}
	}
	return s.writeUntil(len(s.relations))
}

var tableKinds = map[string]sdk.TableKind{
	"r": sdk.TableBase, "v": sdk.TableView, "m": sdk.TableMaterialized, "f": sdk.TableExternal, "p": sdk.TablePartitioned,
}

// relation reads a row of relationsSQL.
func (s *scan) relation(v [][]byte) error {
	rel := &relation{oid: parseOID(v[0]), table: sdk.Table{
		TableRef: sdk.TableRef{Schema: string(v[1]), Name: string(v[2])}, Kind: tableKinds[string(v[3])],
		Comment: string(v[4]), RowEstimate: -1, ByteEstimate: -1, Definition: string(v[7]),
	}}
	t := &rel.table
	if !s.filter.Match(t.TableRef) {
		return nil
	}
	switch {
	case string(v[12]) != "t":
		s.denied[t.Schema]++
		return nil
	case string(v[13]) != "t":
		return s.warnTable(t.TableRef)
	case s.req.MaxObjects > 0 && len(s.relations) == s.req.MaxObjects:
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "there are more than %d tables", s.req.MaxObjects).
			WithHint("narrow the scan with include and exclude, or raise its limit")
	}
	if s.wants(sdk.FacetEstimates) {
		t.RowEstimate = number(v[5])
		if pages := number(v[6]); pages >= 0 {
			t.ByteEstimate = pages * blockBytes
		}
	}
	for name, value := range map[string]string{
		"partition_by": string(v[8]), "foreign_server": string(v[9]), "unlogged": flag(v[10]), "row_security": flag(v[11]),
	} {
		if value != "" {
			if t.Properties == nil {
				t.Properties = map[string]string{}
			}
			t.Properties[name] = value
		}
	}
	s.relations, s.byOID[rel.oid] = append(s.relations, rel), rel
	return nil
}

// number reads an integer of the server's own; -1 for what is none.
func number(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

func flag(text []byte) string {
	if string(text) == "t" {
		return "true"
	}
	return ""
}

func boolean(b bool) []byte { return strconv.AppendBool(nil, b) }

const deniedCode = "42501" // insufficient_privilege

func (s *scan) warnTable(ref sdk.TableRef) error {
	s.unread++
	switch {
	case s.unread < maxUnreadable:
		return s.w.Warning(sdk.Warning{Object: ref.String(), Code: deniedCode, Message: "the role may not read this table; it is left out"})
	case s.unread == maxUnreadable:
		return s.w.Warning(sdk.Warning{Code: deniedCode, Message: fmt.Sprintf("the role may not read %d tables or more; they are left out", maxUnreadable)})
	default:
		return nil
	}
}

func (s *scan) warnSchemas() error {
	schemas := make([]string, 0, len(s.denied))
	for schema := range s.denied {
		schemas = append(schemas, schema)
	}
	slices.Sort(schemas)
	for _, schema := range schemas {
		err := s.w.Warning(sdk.Warning{
			Object: schema, Code: deniedCode,
			Message: fmt.Sprintf("the role may not use this schema: %d tables are left out", s.denied[schema]),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// key reads a row of keysSQL.
func (s *scan) key(v [][]byte) error {
	rel := s.byOID[parseOID(v[0])]
	if rel == nil {
		return nil
	}
	k := sdk.Key{Name: string(v[2]), Enforced: string(v[7]) == "t"}
	switch string(v[1]) {
	case "p":
		k.Kind = sdk.KeyPrimary
	case "u":
		k.Kind = sdk.KeyUnique
	case "f":
		k.Kind, k.Ref = sdk.KeyForeign, sdk.TableRef{Schema: string(v[4]), Name: string(v[5])}
	default:
		k.Kind = sdk.KeyPartition
	}
	for _, names := range []struct {
		raw  []byte
		into *[]string
	}{{v[3], &k.Columns}, {v[6], &k.RefColumns}} {
		if names.raw == nil {
			continue
		}
		if err := json.Unmarshal(names.raw, names.into); err != nil {
			return err
		}
	}
	rel.table.Keys = append(rel.table.Keys, k)
	return nil
}

// columnTypes finds out the logical types of all columns to come.
func (s *scan) columnTypes(oids []byte) error {
	s.types = map[uint32]sdk.Type{}
	var unknown []typeName
	err := s.r.query(columnTypesSQL, [][]byte{oids}, func(v [][]byte) error {
		oid := parseOID(v[0])
		if known, ok := scalars[oid]; ok {
			s.types[oid] = known.typ
		} else {
			unknown = append(unknown, typeName{oid, -1})
		}
		return nil
	})
	if err != nil || len(unknown) == 0 {
		return err
	}
	if err := s.r.lookup(unknown); err != nil {
		return err
	}
	for _, t := range unknown {
		s.types[t.oid] = s.r.s.types.logical(t.oid)
	}
	return nil
}

var identities = map[string]string{"a": "always", "d": "by default"}

// column reads a row of columnsSQL. A column that the role may not read is
// left out of what it can use, but not of the table's structure.
func (s *scan) column(v [][]byte) error {
	oid := parseOID(v[0])
	if err := s.writeBefore(oid); err != nil {
		return err
	}
	rel := s.byOID[oid]
	if rel == nil {
		return nil
	}
	c := sdk.Column{
		Name: string(v[1]), Type: s.types[parseOID(v[2])], NativeType: string(v[4]),
		Nullable: string(v[5]) != "t", Default: string(v[6]), Generated: len(v[8]) > 0, Comment: string(v[9]),
	}
	if mod := number(v[3]); c.Type == sdk.TypeDecimal && mod >= 0 {
		c.Precision, c.Scale = numericPrecision(int32(mod))
	}
	if kind := identities[string(v[7])]; kind != "" {
		c.Properties = map[string]string{"identity": kind}
	}
	if string(v[10]) != "t" {
		c.Properties = map[string]string{"select": "denied"}
	}
	rel.table.Columns = append(rel.table.Columns, c)
	s.sum.Columns++
	return nil
}

// writeBefore writes the relations before the one with this OID: their columns
// are all there.
func (s *scan) writeBefore(oid uint32) error {
	n := s.written
	for n < len(s.relations) && s.relations[n].oid < oid {
		n++
	}
	return s.writeUntil(n)
}

func (s *scan) writeUntil(n int) error {
	for ; s.written < n; s.written++ {
		rel := s.relations[s.written]
		rel.table.Fingerprint = sqlkit.Fingerprint(&rel.table)
		if err := s.w.Table(&rel.table); err != nil {
			return err
		}
		delete(s.byOID, rel.oid)
		s.relations[s.written] = nil // its columns are not needed any more
		s.sum.Tables++
		if s.sum.Tables%progressEvery == 0 {
			s.w.Progress(sdk.Progress{Phase: "tables", Done: s.sum.Tables, Total: int64(len(s.relations)), Unit: "tables"})
		}
	}
	return nil
}
