package clickhouse

import (
	"math/bits"
)

// wideDigits is how many digits one division takes off: 10^19 is the highest
// power of ten in 64 bits.
const (
	wideDigits = 19
	widePower  = 10_000_000_000_000_000_000
)

// appendWide writes a whole number of 4, 8, 16 or 32 bytes, the lowest first,
// divided by 10^scale, with scale digits behind the point.
func appendWide(dst, cell []byte, signed bool, scale int) []byte {
	var limbs [4]uint64
	n := load(&limbs, cell)
	if signed && cell[len(cell)-1]&0x80 != 0 {
		dst = append(dst, '-')
		negate(limbs[:n])
	}
	var text [4*wideDigits + 20]byte
	at := len(text)
	for rest := limbs[:n]; ; {
		remainder := divide(rest)
		for len(rest) > 0 && rest[len(rest)-1] == 0 {
			rest = rest[:len(rest)-1]
		}
		if len(rest) == 0 {
			for more := true; more; more = remainder > 0 {
				at--
				text[at], remainder = byte('0'+remainder%10), remainder/10
			}
			break
		}
		for range wideDigits {
			at--
			text[at], remainder = byte('0'+remainder%10), remainder/10
		}
	}
	for len(text)-at <= scale {
		at--
		text[at] = '0'
	}
	point := len(text) - scale
	dst = append(dst, text[at:point]...)
	if scale == 0 {
		return dst
	}
	return append(append(dst, '.'), text[point:]...)
}

// load reads the number, extended by its sign to whole limbs, and returns how
// many there are.
func load(limbs *[4]uint64, cell []byte) int {
	if len(cell) == 4 {
		limbs[0] = uint64(int64(int32(little.Uint32(cell))))
		return 1
	}
	for i := range len(cell) / 8 {
		limbs[i] = little.Uint64(cell[8*i:])
	}
	return len(cell) / 8
}

// negate is the two's complement.
func negate(limbs []uint64) {
	carry := uint64(1)
	for i := range limbs {
		limbs[i], carry = bits.Add64(^limbs[i], 0, carry)
	}
}

// divide divides by widePower and returns the remainder.
func divide(limbs []uint64) uint64 {
	remainder := uint64(0)
	for i := len(limbs) - 1; i >= 0; i-- {
		limbs[i], remainder = bits.Div64(remainder, limbs[i], widePower)
	}
	return remainder
}
