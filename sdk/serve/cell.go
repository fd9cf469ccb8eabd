package serve

import (
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// cell returns a cell as JSON, in the form that the host shows.
func cell(t sdk.Type, v *sdk.Vector, row int) json.RawMessage {
	switch {
	case v.IsNull(row):
		return json.RawMessage("null")
	case t == sdk.TypeInt64:
		return sdk.AppendJSONInteger(nil, v.I64[row])
	case t == sdk.TypeFloat64:
		return sdk.AppendJSONFloat(nil, v.F64[row])
	case t == sdk.TypeBool, (t == sdk.TypeJSON || t == sdk.TypeNestedJSON) && json.Valid(v.Bytes(row)):
		return v.AppendText(nil, t, row)
	default:
		text, _ := sdk.AppendJSONText(nil, v.AppendText(nil, t, row)) // U+FFFD shows what is no UTF-8
		return text
	}
}
