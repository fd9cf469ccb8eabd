package reach

import (
	"encoding/json"

	"github.com/loam-data/loam/sdk"
)

// AllowFunctions is the key of a connection with the exceptions, a list of strings. A connector that
// uses the package must have it in its configuration schema.
const AllowFunctions = "allow_functions"

// Refuse returns the error for the statement in which the path was found: KindNotReadOnly with
// SourceCaller, the path in the message, the entry that allows it in the hint, and the position of
// the name. sql may be "" for a request that names the object itself; then it has no position.
func (p *Path) Refuse(sql string) *sdk.Error {
	e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "the statement can leave its read-only transaction: %s, which %s", p, p.Reason.Text)
	if sql != "" {
		e.Pos = sdk.PositionAtByte(sql, p.Start)
	}
	key, value := p.Allow()
	return e.WithHint("read other objects, or, if this one is known to be harmless, add %s: [%s] to the connection's config", key, quoted(value))
}

// Allow returns the narrowest entry of the connection that allows the path: that of the Reason, or
// allow_functions with the last object before the one that leaves the transaction.
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

// quoted returns a string literal that is valid in YAML and JSON.
func quoted(value string) string {
	text, err := json.Marshal(value)
	if err != nil { // no text fails
		return value
	}
	return string(text)
}
