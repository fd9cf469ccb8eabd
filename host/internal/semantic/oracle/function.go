package oracle

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// call computes a scalar function. Most are NULL when an argument is.
func call(function string, args []any) any {
	switch function {
	case "coalesce":
		for _, a := range args {
			if a != nil {
				return a
			}
		}
		return nil
	case "concat":
		s := ""
		for _, a := range args {
			if a != nil {
				s += textOf(a)
			}
		}
		return s
	case "nullif":
		if operate(expression.Equal, args[0], args[1]) == true {
			return nil
		}
		return args[0]
	}
	for _, a := range args {
		if a == nil {
			return nil
		}
	}
	switch first := args[0].(type) {
	case float64:
		return ofNumbers(function, first, args)
	case string:
		return ofTexts(function, first, args)
	}
	panic("there is no meaning of " + function)
}

func ofNumbers(function string, x float64, args []any) any {
	switch function {
	case "abs":
		return math.Abs(x)
	case "ceil":
		return math.Ceil(x)
	case "floor":
		return math.Floor(x)
	case "sqrt":
		return math.Sqrt(x)
	case "sign":
		return float64(compareValues(x, 0.0))
	case "greatest", "least":
		return extreme(function == "greatest", args)
	case "round":
		scale := 1.0
		if len(args) > 1 {
			scale = math.Pow(10, args[1].(float64))
		}
		return math.Round(x*scale) / scale // half away from zero
	}
	panic("there is no meaning of " + function)
}

func extreme(greatest bool, args []any) any {
	best := args[0]
	for _, a := range args[1:] {
		if (compareValues(a, best) > 0) == greatest {
			best = a
		}
	}
	return best
}

func ofTexts(function, s string, args []any) any {
	switch function {
	case "length":
		return float64(utf8.RuneCountInString(s))
	case "lower":
		return lower(s)
	case "upper":
		return strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' {
				return r - 'a' + 'A'
			}
			return r
		}, s)
	case "trim":
		return strings.Trim(s, " ")
	case "left":
		runes := []rune(s)
		return string(runes[:min(len(runes), int(args[1].(float64)))])
	case "greatest", "least":
		return extreme(function == "greatest", args)
	case "date_trunc":
		return truncate(s, args[1].(string))
	case "date_diff_days":
		return float64(daysBetween(s, args[1].(string)))
	}
	return field(function, s)
}

// lower folds the letters of ASCII, which every engine does.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// matches searches a text.
func matches(kind expression.MatchKind, x, pattern any) any {
	if x == nil || pattern == nil {
		return nil
	}
	s, p := x.(string), pattern.(string)
	if kind != expression.Like {
		s, p = lower(s), lower(p)
	}
	switch kind {
	case expression.Contains:
		return strings.Contains(s, p)
	case expression.StartsWith:
		return strings.HasPrefix(s, p)
	case expression.EndsWith:
		return strings.HasSuffix(s, p)
	}
	return like([]rune(s), []rune(p))
}

// like compares with a pattern: % is any text, _ any character, \ takes the next
// character as it is.
func like(s, p []rune) bool {
	if len(p) == 0 {
		return len(s) == 0
	}
	switch p[0] {
	case '%':
		for i := range len(s) + 1 {
			if like(s[i:], p[1:]) {
				return true
			}
		}
		return false
	case '_':
		return len(s) > 0 && like(s[1:], p[1:])
	case '\\':
		if len(p) > 1 {
			p = p[1:]
		}
	}
	return len(s) > 0 && s[0] == p[0] && like(s[1:], p[1:])
}
