package tds

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Request is a batch or a procedure call, as the client sent it.
type Request struct {
	// Text is the batch, or the first argument of sp_executesql.
	Text string
	// Procedure is what is called; "" = a batch. "begin", "commit" and "rollback" are
	// requests to the transaction manager.
	Procedure string
	// Parameters are the arguments by name, without those that Text and its declaration are.
	Parameters map[string]any
	// Arguments are those without a name.
	Arguments []any
}

// Requests to the transaction manager.
const (
	Begin    = "begin"
	Commit   = "commit"
	Rollback = "rollback"
)

// readRequest reads a request of a session.
// Errors: what the fixture has no part for, or no request at all.
func readRequest(m message) (Request, error) {
	r := reader{b: m.data}
	headers := int(r.uint32())
	r.take(headers - 4)
	switch m.kind {
	case messageBatch:
		return Request{Text: utf16Text(r.b)}, r.err
	case messageCall:
		return readCall(&r)
	case messageTransaction:
		names := map[uint16]string{5: Begin, 7: Commit, 8: Rollback}
		kind := r.uint16()
		if names[kind] == "" {
			return Request{}, fmt.Errorf("the fixture has no request %d of the transaction manager", kind)
		}
		return Request{Procedure: names[kind]}, r.err
	}
	return Request{}, fmt.Errorf("the fixture has no message of kind %d", m.kind)
}

func readCall(r *reader) (Request, error) {
	q := Request{Parameters: map[string]any{}}
	if n := r.uint16(); n != math.MaxUint16 {
		q.Procedure = utf16Text(r.take(2 * int(n)))
	} else if id := r.uint16(); id == 10 {
		q.Procedure = "sp_executesql"
	} else {
		return q, fmt.Errorf("the fixture has no procedure number %d", id)
	}
	r.uint16() // options
	for len(r.b) > 0 && r.err == nil {
		name, value := r.parameter()
		if name == "" {
			q.Arguments = append(q.Arguments, value)
		} else {
			q.Parameters[strings.TrimPrefix(name, "@")] = value
		}
	}
	if r.err != nil || q.Procedure != "sp_executesql" {
		return q, r.err
	}
	// Its first two arguments are the text and what it declares, by place or by name.
	if len(q.Arguments) > 0 {
		q.Text, _ = q.Arguments[0].(string)
		q.Arguments = slices.Delete(q.Arguments, 0, min(2, len(q.Arguments)))
	} else {
		q.Text, _ = q.Parameters["stmt"].(string)
		delete(q.Parameters, "stmt")
		delete(q.Parameters, "params")
	}
	return q, nil
}

// reader reads numbers of a message; the first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.err, r.b = errors.Join(r.err, io.ErrUnexpectedEOF), nil
		return make([]byte, max(min(n, 16), 8))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) uint8() byte    { return r.take(1)[0] }
func (r *reader) uint16() uint16 { return little.Uint16(r.take(2)) }
func (r *reader) uint32() uint32 { return little.Uint32(r.take(4)) }
func (r *reader) uint64() uint64 { return little.Uint64(r.take(8)) }

// parameter reads a parameter of a call: its name, and nil or a value as Type has it.
func (r *reader) parameter() (string, any) {
	name := utf16Text(r.take(2 * int(r.uint8())))
	r.uint8() // by reference, default
	switch token := r.uint8(); token {
	case 0x1F: // NULL of no type
		return name, nil
	case 0x68, 0x26, 0x6D: // bit, integers, floats
		r.uint8()
		return name, number(token, r.take(int(r.uint8())))
	case 0x6A, 0x6C: // decimal, numeric
		r.take(2)
		scale := int(r.uint8())
		return name, decimal(r.take(int(r.uint8())), scale)
	case 0x28:
		return name, r.clock(int(r.uint8()), 0, false)
	case 0x2A, 0x2B: // datetime2, datetimeoffset
		scale := int(r.uint8())
		return name, r.clock(int(r.uint8()), scale, token == 0x2B)
	case 0x24:
		r.uint8()
		raw := slices.Clone(r.take(int(r.uint8())))
		if len(raw) < 16 {
			return name, nil
		}
		slices.Reverse(raw[:4])
		slices.Reverse(raw[4:6])
		slices.Reverse(raw[6:8])
		return name, fmt.Sprintf("%X-%X-%X-%X-%X", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
	case 0xE7, 0xEF, 0xA7, 0xAF, 0xA5, 0xAD: // texts and bytes
		return name, r.chars(token)
	default:
		r.err = errors.Join(r.err, fmt.Errorf("the fixture has no parameter of type %#x", token))
		return name, nil
	}
}

func number(token byte, b []byte) any {
	n := len(b)
	if n == 0 {
		return nil
	}
	bits := little.Uint64(append(slices.Clone(b), make([]byte, 8)...))
	switch {
	case token == 0x68:
		return bits != 0
	case token == 0x6D && n == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case token == 0x6D:
		return math.Float64frombits(bits)
	case n == 1: // a tinyint has no sign
		return int64(bits)
	}
	shift := 64 - 8*n
	return int64(bits<<shift) >> shift
}

func decimal(b []byte, scale int) any {
	if len(b) == 0 {
		return nil
	}
	digits := slices.Clone(b[1:])
	slices.Reverse(digits)
	units := new(big.Int).SetBytes(digits)
	if b[0] == 0 {
		units.Neg(units)
	}
	whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(units, whole).FloatString(scale)
}

// clock reads a date and a time of day of n bytes together; no bytes are NULL.
func (r *reader) clock(n, scale int, zoned bool) any {
	b := r.take(n)
	zone, tail := time.UTC, 3
	if zoned {
		tail = 5
	}
	if n < tail {
		return nil
	}
	ticks := little.Uint64(append(slices.Clone(b[:n-tail]), make([]byte, 8)...))
	days := little.Uint32(append(slices.Clone(b[n-tail:n-tail+3]), 0))
	if zoned {
		zone = time.FixedZone("", 60*int(int16(little.Uint16(b[n-2:]))))
	}
	at := dayOne.AddDate(0, 0, int(days)).Add(time.Duration(ticks) * time.Duration(math.Pow10(9-scale)))
	return at.In(zone)
}

// chars reads a text or bytes.
func (r *reader) chars(token byte) any {
	size := r.uint16()
	if token != 0xA5 && token != 0xAD {
		r.take(len(collation))
	}
	var b []byte
	if size == math.MaxUint16 {
		b = r.long()
	} else if n := r.uint16(); n != math.MaxUint16 {
		b = append([]byte{}, r.take(int(n))...)
	}
	switch {
	case b == nil:
		return nil
	case token == 0xE7 || token == 0xEF:
		return utf16Text(b)
	case token == 0xA7 || token == 0xAF:
		return string(b)
	}
	return b
}

// long reads a value in parts; nil = NULL.
func (r *reader) long() []byte {
	if r.uint64() == math.MaxUint64 {
		return nil
	}
	b := []byte{}
	for r.err == nil {
		n := r.uint32()
		if n == 0 {
			break
		}
		b = append(b, r.take(int(n))...)
	}
	return b
}
