package bigquery

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/duckdb/duckdb-go/v2"
)

// register adds the functions to DuckDB that its SQL cannot write.
func register(conn *sql.Conn) error {
	return duckdb.RegisterScalarUDF(conn, "farm_fingerprint", fingerprintFunction{})
}

type fingerprintFunction struct{}

func (fingerprintFunction) Config() duckdb.ScalarFuncConfig {
	in, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return duckdb.ScalarFuncConfig{}
	}
	out, err := duckdb.NewTypeInfo(duckdb.TYPE_BIGINT)
	if err != nil {
		return duckdb.ScalarFuncConfig{}
	}
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{in}, ResultTypeInfo: out}
}

func (fingerprintFunction) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		s, ok := values[0].(string)
		if !ok {
			return nil, fmt.Errorf("farm_fingerprint of a %T", values[0])
		}
		return int64(fingerprint([]byte(s))), nil
	}}
}

// Constants of FarmHash's Fingerprint64.
// Source: https://github.com/google/farmhash, farmhashna::Hash64.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
)

func rotate(x uint64, n int) uint64 { return bits.RotateLeft64(x, -n) }

func shiftMix(x uint64) uint64 { return x ^ x>>47 }

func fetch64(s []byte) uint64 { return binary.LittleEndian.Uint64(s) }

func fetch32(s []byte) uint64 { return uint64(binary.LittleEndian.Uint32(s)) }

func hash16(u, v, mul uint64) uint64 {
	a := (u ^ v) * mul
	a ^= a >> 47
	b := (v ^ a) * mul
	b ^= b >> 47
	return b * mul
}

// fingerprint hashes as FARM_FINGERPRINT does.
func fingerprint(s []byte) uint64 {
	n := len(s)
	mul := k2 + uint64(n)*2
	switch {
	case n == 0:
		return k2
	case n < 4:
		y := uint64(s[0]) + uint64(s[n>>1])<<8
		z := uint64(n) + uint64(s[n-1])<<2
		return shiftMix(y*k2^z*k0) * k2
	case n < 8:
		return hash16(uint64(n)+fetch32(s)<<3, fetch32(s[n-4:]), mul)
	case n <= 16:
		a, b := fetch64(s)+k2, fetch64(s[n-8:])
		c := rotate(b, 37)*mul + a
		d := (rotate(a, 25) + b) * mul
		return hash16(c, d, mul)
	case n <= 32:
		a, b := fetch64(s)*k1, fetch64(s[8:])
		c, d := fetch64(s[n-8:])*mul, fetch64(s[n-16:])*k2
		return hash16(rotate(a+b, 43)+rotate(c, 30)+d, a+rotate(b+k2, 18)+c, mul)
	case n <= 64:
		return fingerprint64(s, mul)
	}
	return fingerprintLong(s)
}

func fingerprint64(s []byte, mul uint64) uint64 {
	n := len(s)
	a, b := fetch64(s)*k2, fetch64(s[8:])
	c, d := fetch64(s[n-8:])*mul, fetch64(s[n-16:])*k2
	y := rotate(a+b, 43) + rotate(c, 30) + d
	z := hash16(y, a+rotate(b+k2, 18)+c, mul)
	e, f := fetch64(s[16:])*mul, fetch64(s[24:])
	g, h := (y+fetch64(s[n-32:]))*mul, (z+fetch64(s[n-24:]))*mul
	return hash16(rotate(e+f, 43)+rotate(g, 30)+h, e+rotate(f+a, 18)+g, mul)
}

func weak(s []byte, a, b uint64) (uint64, uint64) {
	w, x, y, z := fetch64(s), fetch64(s[8:]), fetch64(s[16:]), fetch64(s[24:])
	a += w
	b = rotate(b+a+z, 21)
	c := a
	a += x + y
	b += rotate(a, 44)
	return a + z, b + c
}

func fingerprintLong(s []byte) uint64 {
	const seed = 81
	var k1x uint64 = k1 // so that the constants wrap
	x := uint64(seed)
	y := seed*k1x + 113
	z := shiftMix(y*k2+113) * k2
	var v0, v1, w0, w1 uint64
	x = x*k2 + fetch64(s)
	end := (len(s) - 1) / 64 * 64
	last := s[len(s)-64:]
	for at := 0; at < end; at += 64 {
		p := s[at:]
		x = rotate(x+y+v0+fetch64(p[8:]), 37) * k1
		y = rotate(y+v1+fetch64(p[48:]), 42) * k1
		x ^= w1
		y += v0 + fetch64(p[40:])
		z = rotate(z+w0, 33) * k1
		v0, v1 = weak(p, v1*k1, x+w0)
		w0, w1 = weak(p[32:], z+w1, y+fetch64(p[16:]))
		z, x = x, z
	}
	mul := k1 + (z&0xff)<<1
	w0 += uint64(len(s)-1) & 63
	v0 += w0
	w0 += v0
	x = rotate(x+y+v0+fetch64(last[8:]), 37) * mul
	y = rotate(y+v1+fetch64(last[48:]), 42) * mul
	x ^= w1 * 9
	y += v0*9 + fetch64(last[40:])
	z = rotate(z+w0, 33) * mul
	v0, v1 = weak(last, v1*mul, x+w0)
	w0, w1 = weak(last[32:], z+w1, y+fetch64(last[16:]))
	z, x = x, z
	return hash16(hash16(v0, w0, mul)+shiftMix(y)*k0+z, hash16(v1, w1, mul)+x, mul)
}
