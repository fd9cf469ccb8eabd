package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// answer is written as the rows come, from cells that are JSON already: the
// members before the rows, the rows, what closes them, the members after. Beside the
// JSON it writes the rows as CSV, for the text block.
// Units: two buffers; a row costs no allocation but their growth.
type answer struct {
	text, lines []byte
	csv         query.CSV
}

// member appends one; < and > stay readable in the text that clients show.
// Errors: a value that is no JSON.
func (a *answer) member(name string, value any) error {
	a.name(name)
	buf := bytes.NewBuffer(a.text)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	a.text = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	return err
}

// texts appends a member that is a list of texts.
func (a *answer) texts(name string, list []string) {
	a.name(name)
	a.text = append(a.text, '[')
	for i, text := range list {
		if i > 0 {
			a.text = append(a.text, ',')
		}
		a.text, _ = sdk.AppendJSONText(a.text, []byte(text))
	}
	a.text = append(a.text, ']')
}

func (a *answer) name(name string) {
	if a.text == nil {
		a.text = append(make([]byte, 0, 512), '{')
	} else {
		a.text = append(a.text, ',')
	}
	a.text = append(append(append(a.text, '"'), name...), `":`...)
}

// begin comes before the first row.
func (a *answer) begin(headers []string) {
	for i, name := range headers {
		if i > 0 {
			a.lines = append(a.lines, ',')
		}
		a.lines = a.csv.Field(a.lines, []byte(name))
	}
	a.text = append(a.text, `,"rows":[`...)
}

// Row is that of a query.Sink.
func (a *answer) Row(cells [][]byte) (err error) {
	if a.text[len(a.text)-1] == ']' {
		a.text = append(a.text, ',')
	}
	a.text = append(a.text, '[')
	a.lines = append(a.lines, '\n')
	for i, cell := range cells {
		if i > 0 {
			a.text, a.lines = append(a.text, ','), append(a.lines, ',')
		}
		a.text = append(a.text, cell...)
		if a.lines, err = a.csv.Cell(a.lines, cell); err != nil {
			return err
		}
	}
	a.text = append(a.text, ']')
	return nil
}

// end comes after the last row.
func (a *answer) end(rows int, cut bool, by sdk.TruncatedBy, elapsed time.Duration) error {
	a.text = append(a.text, `],"rowCount":`...)
	a.text = strconv.AppendInt(a.text, int64(rows), 10)
	a.text = append(a.text, `,"truncated":`...)
	a.text = strconv.AppendBool(a.text, cut)
	if by != sdk.TruncatedNot {
		if err := a.member("truncatedBy", by); err != nil {
			return err
		}
	}
	a.text = append(a.text, `,"elapsedMs":`...)
	a.text = strconv.AppendInt(a.text, elapsed.Milliseconds(), 10)
	return nil
}

// appendNotes adds the notes to the text block, and the row count of an empty result.
func (a *answer) appendNotes(rows int, notes []string) {
	if rows == 0 || bytes.IndexFunc(a.lines, func(r rune) bool { return r != '\n' }) < 0 {
		a.lines = fmt.Appendf(bytes.TrimRight(a.lines, "\n"), "\n(%d rows)", rows)
	}
	for _, n := range notes {
		a.lines = append(append(a.lines, "\nnote: "...), n...)
	}
}

// close returns the answer; nothing follows.
func (a *answer) close() tool.Written {
	return tool.Written{JSON: append(a.text, '}'), Rows: string(bytes.TrimLeft(a.lines, "\n"))}
}
