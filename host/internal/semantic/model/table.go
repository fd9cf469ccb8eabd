package model

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Table is a scanned table. It is a source even without a file.
type Table struct {
	Ref         sdk.TableRef
	Comment     string
	Columns     []Column
	PrimaryKey  []string
	UniqueKeys  [][]string
	ForeignKeys []ForeignKey
	// Undecided are possible foreign keys, which become no joins. Where a join
	// path is missing, a message proposes to decide on them.
	Undecided []ForeignKey
	// Hash changes when anything of the above does; the zero value is replaced
	// by a hash of it.
	Hash Hash
}

// Column is a column of a table.
type Column struct {
	Name string
	Type sdk.Type
	// NotNull: the engine refuses NULL in it.
	NotNull bool
	Comment string
	// Path is set for a field of a record: the names of the column, of the records in it
	// and of the field. Name has them too, with dots between: "address.city".
	Path []string
}

// ForeignKey is a foreign key to another table. Every one becomes a join:
// suspected keys go to Undecided.
// Shape: Columns pairs with ToColumns; a composite key is one ForeignKey.
type ForeignKey struct {
	Columns   []string
	To        sdk.TableRef
	ToColumns []string
	// Enforced: the engine refuses a row whose key is not there.
	Enforced bool
	// Inferred: not declared by the warehouse, but inferred and accepted.
	Inferred bool
}

// RowCount is the measure that every scanned table has.
const RowCount = "row_count"

// hash returns the table's hash, made of its content where it has none.
func (t *Table) hash() Hash {
	if t.Hash != (Hash{}) {
		return t.Hash
	}
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(t); err != nil {
		panic(err) // texts and numbers only
	}
	return Hash(h.Sum(nil)[:len(Hash{})])
}

// columnOf returns a column by its name, in another case where there is one only.
func columnOf(columns []Column, name string) (*Column, bool) {
	var near *Column
	several := false
	for i := range columns {
		c := &columns[i]
		if c.Name == name {
			return c, true
		}
		if strings.EqualFold(c.Name, name) {
			several = several || near != nil
			near = c
		}
	}
	if several {
		return nil, false
	}
	return near, near != nil
}

// typeOf is what a column's values are to queries. A time of day, bytes and
// nested values are none of the types that queries can work with.
func typeOf(t sdk.Type) Type {
	switch t {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return Number
	case sdk.TypeBool:
		return Boolean
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return Time
	case sdk.TypeText, sdk.TypeUUID:
		return String
	}
	return AnyType
}

var typeNames = map[string]Type{"string": String, "number": Number, "time": Time, "boolean": Boolean}

// String returns the name that files use; "" for AnyType.
func (t Type) String() string {
	return [...]string{String: "string", Number: "number", Time: "time", Boolean: "boolean"}[t]
}

// nativeTypes are the beginnings of engines' type names, as files of tables
// have them, and what their values are; the longest that fits counts.
var nativeTypes = map[string]Type{
	"int": Number, "bigint": Number, "smallint": Number, "tinyint": Number, "mediumint": Number, "uint": Number,
	"num": Number, "dec": Number, "float": Number, "double": Number, "real": Number, "money": Number, "serial": Number,
	"bigserial": Number, "byteint": Number, "fixed": Number,
	"timestamp": Time, "datetime": Time, "smalldatetime": Time, "date": Time, "time": Time,
	"bool": Boolean, "interval": AnyType,
}

// typeFromNative returns the type of an engine's type name; no name is AnyType's.
func typeFromNative(name string) Type {
	native := strings.ToLower(name)
	longest, found := 0, String
	for start, is := range nativeTypes {
		if strings.HasPrefix(native, start) && len(start) > longest {
			longest, found = len(start), is
		}
	}
	if native == "timetz" || strings.HasPrefix(native, "time without") || strings.HasPrefix(native, "time(") {
		return AnyType
	}
	return found
}

// roleOf is the name of a join over a foreign key that is not the only one to
// its table: what the key's columns are called without "id", which is the same
// whatever other keys there are.
func (k *ForeignKey) roleOf() string {
	name := strings.Join(k.Columns, "_")
	lower := strings.ToLower(name)
	for _, ending := range []string{"_id", "_key", "_code", "_fk", "_sk", "_no", "id"} {
		if stem := name[:max(0, len(name)-len(ending))]; strings.HasSuffix(lower, ending) && stem != "" {
			name = stem
			break
		}
	}
	if strings.EqualFold(name, k.To.Name) {
		return ""
	}
	return name
}

// relationship is one to one when the key's columns are unique here too.
func (k *ForeignKey) relationship(t *Table) Relationship {
	for _, unique := range append([][]string{t.PrimaryKey}, t.UniqueKeys...) {
		if len(unique) > 0 && subset(unique, k.Columns) {
			return OneToOne
		}
	}
	return ManyToOne
}

func subset(part, whole []string) bool {
	for _, p := range part {
		found := false
		for _, w := range whole {
			found = found || p == w
		}
		if !found {
			return false
		}
	}
	return true
}

// columns are those of a table; nil = there is none.
func (t *Table) columns() []Column {
	if t == nil {
		return nil
	}
	return t.Columns
}
