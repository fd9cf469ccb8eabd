package snowflake

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// parameter writes the value of a parameter; without values it is NULL.
func (x *rewriter) parameter(t token) (token, error) {
	x.params++
	place := t.text
	if place == "?" {
		place = strconv.Itoa(x.params)
	}
	out := token{kind: raw, text: "NULL", at: t.at}
	if x.binds == nil {
		if x.run {
			return out, fail("002049", "42601", "SQL compilation error:\nerror line 1 at position 0\nBind variable %s not set.", t.text)
		}
		return out, nil
	}
	b, ok := x.binds[place]
	if !ok {
		return out, fail("002049", "42601", "SQL compilation error:\nBind variable %s not set.", place)
	}
	var value *string
	if err := json.Unmarshal(b.Value, &value); err != nil {
		return out, refused("arrays of values for a parameter")
	}
	if value == nil {
		return out, nil
	}
	sql, err := bound(b.Type, *value)
	out.text = sql
	return out, err
}

// bound writes a value as clients send it for its type.
func bound(kind, value string) (string, error) {
	quoted := literal(value)
	switch kind {
	case "FIXED":
		return "CAST(" + quoted + " AS DECIMAL(38,0))", nil
	case "REAL":
		return "CAST(" + quoted + " AS DOUBLE)", nil
	case "BOOLEAN":
		return "CAST(" + quoted + " AS BOOLEAN)", nil
	case "TEXT":
		return quoted, nil
	case "BINARY":
		return "unhex(" + quoted + ")", nil
	case "DATE": // milliseconds
		return "CAST(make_timestamp(" + value + " * 1000) AS DATE)", numeric(value)
	case "TIME": // nanoseconds
		return "sf_time(CAST(make_timestamp_ns(" + value + ") AS VARCHAR))", numeric(value)
	case "TIMESTAMP_NTZ":
		return "make_timestamp_ns(" + value + ")", numeric(value)
	case "TIMESTAMP_LTZ":
		return "struct_pack(ltz := make_timestamp_ns(" + value + "))", numeric(value)
	case "TIMESTAMP_TZ":
		nanos, offset, _ := strings.Cut(value, " ")
		if err := numeric(nanos); err != nil {
			return "", err
		}
		return fmt.Sprintf("struct_pack(tz := make_timestamp_ns(%s), off := CAST(%d AS SMALLINT))", nanos, atoi(offset)-1440), numeric(offset)
	}
	return "", refused("a parameter of type %s", kind)
}

func numeric(s string) error {
	if _, err := strconv.ParseInt(s, 10, 64); err != nil {
		return fail("100038", "22018", "Numeric value '%s' is not recognized", s)
	}
	return nil
}
