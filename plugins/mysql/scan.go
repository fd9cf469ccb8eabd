package mysql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxUnreadable is how many tables a scan warns about one by one.
const maxUnreadable = 100

// scan writes the tables of the databases to scan.
func (r *reading) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	scan := &scan{ScanWriter: w, r: r, req: &req, extras: map[sdk.TableRef]*extra{}}
	return sqlkit.Scan(ctx, scan.rows, scan.catalog(), req, scan)
}

// scan adds to what sqlkit.Scan puts together what it does not know: partitions,
// properties and tables that cannot be read.
type scan struct {
	sdk.ScanWriter
	r      *reading
	req    *sdk.ScanRequest
	extras map[sdk.TableRef]*extra // of tables that are not yet written
	unread int                     // tables warned about
}

// extra is what is special about a table.
type extra struct {
	properties map[string]string
	partition  []string // columns that it is partitioned by
	columns    map[string]map[string]string
}

func (s *scan) extra(ref sdk.TableRef) *extra {
	if s.extras[ref] == nil {
		s.extras[ref] = &extra{}
	}
	return s.extras[ref]
}

func (e *extra) column(name, property, value string) {
	if e.columns == nil {
		e.columns = map[string]map[string]string{}
	}
	if e.columns[name] == nil {
		e.columns[name] = map[string]string{}
	}
	e.columns[name][property] = value
}

// catalog names the queries, which rows runs.
func (s *scan) catalog() sqlkit.Catalog {
	return sqlkit.Catalog{Levels: 2, Tables: "tables", Columns: "columns", Keys: "keys", Type: s.r.Conn.server.typeOf}
}

func (s *scan) wants(f sdk.Facet) bool {
	return len(s.req.Facets) == 0 || slices.Contains(s.req.Facets, f)
}

// rows is the sqlkit.Queries of a scan.
func (s *scan) rows(_ context.Context, query string, row func(sqlkit.Row) error) error {
	switch query {
	case "tables":
		return s.tables(row)
	case "columns":
		return s.columns(row)
	default:
		return s.keys(row)
	}
}

// each runs a query of the catalogue over the databases to scan.
func (s *scan) each(query string, row func(sqlkit.Row) error) error {
	return s.r.queryf(query, []any{literals(s.r.s.cfg.schemas())}, row)
}

func refOf(row sqlkit.Row) sdk.TableRef {
	return sdk.TableRef{Schema: row.Text(0), Name: row.Text(1)}
}

func (s *scan) tables(row func(sqlkit.Row) error) error {
	if err := s.missing(); err != nil {
		return err
	}
	definitions := map[sdk.TableRef]string{}
	if s.wants(sdk.FacetDefinitions) {
		err := s.each(definitionsSQL, func(v sqlkit.Row) error {
			definitions[refOf(v)] = v.Text(2)
			return nil
		})
		if err != nil {
			return err
		}
	}
	query, partitioned := tablesOnlySQL, false
	if s.wants(sdk.FacetEstimates) {
		query = tablesSQL
	}
	err := s.each(query, func(v sqlkit.Row) error {
		ref, kind, comment := refOf(v), tableKind(v.Text(2), v.Text(4), v.Text(5)), v.Text(3)
		partitioned = partitioned || kind == sdk.TablePartitioned
		switch view := kind == sdk.TableView; {
		case view && comment != "VIEW":
			return s.warn(ref, "", comment)
		case !s.r.s.grants.reads(ref.Schema, ref.Name):
			return s.warn(ref, "1142", "the account may not read this table; it is left out")
		case view:
			comment = ""
		default:
			s.extra(ref).properties = properties(v.Text(4), v.Text(2))
		}
		return row(sqlkit.Row{nil, ref.Schema, ref.Name, string(kind), comment, v[6], v[7], definitions[ref]})
	})
	if err != nil || !partitioned {
		return err
	}
	return s.each(partitionsSQL, s.partition)
}

