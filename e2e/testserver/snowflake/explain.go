package snowflake

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// explain runs EXPLAIN [USING TABULAR | JSON | TEXT] query: the tables that the
// engine would scan, as the service lists them, and the bytes of these tables.
func (s *Server) explain(ctx context.Context, x *statement, tokens []token) error {
	rest, form := tokens[1:], "TABULAR"
	if len(rest) > 1 && rest[0].is("USING") && rest[1].is("TABULAR", "JSON", "TEXT") {
		form, rest = rest[1].text, rest[2:]
	}
	if len(rest) == 0 || !rest[0].is("SELECT", "WITH", "(") {
		return refused("EXPLAIN of anything but a query")
	}
	r := &rewriter{source: x.sql, session: x.view, binds: x.binds}
	p, _, err := r.translate(rest)
	if err != nil {
		return err
	}
	tables, bytes, err := s.plan(ctx, x, p)
	if err != nil {
		return err
	}
	x.typeID = typeSelect
	x.result = &result{columns: []column{{Name: "content", sqlType: sqlType{name: "text"}}}, plain: true, binds: r.params}
	operations := []object{{"id": 0, "operation": "Result"}}
	var lines []string
	for i, t := range tables {
		operations = append(operations, object{"id": i + 1, "parentOperators": []int{0}, "operation": "TableScan", "objects": []string{t}, "partitionsTotal": 1, "partitionsAssigned": 1})
		lines = append(lines, "TableScan "+t)
	}
	stats := object{"partitionsTotal": len(tables), "partitionsAssigned": len(tables), "bytesAssigned": bytes}
	switch form {
	case "JSON":
		text, err := json.Marshal(object{"GlobalStats": stats, "Operations": [][]object{operations}})
		if err != nil {
			return err
		}
		x.result.rows = [][]cell{{string(text)}}
	case "TEXT":
		x.result.rows = [][]cell{{fmt.Sprintf("GlobalStats:\n\tpartitionsTotal=%d\n\tpartitionsAssigned=%d\n\tbytesAssigned=%d\nOperations:\n%s", len(tables), len(tables), bytes, strings.Join(lines, "\n"))}}
	default:
		return refused("EXPLAIN USING TABULAR")
	}
	if x.describe {
		x.result.rows = nil
	}
	return nil
}

// node is a node of DuckDB's plan.
type node struct {
	Name  string         `json:"name"`
	Extra map[string]any `json:"extra_info"`
	Below []node         `json:"children"`
}

func (n node) tables(found []string) []string {
	if t, ok := n.Extra["Table"].(string); ok && !slices.Contains(found, t) {
		found = append(found, t)
	}
	for _, b := range n.Below {
		found = b.tables(found)
	}
	return found
}

// plan returns the tables that a query scans, and their bytes.
func (s *Server) plan(ctx context.Context, x *statement, p *printed) (tables []string, bytes int64, err error) {
	conn, err := s.connection(ctx, x.view)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = conn.Close() }()
	var kind, text string
	if err := conn.QueryRowContext(ctx, "EXPLAIN (FORMAT json) "+p.sql).Scan(&kind, &text); err != nil {
		return nil, 0, asFailure(err, p)
	}
	var nodes []node
	if err := json.Unmarshal([]byte(text), &nodes); err != nil {
		return nil, 0, err
	}
	for _, n := range nodes {
		tables = n.tables(tables)
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return strings.HasPrefix(t, "memory.sf.") })
	for _, t := range tables {
		var n int64
		query := "SELECT coalesce(sum(1024 * estimated_size), 0)::BIGINT FROM duckdb_tables() WHERE database_name || '.' || schema_name || '.' || table_name = ?"
		if err := conn.QueryRowContext(ctx, query, t).Scan(&n); err != nil {
			return nil, 0, err
		}
		bytes += n
	}
	return tables, bytes, nil
}
