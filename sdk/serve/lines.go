package serve

import (
	"bufio"
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// lines prints JSON objects, one a line, and keeps the first failure.
type lines struct {
	out     *bufio.Writer
	encoder *json.Encoder
	err     error
}

func newLines(p *program) *lines {
	out := bufio.NewWriter(p.stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &lines{out: out, encoder: encoder}
}

func (l *lines) print(key string, value any) {
	if l.err == nil {
		l.err = l.encoder.Encode(map[string]any{key: value})
	}
}

func (l *lines) flush() error {
	if l.err != nil {
		return l.err
	}
	return l.out.Flush()
}

type summaryLine struct {
	Rows         int64  `json:"rows"`
	TruncatedBy  string `json:"truncated_by,omitempty"`
	CellsClipped int64  `json:"cells_clipped,omitempty"`
	QueryID      string `json:"query_id,omitempty"`
	ElapsedMS    int64  `json:"elapsed_ms"`
}

type scanLine struct {
	Tables   int64 `json:"tables"`
	Columns  int64 `json:"columns"`
	Complete bool  `json:"complete"`
}

type columnLine struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	NativeType string `json:"native_type,omitempty"`
	Nullable   bool   `json:"nullable"`
	Comment    string `json:"comment,omitempty"`
	Default    string `json:"default,omitempty"`
}

func columnLines(columns []sdk.Column) []columnLine {
	out := make([]columnLine, len(columns))
	for i, c := range columns {
		out[i] = columnLine{c.Name, c.Type.String(), c.NativeType, c.Nullable, c.Comment, c.Default}
	}
	return out
}

// rowLines prints a result.
type rowLines struct {
	lines   *lines
	columns []sdk.Column
}

func (r *rowLines) Started(string) error  { return nil }
func (r *rowLines) Progress(sdk.Progress) {}
func (r *rowLines) Notice(n sdk.Warning)  { r.lines.print("notice", n.Message) }

func (r *rowLines) Columns(columns []sdk.Column) error {
	r.columns = columns
	r.lines.print("columns", columnLines(columns))
	return r.lines.err
}

func (r *rowLines) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		cells := make([]json.RawMessage, len(r.columns))
		for i, c := range r.columns {
			cells[i] = cell(c.Type, &b.Columns[i], row)
		}
		r.lines.print("row", cells)
	}
	return r.lines.err
}

// tableLines prints a scan.
type tableLines struct{ lines *lines }

func (t *tableLines) Progress(sdk.Progress) {}

func (t *tableLines) Warning(w sdk.Warning) error {
	t.lines.print("warning", map[string]string{"object": w.Object, "code": w.Code, "message": w.Message})
	return t.lines.err
}

type tableLine struct {
	Name         string       `json:"name"`
	Kind         string       `json:"kind"`
	Comment      string       `json:"comment,omitempty"`
	Columns      []columnLine `json:"columns"`
	Keys         []keyLine    `json:"keys,omitempty"`
	RowEstimate  *int64       `json:"row_estimate,omitempty"`
	ByteEstimate *int64       `json:"byte_estimate,omitempty"`
}

type keyLine struct {
	Kind       string   `json:"kind"`
	Columns    []string `json:"columns"`
	Ref        string   `json:"ref,omitempty"`
	RefColumns []string `json:"ref_columns,omitempty"`
}

func (t *tableLines) Table(table *sdk.Table) error {
	line := tableLine{
		Name: table.TableRef.String(), Kind: string(table.Kind), Comment: table.Comment, Columns: columnLines(table.Columns),
		RowEstimate: known(table.RowEstimate), ByteEstimate: known(table.ByteEstimate),
	}
	for _, k := range table.Keys {
		line.Keys = append(line.Keys, keyLine{keyName(k.Kind), k.Columns, k.Ref.String(), k.RefColumns})
	}
	t.lines.print("table", line)
	return t.lines.err
}

func known(estimate int64) *int64 {
	if estimate < 0 {
		return nil
	}
	return &estimate
}

func keyName(k sdk.KeyKind) string {
	names := map[sdk.KeyKind]string{
		sdk.KeyPrimary: "primary", sdk.KeyUnique: "unique", sdk.KeyForeign: "foreign",
		sdk.KeyPartition: "partition", sdk.KeyCluster: "cluster",
	}
	return names[k]
}
