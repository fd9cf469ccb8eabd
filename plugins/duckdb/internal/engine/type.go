//go:build cgo

package engine

import (
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// ID is the library's identifier of a type.
type ID = duck.Type

// Column is a column of a result.
type Column struct {
	Name string
	Type *Type
}

// Type is a type, with what is inside of it.
type Type struct {
	ID ID
	// Alias is the name that the type was given: "JSON", or a user's own.
	Alias        string
	Width, Scale int      // of a DECIMAL
	Internal     ID       // how a DECIMAL or an ENUM is stored
	Words        []string // of an ENUM
	Size         int      // of an ARRAY
	// Children are the element of a LIST or ARRAY, the key and the value of a
	// MAP, the fields of a STRUCT, the members of a UNION. Names pairs with them
	// for the last two.
	Children []*Type
	Names    []string
}

func newColumn(name string, logical duck.LogicalType) Column {
	return Column{Name: name, Type: newType(logical)}
}

// newType reads a type and frees it.
func newType(logical duck.LogicalType) *Type {
	defer duck.DestroyLogicalType(&logical)
	t := &Type{ID: duck.GetTypeId(logical), Alias: duck.LogicalTypeGetAlias(logical)}
	switch t.ID {
	case duck.TypeDecimal:
		t.Width, t.Scale = int(duck.DecimalWidth(logical)), int(duck.DecimalScale(logical))
		t.Internal = duck.DecimalInternalType(logical)
	case duck.TypeEnum:
		t.Internal = duck.EnumInternalType(logical)
		t.Words = make([]string, duck.EnumDictionarySize(logical))
		for i := range t.Words {
			t.Words[i] = duck.EnumDictionaryValue(logical, duck.IdxT(i))
		}
	case duck.TypeList:
		t.Children = []*Type{newType(duck.ListTypeChildType(logical))}
	case duck.TypeArray:
		t.Size = int(duck.ArrayTypeArraySize(logical))
		t.Children = []*Type{newType(duck.ArrayTypeChildType(logical))}
	case duck.TypeMap:
		t.Children = []*Type{newType(duck.MapTypeKeyType(logical)), newType(duck.MapTypeValueType(logical))}
	case duck.TypeStruct:
		for i := range duck.StructTypeChildCount(logical) {
			t.Names = append(t.Names, duck.StructTypeChildName(logical, i))
			t.Children = append(t.Children, newType(duck.StructTypeChildType(logical, i)))
		}
	case duck.TypeUnion:
		for i := range duck.UnionTypeMemberCount(logical) {
			t.Names = append(t.Names, duck.UnionTypeMemberName(logical, i))
			t.Children = append(t.Children, newType(duck.UnionTypeMemberType(logical, i)))
		}
	}
	return t
}

// typeNames are the names of the types that have nothing inside, as
// duckdb_columns() writes them.
var typeNames = map[ID]string{
	duck.TypeBoolean: "BOOLEAN", duck.TypeTinyInt: "TINYINT", duck.TypeSmallInt: "SMALLINT", duck.TypeInteger: "INTEGER",
	duck.TypeBigInt: "BIGINT", duck.TypeUTinyInt: "UTINYINT", duck.TypeUSmallInt: "USMALLINT", duck.TypeUInteger: "UINTEGER",
	duck.TypeUBigInt: "UBIGINT", duck.TypeHugeInt: "HUGEINT", duck.TypeUHugeInt: "UHUGEINT", duck.TypeBigNum: "BIGNUM",
	duck.TypeFloat: "FLOAT", duck.TypeDouble: "DOUBLE", duck.TypeVarchar: "VARCHAR", duck.TypeBlob: "BLOB", duck.TypeBit: "BIT",
	duck.TypeDate: "DATE", duck.TypeTime: "TIME", duck.TypeTimeNS: "TIME_NS", duck.TypeTimeTZ: "TIME WITH TIME ZONE",
	duck.TypeTimestamp: "TIMESTAMP", duck.TypeTimestampS: "TIMESTAMP_S", duck.TypeTimestampMS: "TIMESTAMP_MS",
	duck.TypeTimestampNS: "TIMESTAMP_NS", duck.TypeTimestampTZ: "TIMESTAMP WITH TIME ZONE", duck.TypeInterval: "INTERVAL",
	duck.TypeUUID: "UUID", duck.TypeSQLNull: "NULL", duck.TypeVariant: "VARIANT", duck.TypeGeometry: "GEOMETRY", duck.TypeInvalid: "UNKNOWN",
}

// String returns the type's name as DuckDB writes it.
func (t *Type) String() string {
	if t.Alias != "" {
		return t.Alias
	}
	switch t.ID {
	case duck.TypeDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Width, t.Scale)
	case duck.TypeEnum:
		words := make([]string, len(t.Words))
		for i, word := range t.Words {
			words[i] = "'" + strings.ReplaceAll(word, "'", "''") + "'"
		}
		return "ENUM(" + strings.Join(words, ", ") + ")"
	case duck.TypeList:
		return t.Children[0].String() + "[]"
	case duck.TypeArray:
		return fmt.Sprintf("%s[%d]", t.Children[0], t.Size)
	case duck.TypeMap:
		return fmt.Sprintf("MAP(%s, %s)", t.Children[0], t.Children[1])
	case duck.TypeStruct:
		return "STRUCT(" + t.fields() + ")"
	case duck.TypeUnion:
		return "UNION(" + t.fields() + ")"
	}
	if name, ok := typeNames[t.ID]; ok {
		return name
	}
	return fmt.Sprintf("TYPE %d", t.ID)
}

func (t *Type) fields() string {
	fields := make([]string, len(t.Children))
	for i, child := range t.Children {
		fields[i] = child.String()
		if t.Names[i] != "" {
			fields[i] = quoteField(t.Names[i]) + " " + fields[i]
		}
	}
	return strings.Join(fields, ", ")
}

// quoteField quotes a field's name where DuckDB does: unless it is of lower-case
// letters, digits and "_".
func quoteField(name string) string {
	for i, r := range name {
		if r == '_' || 'a' <= r && r <= 'z' || i > 0 && '0' <= r && r <= '9' {
			continue
		}
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	}
	return name
}
