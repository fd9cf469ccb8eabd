package reach

import (
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// AllowFunctions is the key of a connection that names exceptions. A connector
// that uses the package has it in its configuration, as a list of texts.
const AllowFunctions = "allow_functions"

// Refuse returns the refusal of the statement that the path was found in.
// Errors: KindNotReadOnly of the caller, with the path in its message, the entry
// that allows it in its hint, and the position of the name; without a text, for a
// request that names the object itself, no position.
func (p *Path) Refuse(sql string) *sdk.Error {
	e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "the statement can leave its read-only transaction: %s, which %s", p, p.Reason.Text)
	if sql != "" {
		e.Pos = sdk.PositionAtByte(sql, p.Start)
	}
	key, value := p.Allow()
	return e.WithHint("read other objects, or, if this one is known to be harmless, add %s: [%s] to the connection", key, quoted(value))
}

// Allow returns the narrowest entry of the connection that allows the path: the
// last object in front of the one that leaves the transaction.
func (p *Path) Allow() (key, value string) {
	if p.Reason.Key != "" {
		return p.Reason.Key, p.Reason.Value
	}
	for i := len(p.Objects) - 2; i >= 0; i-- {
		if p.Objects[i].Kind.use() != unnamed {
			return AllowFunctions, p.Objects[i].qualified()
		}
	}
	return AllowFunctions, p.Objects[len(p.Objects)-1].qualified()
}

// quoted writes a value as YAML and JSON read it.
func quoted(value string) string {
	text, err := json.Marshal(value)
	if err != nil { // no text fails
		return value
	}
	return string(text)
}
