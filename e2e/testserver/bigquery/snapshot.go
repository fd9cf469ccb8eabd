package bigquery

import (
	"context"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// snapshot is the catalogue at the time at which a view is read.
type snapshot struct {
	ctx      context.Context
	s        *Server
	session  *session
	project  string
	datasets []*dataset
	err      error
}

// each calls for every table, in order.
func (p *snapshot) each(row func(t *table, key []any)) {
	for _, d := range p.datasets {
		for _, t := range p.s.catalog.sortedTables(d) {
			row(t, []any{p.project, t.dataset, t.id})
		}
	}
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func yes(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

// with returns a row that begins as key does.
func with(key []any, values ...any) []any {
	return append(key[:len(key):len(key)], values...)
}

func (p *snapshot) schemata() (rows [][]any) {
	for _, d := range p.datasets {
		rows = append(rows, []any{p.project, d.id, nil, d.created, d.created, d.location, "CREATE SCHEMA `" + p.project + "." + d.id + "`", nil})
	}
	return rows
}

// tableTypes are the kinds as INFORMATION_SCHEMA writes them.
var tableTypes = map[string]string{"TABLE": "BASE TABLE", "VIEW": "VIEW", "MATERIALIZED_VIEW": "MATERIALIZED VIEW", "EXTERNAL": "EXTERNAL", "SNAPSHOT": "SNAPSHOT"}

func (p *snapshot) tables() (rows [][]any) {
	p.each(func(t *table, key []any) {
		rows = append(rows, with(key, tableTypes[t.kind], nil, yes(t.kind == "TABLE"), "NO", "NO", t.created, t.ddl, nil))
	})
	return rows
}

func (p *snapshot) columns() (rows [][]any) {
	p.each(func(t *table, key []any) {
		for i, f := range t.fields {
			partition := t.partition != nil && strings.EqualFold(t.partition.Field, f.Name) || t.ranges != nil && strings.EqualFold(t.ranges.Field, f.Name)
			var cluster any
			for n, c := range t.clustering {
				if strings.EqualFold(c, f.Name) {
					cluster = int64(n + 1)
				}
			}
			rows = append(rows, with(key, f.Name, int64(i+1), yes(f.Mode != "REQUIRED"), sqlType(f), "NEVER", nil, nil, "NO", nil, "NO", yes(partition), cluster, "NULL", "NULL", nil))
		}
	})
	return rows
}

func (p *snapshot) fieldPaths() (rows [][]any) {
	p.each(func(t *table, key []any) {
		var walk func(column, path string, fields []*bq.TableFieldSchema)
		walk = func(column, path string, fields []*bq.TableFieldSchema) {
			for _, f := range fields {
				top, full := column, f.Name
				if column == "" {
					top = f.Name
				} else {
					full = path + "." + f.Name
				}
				rows = append(rows, with(key, top, full, sqlType(f), nullable(f.Description), "NULL", nil))
				walk(top, full, f.Fields)
			}
		}
		walk("", "", t.fields)
	})
	return rows
}

func (p *snapshot) tableOptions() (rows [][]any) {
	p.each(func(t *table, key []any) {
		seen := map[string]bool{}
		for _, o := range t.options {
			if !seen[o.name] {
				rows = append(rows, with(key, o.name, o.typ, o.source))
			}
			seen[o.name] = true
		}
	})
	return rows
}

func (p *snapshot) viewDefinitions() (rows [][]any) {
	p.each(func(t *table, key []any) {
		if t.kind == "VIEW" || t.kind == "MATERIALIZED_VIEW" {
			rows = append(rows, with(key, t.query, nil, "YES"))
		}
	})
	return rows
}

// partitionFormats are how the ids of partitions are made of times.
var partitionFormats = map[string]string{"HOUR": "%Y%m%d%H", "DAY": "%Y%m%d", "MONTH": "%Y%m", "YEAR": "%Y"}

func (p *snapshot) partitions() (rows [][]any) {
	p.each(func(t *table, key []any) {
		if t.kind == "VIEW" || t.kind == "EXTERNAL" || p.err != nil {
			return
		}
		id := "CAST(NULL AS VARCHAR)"
		switch {
		case t.partition != nil && t.partition.Field != "":
			id = "coalesce(strftime(" + identifier(t.partition.Field) + ", '" + partitionFormats[t.partition.Type] + "'), '__NULL__')"
		case t.ranges != nil:
			r := t.ranges.Range
			column := identifier(t.ranges.Field)
			id = "CASE WHEN " + column + " IS NULL THEN '__NULL__' WHEN " + column + " < " + text64(r.Start) + " OR " + column + " >= " + text64(r.End) +
				" THEN '__UNPARTITIONED__' ELSE CAST(" + text64(r.Start) + " + ((" + column + " - " + text64(r.Start) + ") // " + text64(r.Interval) + ") * " + text64(r.Interval) + " AS VARCHAR) END"
		}
		found, err := p.session.conn.QueryContext(p.ctx, "SELECT "+id+" AS id, count(*), "+bytesOf(t.fields)+" FROM "+identifier(t.dataset)+"."+identifier(t.id)+" GROUP BY 1 ORDER BY 1")
		if err != nil {
			p.err = err
			return
		}
		defer func() { _ = found.Close() }()
		for found.Next() {
			var id *string
			var count, bytes int64
			if p.err = found.Scan(&id, &count, &bytes); p.err != nil {
				return
			}
			var partition any
			if id != nil {
				partition = *id
			}
			rows = append(rows, with(key, partition, count, bytes, t.created, "ACTIVE"))
		}
		p.err = found.Err()
	})
	return rows
}

func (p *snapshot) storage() (rows [][]any) {
	filled := p.filled()
	p.each(func(t *table, key []any) {
		if t.kind == "VIEW" || t.kind == "EXTERNAL" || p.err != nil {
			return
		}
		var count, bytes int64
		if filled[t.dataset+"."+t.id] {
			count, bytes, p.err = p.s.size(p.ctx, p.session, t)
		}
		var partitions any
		rows = append(rows, append([]any{p.project}, with(key, t.created, count, partitions, bytes, bytes, int64(0), false, tableTypes[t.kind])...))
	})
	return rows
}

// filled are the tables that have rows, found at once: thousands may have none.
func (p *snapshot) filled() map[string]bool {
	all := map[string]bool{}
	found, err := p.session.conn.QueryContext(p.ctx, "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE estimated_size > 0")
	if err != nil {
		p.err = err
		return nil
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var path string
		if p.err = found.Scan(&path); p.err != nil {
			return nil
		}
		all[path] = true
	}
	p.err = found.Err()
	return all
}

func (p *snapshot) eachConstraint(row func(t *table, key []any, constraint string, columns []string, f *bq.TableConstraintsForeignKeys)) {
	p.each(func(t *table, key []any) {
		if t.constraints == nil {
			return
		}
		if k := t.constraints.PrimaryKey; k != nil {
			row(t, key, t.id+".pk$", k.Columns, nil)
		}
		for _, f := range t.constraints.ForeignKeys {
			var columns []string
			for _, c := range f.ColumnReferences {
				columns = append(columns, c.ReferencingColumn)
			}
			row(t, key, f.Name, columns, f)
		}
	})
}

func (p *snapshot) tableConstraints() (rows [][]any) {
	p.eachConstraint(func(t *table, key []any, constraint string, _ []string, f *bq.TableConstraintsForeignKeys) {
		typ := "PRIMARY KEY"
		if f != nil {
			typ = "FOREIGN KEY"
		}
		rows = append(rows, append([]any{p.project, t.dataset, constraint}, with(key, typ, "NO", "NO", "NO")...))
	})
	return rows
}

func (p *snapshot) keyColumns() (rows [][]any) {
	p.eachConstraint(func(t *table, key []any, constraint string, columns []string, f *bq.TableConstraintsForeignKeys) {
		for i, c := range columns {
			var position any
			if f != nil { // where the column is in the key that it refers to
				position = int64(i + 1)
				if of := p.s.catalog.find(f.ReferencedTable.DatasetId, f.ReferencedTable.TableId); of != nil && of.constraints != nil && of.constraints.PrimaryKey != nil {
					for n, k := range of.constraints.PrimaryKey.Columns {
						if strings.EqualFold(k, f.ColumnReferences[i].ReferencedColumn) {
							position = int64(n + 1)
						}
					}
				}
			}
			rows = append(rows, append([]any{p.project, t.dataset, constraint}, with(key, c, int64(i+1), position)...))
		}
	})
	return rows
}

func (p *snapshot) constraintColumns() (rows [][]any) {
	p.eachConstraint(func(t *table, key []any, constraint string, columns []string, f *bq.TableConstraintsForeignKeys) {
		for i, c := range columns {
			of := key
			if f != nil {
				of, c = []any{p.project, f.ReferencedTable.DatasetId, f.ReferencedTable.TableId}, f.ColumnReferences[i].ReferencedColumn
			}
			rows = append(rows, with(of, c, p.project, t.dataset, constraint))
		}
	})
	return rows
}
