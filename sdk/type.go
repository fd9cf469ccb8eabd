package sdk

// Type is the logical type of a column, the same for all engines. Column.NativeType
// has the engine's own name.
type Type uint8

const (
	TypeUnspecified Type = iota
	TypeBool             // bit
	TypeInt64            // signed 64-bit; a wider or unsigned 64-bit integer is TypeDecimal
	TypeFloat64          // IEEE double, NaN and infinities included
	TypeText             // UTF-8; also for native types without a logical type
	TypeBytes            // raw bytes
	TypeDecimal          // exact decimal as plain text: "-12.50", never exponent form
	TypeDate             // days since 1970-01-01
	TypeTime             // microseconds since midnight
	TypeTimestamp        // microseconds since 1970-01-01T00:00:00, no zone
	TypeTimestampTZ      // microseconds since the epoch, an instant, shown in UTC
	TypeJSON             // JSON text
	TypeUUID             // canonical lower-case text
	TypeInterval         // the engine's own text
	TypeGeoWKT           // geometry as well-known text
	TypeNestedJSON       // array, map, struct, range: as JSON text
	typeCount
)

var typeNames = [typeCount]string{
	"unspecified", "bool", "int64", "float64", "text", "bytes", "decimal", "date", "time",
	"timestamp", "timestamp_tz", "json", "uuid", "interval", "geo_wkt", "nested_json",
}

// String returns the name that JSON, docs and the dialect's type tables use.
func (t Type) String() string {
	if t >= typeCount {
		return typeNames[TypeUnspecified]
	}
	return typeNames[t]
}

// Types lists every logical type but TypeUnspecified.
func Types() []Type {
	all := make([]Type, 0, typeCount-1)
	for t := TypeBool; t < typeCount; t++ {
		all = append(all, t)
	}
	return all
}

// Layout is how a Vector stores the values of a Type.
type Layout uint8

const (
	LayoutArena   Layout = iota // Offsets into Data
	LayoutInt64                 // I64
	LayoutFloat64               // F64
	LayoutBits                  // Bits
)

// Layout returns the one payload that a Vector of this type carries.
func (t Type) Layout() Layout {
	switch t {
	case TypeBool:
		return LayoutBits
	case TypeInt64, TypeDate, TypeTime, TypeTimestamp, TypeTimestampTZ:
		return LayoutInt64
	case TypeFloat64:
		return LayoutFloat64
	default:
		return LayoutArena
	}
}

// microDigits are the digits of a second's fraction that an int64 of microseconds
// holds, and maxNano the largest rest in nanoseconds.
const (
	microDigits = 6
	nanoDigits  = 9
	maxNano     = 999
)

// Finer reports whether the column has times finer than microseconds.
func (c *Column) Finer() bool {
	return c.TimeDigits > microDigits && (c.Type == TypeTime || c.Type == TypeTimestamp || c.Type == TypeTimestampTZ)
}

// Column is one column of a table or of a result.
type Column struct {
	Name string
	Type Type
	// NativeType is the engine's own name, verbatim ("numeric(38,10)"). Always
	// set on table columns; "" on a result column whose engine names none.
	NativeType string
	Nullable   bool
	// Precision and Scale of a decimal; 0, 0 when unknown.
	Precision, Scale int
	Comment          string
	Default          string
	// Generated marks a column the engine computes.
	Generated bool
	// TimeDigits are the fractional digits of the seconds of a TypeTime, TypeTimestamp
	// or TypeTimestampTZ: 0 = at most 6; 7, 8 or 9 are carried by Vector.Nanos.
	TimeDigits int
	// Fields of a TypeNestedJSON column: those of its record, or of the records in its
	// array. For any other array, one field without a name describes the element.
	Fields []Column
	// Repeated: the column is an array.
	Repeated bool
	// Properties are engine facts that have no field of their own.
	Properties map[string]string
}
