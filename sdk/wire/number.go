package wire

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// text returns s as a proto3 string can carry it. Text from an engine is not
// always UTF-8, and one bad byte would fail the message it is in.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func texts(all []string) []string {
	if all == nil {
		return nil
	}
	valid := make([]string, len(all))
	for i, s := range all {
		valid[i] = text(s)
	}
	return valid
}

func textMap(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	valid := make(map[string]string, len(m))
	for k, v := range m {
		valid[text(k)] = text(v)
	}
	return valid
}

// cut returns at most limit bytes of s, valid UTF-8, with an ellipsis in place
// of what was cut off.
func cut(s string, limit int) string {
	const ellipsis = "…"
	s = text(s)
	if len(s) <= limit {
		return s
	}
	keep := limit - len(ellipsis)
	if keep < 0 {
		return ""
	}
	for keep > 0 && !utf8.RuneStart(s[keep]) {
		keep--
	}
	return s[:keep] + ellipsis
}

// small returns n as a uint32; what does not fit becomes the nearest that does.
func small(n int) uint32 { return uint32(min(max(int64(n), 0), math.MaxUint32)) }

// units returns d in whole units, rounded up: a limit of less than one unit
// must not become 0, which means no limit.
func units(d, unit time.Duration) uint32 {
	if d <= 0 {
		return 0
	}
	return uint32(min((int64(d)-1)/int64(unit)+1, math.MaxUint32))
}

func millis(d time.Duration) uint32 { return units(d, time.Millisecond) }

func duration(n uint32, unit time.Duration) time.Duration { return time.Duration(n) * unit }

// unixMicros encodes a time; 0 is the zero time.
func unixMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// micros decodes a duration in microseconds; one that a time.Duration cannot
// hold becomes the nearest that it can.
func micros(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Microsecond)
	return time.Duration(max(min(n, most), -most)) * time.Microsecond
}

// convert maps a slice; nil stays nil.
func convert[A, B any](in []A, one func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i := range in {
		out[i] = one(in[i])
	}
	return out
}
