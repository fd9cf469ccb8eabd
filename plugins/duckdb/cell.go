//go:build cgo

package duckdb

import (
	"math"
	"math/big"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// cell appends a row of a column, which is not NULL, to a result. Columns get
// one when the result starts, so that reading a value makes no choice and no
// garbage.
type cell func(w *sdk.RowWriter, v *engine.Vector, row int)

// cellOf returns how values of a type are read.
func cellOf(t *engine.Type) cell {
	switch t.ID {
	case duck.TypeBoolean:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Bool(engine.Get[uint8](v, row) != 0) }
	case duck.TypeTinyInt:
		return integerCell[int8]
	case duck.TypeSmallInt:
		return integerCell[int16]
	case duck.TypeInteger:
		return integerCell[int32]
	case duck.TypeBigInt, duck.TypeTime:
		return integerCell[int64]
	case duck.TypeUTinyInt:
		return integerCell[uint8]
	case duck.TypeUSmallInt:
		return integerCell[uint16]
	case duck.TypeUInteger:
		return integerCell[uint32]
	case duck.TypeFloat:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Float64(float64(engine.Get[float32](v, row))) }
	case duck.TypeDouble:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Float64(engine.Get[float64](v, row)) }
	case duck.TypeVarchar, duck.TypeBlob:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Bytes(v.Bytes(row)) }
	case duck.TypeEnum:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Text(v.Word(row)) }
	case duck.TypeDate, duck.TypeTimestamp, duck.TypeTimestampS, duck.TypeTimestampMS, duck.TypeTimestampTZ:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Int64(moment(v, row)) }
	case duck.TypeTimestampNS, duck.TypeTimeNS:
		return func(w *sdk.RowWriter, v *engine.Vector, row int) { w.Moment(nanoMoment(v, row)) }
	case duck.TypeSQLNull:
		return func(w *sdk.RowWriter, _ *engine.Vector, _ int) { w.Null() }
	}
	var scratch []byte
	if logicalType(t) == sdk.TypeNestedJSON {
		return func(w *sdk.RowWriter, v *engine.Vector, row int) {
			scratch = appendJSON(scratch[:0], v, row)
			w.Bytes(scratch)
		}
	}
	return func(w *sdk.RowWriter, v *engine.Vector, row int) {
		scratch = appendText(scratch[:0], v, row)
		w.Bytes(scratch)
	}
}

func integerCell[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](w *sdk.RowWriter, v *engine.Vector, row int) {
	w.Int64(int64(engine.Get[T](v, row)))
}

// integer returns a row of a type that an int64 holds.
func integer(v *engine.Vector, row int) int64 {
	switch v.Type.ID {
	case duck.TypeTinyInt:
		return int64(engine.Get[int8](v, row))
	case duck.TypeSmallInt:
		return int64(engine.Get[int16](v, row))
	case duck.TypeInteger:
		return int64(engine.Get[int32](v, row))
	case duck.TypeUTinyInt:
		return int64(engine.Get[uint8](v, row))
	case duck.TypeUSmallInt:
		return int64(engine.Get[uint16](v, row))
	case duck.TypeUInteger:
		return int64(engine.Get[uint32](v, row))
	default:
		return engine.Get[int64](v, row)
	}
}

// moment returns a row of a date or timestamp in the units of sdk's types.
// Source: date_t::infinity and timestamp_t::infinity of DuckDB, whose negative
// ones are -infinity. TIMESTAMP_S and TIMESTAMP_MS hold no time that microseconds do not.
func moment(v *engine.Vector, row int) int64 {
	if v.Type.ID == duck.TypeDate {
		switch days := engine.Get[int32](v, row); days {
		case math.MaxInt32:
			return sdk.Infinity
		case -math.MaxInt32:
			return sdk.NegativeInfinity
		default:
			return int64(days)
		}
	}
	n := engine.Get[int64](v, row)
	switch n {
	case math.MaxInt64:
		return sdk.Infinity
	case -math.MaxInt64:
		return sdk.NegativeInfinity
	}
	switch v.Type.ID {
	case duck.TypeTimestampS:
		return n * 1_000_000
	case duck.TypeTimestampMS:
		return n * 1_000
	default:
		return n
	}
}

// nanoMoment returns a row of a TIMESTAMP_NS or TIME_NS as microseconds and the
// nanoseconds beyond them.
func nanoMoment(v *engine.Vector, row int) (micros int64, nanos int) {
	n := engine.Get[int64](v, row)
	switch n {
	case math.MaxInt64:
		return sdk.Infinity, 0
	case -math.MaxInt64:
		return sdk.NegativeInfinity, 0
	}
	micros, rest := n/1000, n%1000
	if rest < 0 {
		micros, rest = micros-1, rest+1000
	}
	return micros, int(rest)
}

// hugeint returns a row of a HUGEINT, UHUGEINT or wide DECIMAL.
func hugeint(v *engine.Vector, row int) *big.Int {
	h := engine.Get[engine.Hugeint](v, row)
	high := big.NewInt(h.High)
	if v.Type.ID == duck.TypeUHugeInt {
		high.SetUint64(uint64(h.High))
	}
	return high.Lsh(high, 64).Add(high, new(big.Int).SetUint64(h.Low))
}

// bignum returns a row of a BIGNUM: three bytes of length, with the sign in the
// first bit, and the magnitude from its highest byte, all inverted where negative.
// Source: extension/core_functions/include/…/bignum.hpp of DuckDB.
func bignum(v *engine.Vector, row int) *big.Int {
	const header = 3
	data := v.Bytes(row)
	if len(data) <= header {
		return new(big.Int)
	}
	if data[0]&0x80 != 0 {
		return new(big.Int).SetBytes(data[header:])
	}
	magnitude := make([]byte, len(data)-header)
	for i := range magnitude {
		magnitude[i] = ^data[header+i]
	}
	n := new(big.Int).SetBytes(magnitude)
	return n.Neg(n)
}
