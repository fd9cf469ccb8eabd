package discover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// Column is a column of an Entity.
type Column struct {
	Name           string  `json:"name"`
	NativeType     string  `json:"nativeType"`
	NormalizedType string  `json:"normalizedType"`
	DimensionType  string  `json:"dimensionType"`
	Nullable       bool    `json:"nullable"`
	PrimaryKey     bool    `json:"primaryKey"`
	Comment        *string `json:"comment"`
	Description    *string `json:"description"`
}

// columns describes a table's columns, in their order.
func columns(t *sdk.Table) []Column {
	primary := map[string]bool{}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary {
			for _, name := range k.Columns {
				primary[name] = true
			}
		}
	}
	all := make([]Column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		all[i] = Column{
			Name: c.Name, NativeType: c.NativeType, NormalizedType: c.Type.String(), DimensionType: dimension(c.Type),
			Nullable: c.Nullable, PrimaryKey: primary[c.Name], Comment: known(c.Comment),
		}
	}
	return all
}

// dimension says what a column can be grouped and filtered as.
func dimension(t sdk.Type) string {
	switch t {
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return "time"
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return "number"
	case sdk.TypeBool:
		return "boolean"
	default:
		return "string"
	}
}

// narrow keeps the columns that are asked for, in the table's order, and
// reports those that are not there. A name in another case will do where it can
// mean one column only.
func (l *look) narrow(e *Entity, asked []string) {
	wanted := make([]bool, len(e.Columns))
	for _, name := range asked {
		at := columnAt(e.Columns, name)
		if at < 0 {
			l.noColumn(e, name)
			continue
		}
		wanted[at] = true
	}
	kept := []Column{}
	for i, c := range e.Columns {
		if wanted[i] {
			kept = append(kept, c)
		}
	}
	e.Columns = kept
}

// columnAt returns the position of a column, -1 when there is none or several
// that only differ in case.
func columnAt(columns []Column, name string) int {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if at >= 0 {
		return at
	}
	for i := range columns {
		if !strings.EqualFold(columns[i].Name, name) {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

func (l *look) noColumn(e *Entity, name string) {
	names := make([]string, len(e.Columns))
	var same []string
	for i := range e.Columns {
		names[i] = e.Columns[i].Name
		if strings.EqualFold(names[i], name) {
			same = append(same, names[i])
		}
	}
	failed := EntityError{
		Input: e.Display + "." + brief(name), Code: codeNotFound, Candidates: list(same),
		Message: fmt.Sprintf("%s has no column %q in its snapshot of %s; name one that exists, or run loam scan %s if it is new",
			e.Display, brief(name), e.Snapshot.ExtractedAt, l.connection),
	}
	if len(same) > 0 {
		failed.Code = codeAmbiguous
		failed.Message = fmt.Sprintf("%s has several columns that differ from %q in case alone; spell it as one of them", e.Display, name)
	} else if len(name) <= maxText {
		failed.Candidates = list(connection.Nearest(name, names))
	}
	l.answer.Errors = append(l.answer.Errors, failed)
}
