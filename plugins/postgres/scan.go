package postgres

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The columns of relationsSQL and columnsSQL that a scan looks at itself.
const (
	relationSchema = 1
	relationName   = 2
	relationDenied = 8
	relationOID    = 13
	columnName     = 3
	columnNative   = 4
	columnDenied   = 10
	columnType     = 11
)

const deniedCode = "42501" // insufficient_privilege

// scan writes the tables, in one state of the catalogue.
func (r *reading) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	catalog := sqlkit.Catalog{
		Levels: len(r.s.Dialect.Namespace) + 1, Tables: relationsSQL, Columns: columnsSQL, Keys: keysSQL, DeniedCode: deniedCode,
		TableProperties:  []string{"partition_by", sdk.PropertyForeignServer, "unlogged", "row_security"},
		ColumnProperties: []string{"identity", "select"},
		Stamps:           stampsSQL, Version: version,
	}
	filter, err := sqlkit.NewFilter(req.Include, req.Exclude, catalog.Levels)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	scan := &scan{r: r, req: req, filter: filter}
	catalog.Type = func(native string) sdk.Type { return scan.types[native] }
	catalog.ColumnsOf = scan.columnsOf
	return sqlkit.Scan(ctx, scan.query, catalog, req, w)
}

// scan asks the queries of a scan.
type scan struct {
	r      *reading
	req    sdk.ScanRequest
	filter *sqlkit.Filter
	wanted []relation
	types  map[string]sdk.Type // of their columns, by the native type
}

type relation struct {
	oid  uint32
	name sdk.TableRef
}

// columnsOf leaves the other relations out.
func (s *scan) columnsOf(tables []sdk.TableRef) string {
	s.wanted = slices.DeleteFunc(s.wanted, func(r relation) bool {
		if len(tables) > 0 && r.name == tables[0] { // both are in the order of relationsSQL
			tables = tables[1:]
			return false
		}
		return true
	})
	return columnsSQL
}

// oids returns those of the relations that are wanted, as a parameter.
func (s *scan) oids() []byte {
	list := []byte{'{'}
	for i, r := range s.wanted {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendUint(list, uint64(r.oid), 10)
	}
	return append(list, '}')
}

// query implements sqlkit.Queries: of keys and columns it asks for those of the
// relations that it has seen and that are wanted.
func (s *scan) query(_ context.Context, sql string, row func(sqlkit.Row) error) error {
	var params [][]byte
	comments := s.wants(sdk.FacetComments)
	switch sql {
	case relationsSQL:
		params = [][]byte{textList(s.r.s.cfg.Schemas), s.wants(sdk.FacetDefinitions), comments}
	case keysSQL:
		params = [][]byte{s.oids()}
	case stampsSQL:
		params = [][]byte{s.oids(), comments}
	case columnsSQL:
		params = [][]byte{s.oids(), comments}
		var err error
		if s.types, err = s.r.columnTypes(params[0]); err != nil {
			return err
		}
	}
	var values sqlkit.Row
	return s.r.query(sql, params, func(v [][]byte) error {
		if sql == relationsSQL && v[relationDenied] == nil {
			name := sdk.TableRef{Schema: string(v[relationSchema]), Name: string(v[relationName])}
			if s.filter.Match(name) {
				s.wanted = append(s.wanted, relation{parseOID(v[relationOID]), name})
			}
		}
		values = values[:0]
		for _, value := range v {
			values = append(values, value)
		}
		return row(values)
	})
}

// wants says whether a facet is asked for, as a parameter.
func (s *scan) wants(f sdk.Facet) []byte {
	return strconv.AppendBool(nil, len(s.req.Facets) == 0 || slices.Contains(s.req.Facets, f))
}

// columnTypes returns the logical types of the columns of relations by their
// native types.
func (r *reading) columnTypes(oids []byte) (map[string]sdk.Type, error) {
	oidOf := map[string]uint32{}
	err := r.query(columnTypesSQL, [][]byte{oids}, func(v [][]byte) error {
		oidOf[string(v[1])] = parseOID(v[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	types := make(map[string]sdk.Type, len(oidOf))
	err = settle(func() (missing []typeName) {
		for native, oid := range oidOf {
			known, ok := r.s.types.logical(oid)
			if types[native] = known; !ok {
				missing = append(missing, typeName{oid, -1})
			}
		}
		return missing
	}, func(missing []typeName) error { return r.lookup(missing, now) })
	if sdk.KindOf(err) == sdk.KindConflict { // a type that was dropped meanwhile is text
		err = nil
	}
	return types, err
}

// number reads an integer of the server's own; -1 for what is none.
func number(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
