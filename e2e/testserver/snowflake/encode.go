package snowflake

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// result is what a statement returned.
type result struct {
	columns  []column
	rows     [][]cell
	binds    int   // the parameters of a statement that was described
	bytes    int64 // read from tables
	plain    bool  // never Arrow
	children []*statement
	changed  []string // the parameters of the session that it set
}

// encode writes the answer of a statement that has ended well.
func (s *Server) encode(x *statement) (object, error) {
	r := x.result
	types := make([]object, len(r.columns))
	for i, c := range r.columns {
		types[i] = rowType(c)
	}
	s.mu.Lock()
	now := *x.session
	parameters := slices.DeleteFunc(x.session.parameterList(), func(p object) bool { return !slices.Contains(r.changed, p["name"].(string)) })
	s.mu.Unlock()
	data := object{
		"queryId": x.id, "statementTypeId": x.typeID, "sqlState": "00000", "rowtype": types, "total": len(r.rows), "returned": len(r.rows),
		"parameters": append([]object{}, parameters...), "databaseProvider": nil, "version": 1, "queryResultFormat": "json",
		"finalDatabaseName": now.database, "finalSchemaName": now.schema, "finalWarehouseName": now.warehouse, "finalRoleName": now.role,
		"numberOfBinds": r.binds, "arrayBindSupported": x.typeID == typeInsert,
	}
	if len(r.children) > 0 {
		var ids, kinds string
		for i, c := range r.children {
			if i > 0 {
				ids, kinds = ids+",", kinds+","
			}
			ids, kinds = ids+c.id, kinds+fmt.Sprint(c.typeID)
		}
		data["resultIds"], data["resultTypes"] = ids, kinds
	}
	arrow := s.arrow && !r.plain && !x.describe
	if format := x.view.parameter("GO_QUERY_RESULT_FORMAT"); format != "" {
		arrow = format == "ARROW" && !r.plain && !x.describe
	}
	inline := r.rows[:min(len(r.rows), s.chunkRows)]
	var chunks []object
	for n, rest := 0, r.rows[len(inline):]; len(rest) > 0; n++ {
		size := min(len(rest), s.chunkRows)
		chunk, err := s.addChunk(x, n, rest[:size], arrow)
		if err != nil {
			return nil, err
		}
		chunks, rest = append(chunks, chunk), rest[size:]
	}
	if chunks != nil {
		data["chunks"], data["qrmk"], data["chunkHeaders"] = chunks, "fixture", object{}
	}
	if !arrow {
		data["rowset"] = jsonRows(r.columns, inline)
		return data, nil
	}
	stream, err := arrowStream(r.columns, inline)
	data["queryResultFormat"], data["rowsetBase64"] = "arrow", base64.StdEncoding.EncodeToString(stream)
	return data, err
}

func rowType(c column) object {
	t := object{"name": c.Name, "type": c.name, "nullable": true, "precision": nil, "scale": nil, "length": nil, "byteLength": nil,
		"database": "", "schema": "", "table": "", "collation": nil}
	switch c.name {
	case "fixed":
		t["precision"], t["scale"] = c.precision, c.scale
	case "time", "timestamp_ntz", "timestamp_ltz", "timestamp_tz":
		t["precision"], t["scale"] = 0, c.scale
	case "text":
		t["length"], t["byteLength"] = maxText, maxText
	case "binary":
		t["length"], t["byteLength"] = maxText/2, maxText/2
	}
	return t
}

func jsonRows(columns []column, rows [][]cell) [][]*string {
	out := make([][]*string, len(rows))
	for i, row := range rows {
		out[i] = make([]*string, len(row))
		for j, v := range row {
			out[i][j] = jsonText(columns[j].sqlType, v)
		}
	}
	return out
}

// addChunk keeps rows to be fetched by URL: in JSON without the outer brackets.
func (s *Server) addChunk(x *statement, n int, rows [][]cell, arrow bool) (object, error) {
	var content []byte
	var err error
	if arrow {
		content, err = arrowStream(x.result.columns, rows)
	} else {
		content, err = json.Marshal(jsonRows(x.result.columns, rows))
		content = bytes.TrimSuffix(bytes.TrimPrefix(content, []byte("[")), []byte("]"))
	}
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(content); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	id := fmt.Sprintf("%s_%d", x.id, n)
	s.mu.Lock()
	s.chunks[id] = packed.Bytes()
	s.mu.Unlock()
	return object{"url": s.URL() + "/chunk/" + id, "rowCount": len(rows), "uncompressedSize": len(content), "compressedSize": packed.Len()}, nil
}
