package semanticquery

import (
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/sdk"
)

// Defined is the provenance of a column that the model defines.
const Defined = compile.Defined

// Column is a column of an answer, for MCP and the command line.
type Column struct {
	Name string `json:"name"`
	// Member is the full name of the dimension or measure; null: the request
	// defines it.
	Member *string `json:"member,omitempty"`
	// Type is the model's, else the engine's; NativeType is the engine's own name.
	Type       string             `json:"type"`
	NativeType string             `json:"nativeType,omitempty"`
	Unit       string             `json:"unit,omitempty"`
	Format     string             `json:"format,omitempty"`
	Provenance compile.Provenance `json:"provenance"`
}

// Columns describes the columns of the answer; engine are the columns passed to a
// Sink.
func (c *Compiled) Columns(engine []sdk.Column) []Column {
	all := make([]Column, len(c.Query.Columns))
	for i, q := range c.Query.Columns {
		typ := q.Type
		if typ == sdk.TypeUnspecified {
			typ = engine[i].Type
		}
		all[i] = Column{
			Name: q.Name, Type: typ.String(), NativeType: engine[i].NativeType,
			Unit: q.Unit, Format: q.Format, Provenance: q.Provenance,
		}
		if q.Member != "" {
			all[i].Member = &q.Member
		}
	}
	return all
}