// missing warns about configured databases that the account does not see.
func (s *scan) missing() error {
	var found []string
	err := s.each(schemataSQL, func(v sqlkit.Row) error {
		found = append(found, v.Text(0))
		return nil
	})
	if err != nil {
		return err
	}
	for _, schema := range s.r.s.cfg.schemas() {
		if slices.ContainsFunc(found, func(name string) bool { return strings.EqualFold(name, schema) }) {
			continue
		}
		err := s.Warning(sdk.Warning{
			Object: schema, Code: "1044",
			Message: "there is no such database, or the account has no right on it: " + strings.Join(s.r.s.grantStatements(accountName(s.r.s.Info.CurrentUser)), "; "),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// warn reports a table that is left out.
func (s *scan) warn(ref sdk.TableRef, code, message string) error {
	s.unread++
	switch {
	case s.unread < maxUnreadable:
		return s.Warning(sdk.Warning{Object: ref.String(), Code: code, Message: message})
	case s.unread == maxUnreadable:
		return s.Warning(sdk.Warning{Code: code, Message: fmt.Sprintf("%d tables or more cannot be read; they are left out", maxUnreadable)})
	default:
		return nil
	}
}

// remote are the storage engines whose tables live elsewhere.
var remote = []string{"FEDERATED", "CONNECT", "SPIDER", "S3", "SPHINX"}

func tableKind(typ, engine, options string) sdk.TableKind {
	switch {
	case strings.HasSuffix(typ, "VIEW"): // SYSTEM VIEW too
		return sdk.TableView
	case slices.Contains(remote, strings.ToUpper(engine)):
		return sdk.TableExternal
	case strings.Contains(options, "partitioned"):
		return sdk.TablePartitioned
	default:
		return sdk.TableBase
	}
}

func properties(engine, typ string) map[string]string {
	p := map[string]string{}
	if engine != "" {
		p["engine"] = engine
	}
	if typ == "SYSTEM VERSIONED" {
		p["system_versioned"] = "true"
	}
	return p
}

// partition reads a row of partitionsSQL.
func (s *scan) partition(v sqlkit.Row) error {
	e := s.extras[refOf(v)]
	if e == nil {
		return nil
	}
	by := v.Text(3)
	e.properties["partition_by"] = v.Text(2) + " (" + by + ")"
	tokens, err := lexis.Tokens(by, nil)
	if err != nil {
		return nil //nolint:nilerr // the property says what there is
	}
	for _, t := range tokens {
		if name := lexis.Unquote(by, t); t.Kind == dialect.TokenQuoted && !slices.Contains(e.partition, name) {
			e.partition = append(e.partition, name)
		}
	}
	return nil
}

// keys counts foreign keys as not enforced: a session may turn their checks off, as dumps do to be loaded, and what came
// in then is never checked.
func (s *scan) keys(row func(sqlkit.Row) error) error {
	return s.each(keysSQL, func(v sqlkit.Row) error {
		if v[3] == nil { // an expression, of a functional index
			return nil
		}
		kind := "UNIQUE"
		switch {
		case v[6] != nil:
			kind = "FOREIGN KEY"
		case v.Text(2) == "PRIMARY":
			kind = "PRIMARY KEY"
		}
		return row(sqlkit.Row{nil, v[0], v[1], v[2], kind, v[3], v[4], nil, v[5], v[6], v[7], kind != "FOREIGN KEY"})
	})
}

func (s *scan) columns(row func(sqlkit.Row) error) error {
	if s.r.Conn.server.mariaDB {
		err := s.each(documentsSQL, func(v sqlkit.Row) error {
			if e := s.extras[refOf(v)]; e != nil {
				e.column(v.Text(2), "format", "json")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.each(columnsSQL, func(v sqlkit.Row) error {
		name, extra := v.Text(2), v.Text(7)
		if e := s.extras[refOf(v)]; e != nil {
			if strings.Contains(extra, "auto_increment") {
				e.column(name, "auto_increment", "true")
			}
			if strings.Contains(extra, "INVISIBLE") {
				e.column(name, "invisible", "true")
			}
			if !strings.Contains(v.Text(8), "select") {
				e.column(name, "select", "denied")
			}
		}
		generated := strings.Contains(extra, "VIRTUAL GENERATED") || strings.Contains(extra, "STORED GENERATED")
		def := v.Text(5)
		if s.r.Conn.server.mariaDB && def == "NULL" {
			def = ""
		}
		return row(sqlkit.Row{nil, v[0], v[1], name, v[3], v[4], def, v[6], generated})
	})
}

// Table implements sdk.ScanWriter.
func (s *scan) Table(t *sdk.Table) error {
	for i := range t.Columns {
		if c := &t.Columns[i]; strings.HasPrefix(c.NativeType, "bit") {
			c.Precision = 0 // that of bits, not of digits
		}
	}
	if e := s.extras[t.TableRef]; e != nil {
		t.Properties = e.properties
		if len(e.partition) > 0 && s.wants(sdk.FacetKeys) {
			t.Keys = append(t.Keys, sdk.Key{Kind: sdk.KeyPartition, Columns: e.partition, Enforced: true})
		}
		for i := range t.Columns {
			t.Columns[i].Properties = e.columns[t.Columns[i].Name]
		}
		delete(s.extras, t.TableRef)
	}
	t.Fingerprint = sqlkit.Fingerprint(t)
	return s.ScanWriter.Table(t)
}
