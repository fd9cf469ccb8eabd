package chart

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

const (
	// maxDigits bounds the characters of a number that is read, maxExponent its exponent: a short text could
	// otherwise mean a number of gigabytes.
	maxDigits   = 400
	maxExponent = 400
)

// number reads a decimal number exactly; nil = the text is none, or not finite, or too long.
func number(s string) *big.Rat {
	if s == "" || len(s) > maxDigits || strings.Trim(s, "+-.0123456789eE") != "" {
		return nil
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(s[at+1:])
		if err != nil || exponent < -maxExponent || exponent > maxExponent {
			return nil
		}
	}
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return n
}

// scale is an axis of numbers with round ticks.
type scale struct {
	low, high *big.Rat
	ticks     []tick
}

// wanted is how many steps an axis of numbers has, about.
const wanted = 5

// scaleOf returns the axis of numbers from low to high. It starts at zero if zeroed, or if that costs little room.
func scaleOf(low, high *big.Rat, zeroed bool) *scale {
	low, high = new(big.Rat).Set(low), new(big.Rat).Set(high)
	span := new(big.Rat).Sub(high, low)
	room := func(far *big.Rat) bool { // the values differ by a fifth of the farthest one
		return zeroed || span.Sign() == 0 || new(big.Rat).Mul(span, big.NewRat(wanted, 1)).Cmp(new(big.Rat).Abs(far)) >= 0
	}
	switch {
	case low.Sign() >= 0 && room(high):
		low.SetInt64(0)
	case high.Sign() <= 0 && room(low):
		high.SetInt64(0)
	}
	if low.Cmp(high) == 0 {
		high.SetInt64(1)
	}
	span.Sub(high, low)
	unit, exponent := roundStep(new(big.Rat).Quo(span, big.NewRat(wanted, 1)))
	step := new(big.Rat).Mul(big.NewRat(unit, 1), power(exponent))
	from, to := floor(new(big.Rat).Quo(low, step)), floor(new(big.Rat).Quo(high, step))
	if new(big.Rat).Mul(new(big.Rat).SetInt(to), step).Cmp(high) < 0 {
		to.Add(to, big.NewInt(1))
	}
	s := &scale{low: new(big.Rat).Mul(new(big.Rat).SetInt(from), step), high: new(big.Rat).Mul(new(big.Rat).SetInt(to), step)}
	for i := new(big.Int).Set(from); i.Cmp(to) <= 0; i.Add(i, big.NewInt(1)) {
		digits := new(big.Int).Mul(i, big.NewInt(unit))
		s.ticks = append(s.ticks, tick{s.position(new(big.Rat).Mul(new(big.Rat).SetInt(i), step)), decimal(digits, exponent)})
	}
	return s
}

// position returns where a number is, from 0 to 1.
func (s *scale) position(n *big.Rat) float64 {
	at := new(big.Rat).Sub(n, s.low)
	f, _ := at.Quo(at, new(big.Rat).Sub(s.high, s.low)).Float64()
	return f
}

// roundStep returns the smallest round step of at least r: 1, 2 or 5 times a power of ten.
func roundStep(r *big.Rat) (unit int64, exponent int) {
	_, written, _ := strings.Cut(new(big.Float).SetRat(r).Text('e', 2), "e")
	exponent, _ = strconv.Atoi(written)
	for _, unit = range []int64{1, 2, 5} {
		if new(big.Rat).Mul(big.NewRat(unit, 1), power(exponent)).Cmp(r) >= 0 {
			return unit, exponent
		}
	}
	return 1, exponent + 1
}

func power(exponent int) *big.Rat {
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), n)
	}
	return new(big.Rat).SetInt(n)
}

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) } // Div rounds down for a positive divisor

// decimal writes digits × 10^exponent: with its zeros, or with an exponent where that is shorter.
func decimal(digits *big.Int, exponent int) string {
	if digits.Sign() == 0 {
		return "0"
	}
	sign, s := "", digits.String()
	if digits.Sign() < 0 {
		sign, s = "-", s[1:]
	}
	short := strings.TrimRight(s, "0")
	power := exponent + len(s) - 1
	exponential := short[:1]
	if len(short) > 1 {
		exponential += "." + short[1:]
	}
	exponential += "e" + strconv.Itoa(power)
	plain := s
	switch {
	case exponent > 0:
		plain += strings.Repeat("0", exponent)
	case exponent < 0:
		if missing := 1 - exponent - len(s); missing > 0 {
			plain = strings.Repeat("0", missing) + s
		}
		at := len(plain) + exponent
		plain = strings.TrimRight(plain[:at]+"."+plain[at:], "0")
		plain = strings.TrimSuffix(plain, ".")
	}
	const readable = 12
	if len(plain) > readable && len(exponential) < len(plain) {
		return sign + exponential
	}
	return sign + grouped(plain)
}

// grouped separates the thousands of a number without a sign.
func grouped(s string) string {
	whole, fraction, point := strings.Cut(s, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if point {
		return whole + "." + fraction
	}
	return whole
}

// labelChars is how many characters of a label are shown.
const labelChars = 24

// visible returns a text on one line without characters that change how others are shown, cut to a number of
// characters.
func visible(s string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			return b.String() + "…"
		}
		switch {
		case r == '\n', r == '\t', r == '\r':
			r = ' '
		case r == utf8.RuneError, text.Unseen(r):
			r = '·'
		}
		b.WriteRune(r)
	}
	return b.String()
}
