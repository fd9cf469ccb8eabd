package snowflake

import (
	"context"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// partsSQL lists the parts of the structured types that a database's tables use: fields of
// OBJECTs, keys and values of MAPs, elements of ARRAYs. A part that is of a structured type
// has the identifier of that type. %s is the database.
// Source: the manual's pages "FIELDS view" and "ELEMENT_TYPES view".
const partsSQL = `SELECT object_schema, object_name, row_identifier, field_name, ` + typeSQL + `, dtd_identifier, ordinal_position
FROM %[1]s.information_schema.fields
UNION ALL SELECT object_schema, object_name, collection_type_identifier, NULL, ` + typeSQL + `, dtd_identifier, 1
FROM %[1]s.information_schema.element_types ORDER BY 1, 2, 3, 7`

// maxParts is how many parts the service allows in the type of a column.
// Source: the manual's page "Structured data types".
const maxParts = 1000

// structure identifies a structured type: the table that uses it, and the service's
// identifier, "" = the type is not structured.
type structure struct{ schema, table, id string }

// part is a part of a structured type.
type part struct{ name, native, id string }

// readParts reads the parts of a database's structured types. A role without access to
// the views gets a warning and columns without fields.
func (s *scan) readParts(ctx context.Context, database string) error {
	s.parts = map[structure][]part{}
	err := s.r.query(ctx, fmt.Sprintf(partsSQL, quote(database)), func(row sqlkit.Row) error {
		of := structure{row.Text(0), row.Text(1), row.Text(2)}
		s.parts[of] = append(s.parts[of], part{row.Text(3), row.Text(4), row.Text(5)})
		return nil
	})
	if e := s.r.s.native(err); e != nil && (e.Kind == sdk.KindNotFound || e.Kind == sdk.KindDenied) {
		return s.Warning(sdk.Warning{Object: database, Code: e.Code, Message: "the fields of structured columns are left out: the role cannot read " +
			quote(database) + ".INFORMATION_SCHEMA.FIELDS and ELEMENT_TYPES"})
	}
	return err
}

// columns notes the structured type of each row's column, which sqlkit.Catalog.Column does
// not get.
func (s *scan) columns(row func(sqlkit.Row) error) func(sqlkit.Row) error {
	return func(r sqlkit.Row) error {
		s.of, s.left = structure{r.Text(1), r.Text(2), r.Text(10)}, maxParts
		return row(r)
	}
}

// complete adds what the type of a column says beyond its logical type.
func (s *scan) complete(c *sdk.Column, typed structure) {
	of := columnOf(c.Name, c.NativeType)
	c.Type, c.Precision, c.Scale, c.TimeDigits, c.NativeType = of.Type, of.Precision, of.Scale, of.TimeDigits, of.NativeType
	s.nest(c, typed)
}

// nest adds the fields of a structured type to its column, as sdk.Column.Fields has them,
// and its parts to the name of its type. A MAP has no fields: its keys are data. It adds no
// more parts than a column can have, so that it ends where identifiers form a cycle.
func (s *scan) nest(c *sdk.Column, of structure) {
	parts := s.parts[of]
	if of.id == "" || len(parts) == 0 || len(parts) > s.left {
		return
	}
	s.left -= len(parts)
	fields, names := make([]sdk.Column, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		f := &fields[i]
		*f = sdk.Column{Name: p.name, NativeType: p.native, Nullable: true}
		if c.NativeType == "MAP" {
			f.Name = ""
		}
		s.complete(f, structure{of.schema, of.table, p.id})
		names[i] = strings.TrimSpace(f.Name + " " + f.NativeType)
	}
	switch c.NativeType {
	case "OBJECT":
		c.Fields = fields
	case "ARRAY":
		if c.Repeated, c.Fields = true, fields; len(fields[0].Fields) > 0 && !fields[0].Repeated {
			c.Fields = fields[0].Fields
		}
	}
	c.NativeType += "(" + strings.Join(names, ", ") + ")"
}
