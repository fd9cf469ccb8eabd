package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

// answer is written as the rows come, from cells that are JSON already: the
// members before the rows, the rows, what closes them, the members after.
// Units: one buffer; a row costs no allocation but its growth.
type answer struct{ text []byte }

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
func (a *answer) begin() { a.text = append(a.text, `,"rows":[`...) }

// Row is that of a query.Sink.
func (a *answer) Row(cells [][]byte) error {
	if a.text[len(a.text)-1] == ']' {
		a.text = append(a.text, ',')
	}
	a.text = append(a.text, '[')
	for i, cell := range cells {
		if i > 0 {
			a.text = append(a.text, ',')
		}
		a.text = append(a.text, cell...)
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

// close returns the answer; nothing follows.
func (a *answer) close() tool.Encoded { return append(a.text, '}') }
