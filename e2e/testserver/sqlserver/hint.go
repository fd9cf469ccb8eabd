//go:build cgo

package sqlserver

import "github.com/loam-data/loam/e2e/testserver/tds"

// offset refuses OFFSET behind anything but ORDER BY.
func (t *translator) offset(int) error {
	for i := t.i - 1; i >= 0; i-- {
		if t.at(i).is("ORDER") {
			return nil
		}
	}
	return syntaxError(t.at(t.i))
}

// tableHints change locks and plans, not rows.
var tableHints = set("NOLOCK READUNCOMMITTED READCOMMITTED READCOMMITTEDLOCK READPAST ROWLOCK PAGLOCK TABLOCK NOEXPAND FORCESEEK FORCESCAN NOWAIT SNAPSHOT UPDLOCK HOLDLOCK XLOCK TABLOCKX SERIALIZABLE REPEATABLEREAD")

func (t *translator) hints() (string, bool, error) {
	close, err := t.closing(t.i + 1)
	if err != nil {
		return "", false, err
	}
	for i := t.i + 2; i < close; i++ {
		if one := t.at(i); !one.is(",") && !(one.kind == word && tableHints[one.text]) {
			return "", false, &tds.Error{Number: 321, Class: 15, Line: uint32(one.line), Message: `"` + one.raw + `" is not a recognized table hints option. If it is intended as a parameter to a table-valued function or to the CHANGETABLE function, ensure that your database compatibility mode is set to 90.`}
		}
	}
	t.i = close + 1
	return " ", true, nil
}

// options passes over query hints, which change no rows.
func (t *translator) options() (string, bool, error) {
	close, err := t.closing(t.i + 1)
	if err != nil {
		return "", false, err
	}
	if hint := t.at(t.i + 2); !hint.is("RECOMPILE", "MAXDOP", "FAST", "HASH", "LOOP", "MERGE", "ORDER", "FORCE", "OPTIMIZE", "QUERYTRACEON", "MAXRECURSION", "LABEL") {
		return "", false, syntaxError(hint)
	}
	t.i = close + 1
	return " ", true, nil
}

// sample translates TABLESAMPLE [SYSTEM] (n PERCENT | n ROWS).
func (t *translator) sample() (string, bool, error) {
	one := t.at(t.i)
	i := t.i + 1
	if t.at(i).is("SYSTEM") {
		i++
	}
	close := i + 3
	if !t.at(i).is("(") || t.at(i+1).kind != number || !t.at(close).is(")") {
		return "", false, missing(one.line, "such a TABLESAMPLE")
	}
	unit := t.at(i + 2)
	if !unit.is("PERCENT", "ROWS") {
		return "", false, syntaxError(unit)
	}
	method := "system("
	if unit.is("ROWS") {
		method = "reservoir("
	}
	t.i = close + 1
	again := ""
	if t.at(t.i).is("REPEATABLE") && t.at(t.i+1).is("(") && t.at(t.i+2).kind == number && t.at(t.i+3).is(")") {
		again = " REPEATABLE (" + t.at(t.i+2).raw + ")"
		t.i += 4
	}
	return one.lead + "TABLESAMPLE " + method + t.at(i+1).raw + " " + unit.text + ")" + again, true, nil
}
