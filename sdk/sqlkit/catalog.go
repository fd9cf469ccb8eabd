package sqlkit

import (
	"database/sql/driver"
	"fmt"
	"strconv"

	"github.com/loam-data/loam/sdk"
)

// Catalog is how an engine lists its tables: three queries over the whole
// database, however many tables there are.
type Catalog struct {
	// Levels of a table's name: 1 table, 2 schema.table, 3 catalog.schema.table.
	Levels int
	// Tables has a row per table: catalog, schema, name, kind (a TableKind, or
	// "BASE TABLE" or "VIEW"), comment, row estimate, byte estimate, definition.
	// Optional further columns: "TABLE" for a table that the account may not read,
	// "SCHEMA" for a whole schema, or NULL; then TableProperties. Denied tables are
	// left out with a warning.
	Tables string
	// Columns has a row per column, those of a table together and in order:
	// catalog, schema, table, name, native type, nullable ("YES" or true),
	// default, comment, generated ("ALWAYS" or true); then ColumnProperties.
	Columns string
	// Keys has a row per column of a key, those of a key together and in order:
	// catalog, schema, table, key, kind ("PRIMARY KEY", "UNIQUE", "FOREIGN KEY",
	// "PARTITION KEY", "CLUSTER KEY"), column, its position in the key from 1,
	// referenced catalog, schema, table and column, enforced. Optional.
	Keys string
	// TableProperties and ColumnProperties name the columns that follow the fixed
	// ones of Tables and Columns; NULL and "" are left out.
	TableProperties, ColumnProperties []string
	// DeniedCode is the engine's own code for warnings about denied tables.
	DeniedCode string
	// Type maps a native type.
	Type func(native string) sdk.Type
	// Column adds properties of the native type beyond Type, precision and scale,
	// such as nullability. Optional.
	Column func(*sdk.Column)
	// Stamps makes scans incremental: a row per table with its catalog, schema and
	// name, and a text that changes whenever the table's rows in Columns change. It
	// runs before Columns. A table without a row is always sent whole. Optional.
	Stamps string
	// ColumnsOf returns a query like Columns for at least these tables. Optional.
	ColumnsOf func([]sdk.TableRef) string
	// Version is the connector's version: after a change of version all tables are
	// sent whole.
	Version string
}

// Row is a row of a catalogue query with the driver's values.
type Row []driver.Value

// is reports whether a row is of a table, whose name starts it.
func (r Row) is(ref sdk.TableRef) bool {
	return r.same(2, ref.Name) && r.same(1, ref.Schema) && r.same(0, ref.Catalog)
}

func (r Row) same(i int, text string) bool {
	if raw, ok := r[i].([]byte); ok {
		return string(raw) == text
	}
	return r.Text(i) == text
}

// Text returns a value as text; NULL is "".
func (r Row) Text(i int) string {
	switch v := r[i].(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

// Int returns an integer, or missing for NULL and other values.
func (r Row) Int(i int, missing int64) int64 {
	n, err := strconv.ParseInt(r.Text(i), 10, 64)
	if err != nil {
		return missing
	}
	return n
}

// Bool reports whether a value is true, 1, YES or ALWAYS.
func (r Row) Bool(i int) bool {
	switch r.Text(i) {
	case "true", "TRUE", "1", "YES", "ALWAYS":
		return true
	default:
		return false
	}
}

// properties names the values from i on that are set; nil for none.
func (r Row) properties(i int, names []string) map[string]string {
	var set map[string]string
	for n, name := range names {
		value := r.Text(i + n)
		if value == "" {
			continue
		}
		if set == nil {
			set = map[string]string{}
		}
		set[name] = value
	}
	return set
}

// ref returns the table whose name starts at i.
func (r Row) ref(i int) sdk.TableRef {
	return sdk.TableRef{Catalog: r.Text(i), Schema: r.Text(i + 1), Name: r.Text(i + 2)}
}

// InformationSchema is the Catalog of an engine with the SQL standard's
// INFORMATION_SCHEMA, over the schemas that the account sees. It knows no
// comments, estimates or view definitions, and takes the names of keys for
// unique within a schema, as the standard has it (MySQL calls every primary key
// PRIMARY); replace its queries where the engine has more or does otherwise.
func InformationSchema(types Types) Catalog {
	const hidden = `LOWER(table_schema) NOT IN ('information_schema', 'pg_catalog', 'sys')`
	return Catalog{
		Levels: 3,
		Tables: `SELECT table_catalog, table_schema, table_name, table_type, NULL, NULL, NULL, NULL
			FROM information_schema.tables WHERE ` + hidden + ` ORDER BY 1, 2, 3`,
		Columns: `SELECT table_catalog, table_schema, table_name, column_name,
				CASE WHEN LOWER(data_type) IN ('numeric', 'decimal') AND numeric_precision IS NOT NULL
					THEN CONCAT(data_type, '(', numeric_precision, ',', numeric_scale, ')') ELSE data_type END,
				is_nullable, column_default, NULL, NULL
			FROM information_schema.columns WHERE ` + hidden + ` ORDER BY table_catalog, table_schema, table_name, ordinal_position`,
		Keys: `SELECT k.table_catalog, k.table_schema, k.table_name, t.constraint_name, t.constraint_type, k.column_name, k.ordinal_position,
				p.table_catalog, p.table_schema, p.table_name, p.column_name, 'YES'
			FROM information_schema.table_constraints t
			JOIN information_schema.key_column_usage k
				ON k.constraint_schema = t.constraint_schema AND k.constraint_name = t.constraint_name AND k.table_name = t.table_name
			LEFT JOIN information_schema.referential_constraints r
				ON r.constraint_schema = t.constraint_schema AND r.constraint_name = t.constraint_name AND t.constraint_type = 'FOREIGN KEY'
			LEFT JOIN information_schema.key_column_usage p
				ON p.constraint_schema = r.unique_constraint_schema AND p.constraint_name = r.unique_constraint_name
				AND p.ordinal_position = k.position_in_unique_constraint
			WHERE t.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
			ORDER BY 1, 2, 3, 4, 7`,
		Type: types.Of,
	}
}
