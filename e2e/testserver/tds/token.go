package tds

import "fmt"

const (
	tokenReturnStatus = 0x79
	tokenColumns      = 0x81
	tokenError        = 0xAA
	tokenInfo         = 0xAB
	tokenLoginAck     = 0xAD
	tokenRow          = 0xD1
	tokenRowWithNulls = 0xD2
	tokenChange       = 0xE3
	tokenDone         = 0xFD
	tokenDoneCall     = 0xFE
	tokenDoneInCall   = 0xFF
)

// Bits of a DONE token.
const (
	doneMore      = 0x01
	doneError     = 0x02
	doneCount     = 0x10
	doneAttention = 0x20
)

// What an ENVCHANGE token changes.
const (
	changeDatabase   = 1
	changePacketSize = 4
	changeCollation  = 7
	changeBegin      = 8
	changeCommit     = 9
	changeRollback   = 10
	changeReset      = 18
)

// collation is SQL_Latin1_General_CP1_CI_AS.
var collation = []byte{0x09, 0x04, 0xD0, 0x00, 0x34}

// Error is an error of the server.
type Error struct {
	Number  uint32
	Class   byte // severity: 11 to 16 leave the session usable, from 20 on it ends
	State   byte
	Line    uint32 // in the batch, from 1; 0 = 1
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("mssql %d: %s", e.Number, e.Message) }

// Column is a column of a result set.
type Column struct {
	Name     string
	Type     Type
	Nullable bool
}

// Answer is what a request is answered with: result sets, each with its columns
// and rows, and messages. It is not for several goroutines.
type Answer struct {
	out     packets
	columns []Column
	rows    uint64
	open    bool // a result set is
	call    bool // the request is a procedure call
}

// Columns begins a result set, and ends the one before.
func (a *Answer) Columns(columns ...Column) {
	a.end(doneMore)
	a.columns, a.open = columns, true
	b := little.AppendUint16([]byte{tokenColumns}, uint16(len(columns)))
	for _, c := range columns {
		b = little.AppendUint32(b, 0) // user type
		flags := uint16(0x08)         // may be updated
		if c.Nullable {
			flags |= 0x01
		}
		b = c.Type.append(little.AppendUint16(b, flags))
		b = append(b, shortText(c.Name)...)
	}
	a.out.buf = append(a.out.buf, b...)
}

// Row adds a row; a value is nil or what [Type] says. It returns when the client
// has room.
// Errors: a value that its column does not hold; the connection's.
func (a *Answer) Row(values ...any) error {
	if !a.open || len(values) != len(a.columns) {
		return fmt.Errorf("a row of %d values for %d columns", len(values), len(a.columns))
	}
	row := a.out.buf
	nulls := make([]byte, (len(values)+7)/8)
	kind := byte(tokenRow)
	for i, v := range values {
		if v == nil {
			nulls[i/8] |= 1 << (i % 8)
			kind = tokenRowWithNulls
		}
	}
	row = append(row, kind)
	if kind == tokenRowWithNulls {
		row = append(row, nulls...)
	}
	for i, v := range values {
		if v == nil {
			continue
		}
		var err error
		if row, err = a.columns[i].Type.appendValue(row, v); err != nil {
			return fmt.Errorf("column %s: %w", a.columns[i].Name, err)
		}
	}
	a.out.buf = row
	a.rows++
	return a.out.send(false)
}

// Affected ends a statement without rows.
func (a *Answer) Affected(rows uint64) {
	a.end(doneMore)
	a.rows, a.open = rows, true
}

// Info adds a message that is no error.
func (a *Answer) Info(number uint32, text string) {
	a.message(tokenInfo, Error{Number: number, Message: text})
}

func (a *Answer) message(token byte, e Error) {
	b := append(little.AppendUint32(nil, e.Number), max(e.State, 1), e.Class)
	b = append(b, longText(e.Message)...)
	b = append(b, shortText("fixture")...)
	b = append(b, shortText("")...) // procedure
	a.token(token, little.AppendUint32(b, max(e.Line, 1)))
}

// change adds an ENVCHANGE.
func (a *Answer) change(kind byte, values []byte) {
	a.token(tokenChange, append([]byte{kind}, values...))
}

// token adds a token behind its length in two bytes.
func (a *Answer) token(kind byte, body []byte) {
	a.out.buf = append(little.AppendUint16(append(a.out.buf, kind), uint16(len(body))), body...)
}

// end ends the result set that is open.
func (a *Answer) end(bits uint16) {
	if !a.open {
		return
	}
	token := byte(tokenDone)
	if a.call {
		token = tokenDoneInCall
	}
	a.done(token, bits|doneCount, a.rows)
	a.open, a.rows, a.columns = false, 0, nil
}

func (a *Answer) done(token byte, bits uint16, rows uint64) {
	b := little.AppendUint16(append(a.out.buf, token), bits)
	b = little.AppendUint16(b, 0xC1) // SELECT
	a.out.buf = little.AppendUint64(b, rows)
}

// finish ends the answer: with the error, or as done, or with the client's attention.
func (a *Answer) finish(err *Error, attention bool) error {
	last := byte(tokenDone)
	if a.call {
		last = tokenDoneCall
	}
	switch {
	case attention:
		a.open = false
		a.done(tokenDone, doneAttention, 0)
	case err != nil:
		a.end(doneMore)
		a.message(tokenError, *err)
		a.done(last, doneError, 0)
	case a.call:
		a.end(doneMore)
		a.out.buf = append(a.out.buf, tokenReturnStatus, 0, 0, 0, 0)
		a.done(last, 0, 0)
	case a.open:
		a.end(0)
	default:
		a.done(last, 0, 0)
	}
	return a.out.send(true)
}
