package tds

import (
	"fmt"
	"strconv"
	"strings"
)

// Type is a column's type as SQL Server declares it. Values are, by Name:
//
//	bit                                   bool
//	tinyint, smallint, int, bigint        int64
//	real, float                           float64
//	decimal, numeric, money, smallmoney   string, digits with a point
//	date, time, datetime2, datetime,
//	smalldatetime, datetimeoffset         time.Time, read as it is written, in any zone
//	char, varchar, nchar, nvarchar, xml   string
//	binary, varbinary                     []byte
//	uniqueidentifier                      string, 36 characters
//	sql_variant                           int64, string or []byte
type Type struct {
	Name   string
	Length int // of texts in characters and of bytes; Max = (max); 0 = the most without Max
	// Precision and Scale are those of decimals; Scale is also the digits of a second.
	Precision, Scale int
}

// Max is the Length of nvarchar(max) and its like.
const Max = -1

// ParseType reads a type as a statement writes it: "datetime2(3)", "decimal(38, 10)",
// "nvarchar(max)". What is left out is SQL Server's default in a table.
// Errors: a type that the fixture does not have.
func ParseType(text string) (Type, error) {
	name, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "(")
	t := Type{Name: strings.TrimSpace(name)}
	if t.Name == "numeric" {
		t.Name = "decimal"
	}
	kind, ok := kinds[t.Name]
	if !ok {
		return t, fmt.Errorf("the fixture has no type %s", text)
	}
	var numbers []int
	for arg := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(rest), ")"), ",") {
		arg = strings.TrimSpace(arg)
		if arg == "" {
			continue
		}
		n, err := strconv.Atoi(arg)
		if arg == "max" {
			n, err = Max, nil
		}
		if err != nil {
			return t, fmt.Errorf("type %s: %w", text, err)
		}
		numbers = append(numbers, n)
	}
	switch {
	case t.Name == "decimal":
		t.Precision, t.Scale = 18, 0
		if len(numbers) > 0 {
			t.Precision = numbers[0]
		}
		if len(numbers) > 1 {
			t.Scale = numbers[1]
		}
	case kind.scaled:
		t.Scale = 7
		if len(numbers) > 0 {
			t.Scale = numbers[0]
		}
	case kind.unit > 0:
		t.Length = 1
		if len(numbers) > 0 {
			t.Length = numbers[0]
		}
	}
	return t, t.check(kind)
}

func (t Type) check(k kind) error {
	most := 0
	if k.unit > 0 {
		most = 8000 / k.unit
	}
	switch {
	case t.Name == "decimal" && (t.Precision < 1 || t.Precision > 38 || t.Scale < 0 || t.Scale > t.Precision),
		k.scaled && (t.Scale < 0 || t.Scale > 7),
		k.unit > 0 && t.Length != Max && (t.Length < 0 || t.Length > most):
		return fmt.Errorf("SQL Server has no %s", t)
	}
	return nil
}

func (t Type) String() string {
	k := kinds[t.Name]
	switch {
	case t.Name == "decimal":
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case k.scaled:
		return fmt.Sprintf("%s(%d)", t.Name, t.Scale)
	case k.unit > 0 && t.Length == Max:
		return t.Name + "(max)"
	case k.unit > 0:
		return fmt.Sprintf("%s(%d)", t.Name, t.size()/k.unit)
	}
	return t.Name
}

// size is how many bytes a text or binary value has at most.
func (t Type) size() int {
	if t.Length == 0 {
		return 8000
	}
	return t.Length * kinds[t.Name].unit
}

// kind says how a type is written.
type kind struct {
	token  byte
	bytes  byte // of a value of fixed length
	unit   int  // bytes of a character, 1 for bytes; 0 = no text and no bytes
	text   bool // with a collation
	scaled bool // digits of a second
}

var kinds = map[string]kind{
	"bit":              {token: 0x68, bytes: 1},
	"tinyint":          {token: 0x26, bytes: 1},
	"smallint":         {token: 0x26, bytes: 2},
	"int":              {token: 0x26, bytes: 4},
	"bigint":           {token: 0x26, bytes: 8},
	"real":             {token: 0x6D, bytes: 4},
	"float":            {token: 0x6D, bytes: 8},
	"smallmoney":       {token: 0x6E, bytes: 4},
	"money":            {token: 0x6E, bytes: 8},
	"decimal":          {token: 0x6A},
	"date":             {token: 0x28},
	"time":             {token: 0x29, scaled: true},
	"datetime2":        {token: 0x2A, scaled: true},
	"datetimeoffset":   {token: 0x2B, scaled: true},
	"smalldatetime":    {token: 0x6F, bytes: 4},
	"datetime":         {token: 0x6F, bytes: 8},
	"char":             {token: 0xAF, unit: 1, text: true},
	"varchar":          {token: 0xA7, unit: 1, text: true},
	"nchar":            {token: 0xEF, unit: 2, text: true},
	"nvarchar":         {token: 0xE7, unit: 2, text: true},
	"binary":           {token: 0xAD, unit: 1},
	"varbinary":        {token: 0xA5, unit: 1},
	"uniqueidentifier": {token: 0x24, bytes: 16},
	"xml":              {token: 0xF1},
	"sql_variant":      {token: 0x62},
}

// append writes the type as TYPE_INFO.
func (t Type) append(b []byte) []byte {
	k := kinds[t.Name]
	b = append(b, k.token)
	switch {
	case t.Name == "xml":
		return append(b, 0) // no schema
	case t.Name == "sql_variant":
		return little.AppendUint32(b, 8009) // bytes of a value
	case t.Name == "date":
		return b
	case t.Name == "decimal":
		return append(b, decimalBytes(t.Precision)+1, byte(t.Precision), byte(t.Scale))
	case k.scaled:
		return append(b, byte(t.Scale))
	case k.unit > 0:
		size := uint16(0xFFFF)
		if t.Length != Max {
			size = uint16(t.size())
		}
		if b = little.AppendUint16(b, size); k.text {
			b = append(b, collation...)
		}
		return b
	}
	return append(b, k.bytes)
}

// decimalBytes is how many bytes the digits of a decimal take.
func decimalBytes(precision int) byte {
	switch {
	case precision <= 9:
		return 4
	case precision <= 19:
		return 8
	case precision <= 28:
		return 12
	}
	return 16
}
