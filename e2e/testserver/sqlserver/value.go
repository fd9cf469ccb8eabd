//go:build cgo

package sqlserver

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// variable writes a parameter's value, or one of the server's.
func (t *translator) variable(one token) (string, error) {
	if strings.HasPrefix(one.raw, "@@") {
		x, ok := t.session.global(strings.ToUpper(one.raw[2:]))
		if !ok {
			return "", missing(one.line, "%s", one.raw)
		}
		return x, nil
	}
	value, ok := t.parameters[one.raw[1:]]
	if !ok {
		return "", &tds.Error{Number: 137, Class: 15, State: 2, Line: uint32(one.line), Message: `Must declare the scalar variable "` + one.raw + `".`}
	}
	return written(value), nil
}

// written writes a parameter's value.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case expression:
		return string(v)
	case bool:
		if v {
			return typed("true", "bit")
		}
		return typed("false", "bit")
	case int64:
		return "CAST(" + strconv.FormatInt(v, 10) + " AS BIGINT)"
	case float64:
		return "CAST('" + strconv.FormatFloat(v, 'g', -1, 64) + "' AS DOUBLE)"
	case []byte:
		return blob(v)
	case time.Time:
		if _, offset := v.Zone(); offset != 0 {
			return "CAST('" + v.Format("2006-01-02 15:04:05.999999999-07:00") + "' AS TIMESTAMPTZ)"
		}
		return "CAST('" + v.Format("2006-01-02 15:04:05.999999999") + "' AS TIMESTAMP_NS)"
	}
	return literal(fmt.Sprint(value))
}
