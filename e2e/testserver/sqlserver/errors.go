//go:build cgo

package sqlserver

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// report is what SQL Server says where DuckDB says an error.
type report struct {
	has     string // a part of DuckDB's message
	number  uint32
	class   byte
	message string // {} = what DuckDB quotes first
}

// reports are tried in their order.
// Source: the manual's list of errors and events of the database engine.
var reports = []report{
	{"syntax error at end of input", 102, 15, "Incorrect syntax near ''."},
	{"syntax error at or near", 102, 15, "Incorrect syntax near '{}'."},
	{"Parser Error", 102, 15, "Incorrect syntax near '{}'."},
	{"Table with name", 208, 16, "Invalid object name '{}'."},
	{"Schema with name", 208, 16, "Invalid object name '{}'."},
	{"Catalog \"", 208, 16, "Invalid object name '{}'."},
	{"not found in FROM clause", 207, 16, "Invalid column name '{}'."},
	{"does not have a column named", 207, 16, "Invalid column name '{}'."},
	{"does not have a column with name", 207, 16, "Invalid column name '{}'."},
	{"Referenced table", 4104, 16, "The multi-part identifier \"{}\" could not be bound."},
	{"Function with name", 195, 15, "'{}' is not a recognized built-in function name."},
	{"Ambiguous reference", 209, 16, "Ambiguous column name '{}'."},
	{"must appear in the GROUP BY", 8120, 16, "Column '{}' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause."},
	{"WHERE clause cannot contain aggregates", 147, 15, "An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or a select list, and the column being aggregated is an outer reference."},
	{"aggregate function calls cannot be nested", 130, 16, "Cannot perform an aggregate function on an expression containing an aggregate or a subquery."},
	{"More than one row returned by a subquery", 512, 16, "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression."},
	{"Subquery returns", 116, 16, "Only one expression can be specified in the select list when the subquery is not introduced with EXISTS."},
	{"Set operations can only apply to expressions with the same number", 205, 16, "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists."},
	{"Duplicate alias", 1011, 16, "The correlation name '{}' is specified multiple times in a FROM clause."},
	{"already exists", 2714, 16, "There is already an object named '{}' in the database."},
	{"Duplicate key", 2627, 14, "Violation of PRIMARY KEY constraint. Cannot insert duplicate key."},
	{"NOT NULL constraint failed", 515, 16, "Cannot insert the value NULL into column '{}'; column does not allow nulls."},
	{"Constraint Error", 547, 16, "The statement conflicted with a constraint: {}."},
	{"invalid timestamp field", 241, 16, "Conversion failed when converting date and/or time from character string."},
	{"invalid date field", 241, 16, "Conversion failed when converting date and/or time from character string."},
	{"date field value out of range", 241, 16, "Conversion failed when converting date and/or time from character string."},
	{"timestamp field value out of range", 241, 16, "Conversion failed when converting date and/or time from character string."},
	{"time field value out of range", 241, 16, "Conversion failed when converting date and/or time from character string."},
	{"to UUID", 8169, 16, "Conversion failed when converting from a character string to uniqueidentifier."},
	{"to DOUBLE", 8114, 16, "Error converting data type nvarchar to float."},
	{"to DECIMAL", 8114, 16, "Error converting data type nvarchar to numeric."},
	{"out of range", 8115, 16, "Arithmetic overflow error converting expression to data type int."},
	{"Could not cast value", 8115, 16, "Arithmetic overflow error converting expression to data type numeric."},
	{"Could not convert string", 245, 16, "Conversion failed when converting the nvarchar value '{}' to data type int."},
	{"Conversion Error", 245, 16, "Conversion failed: '{}'."},
	{"Out of Range Error", 8115, 16, "Arithmetic overflow error converting expression to data type int."},
	{"has multiple overloads", 50001, 16, "The fixture has no such function of an aggregate."},
	{"No function matches", 8117, 16, "Operand data type is invalid for {} operator."},
	{"Cannot compare values", 402, 16, "The data types are incompatible in the operator: {}."},
	{"Transaction conflict", 1205, 13, "Transaction was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."},
}

// serverError says in SQL Server's words what DuckDB said; st is the statement.
func serverError(ctx context.Context, err error, st statement) error {
	line, last := st.line(), st.tokens[len(st.tokens)-1].line
	if err == nil || ctx.Err() != nil {
		return err
	}
	if known, ok := errors.AsType[*tds.Error](err); ok {
		return known
	}
	duck, ok := errors.AsType[*duckdb.Error](err)
	if !ok {
		return err
	}
	e := &tds.Error{Number: 50001, Class: 16, Line: uint32(line), Message: "The fixture's engine: " + firstLine(duck.Msg)}
	if _, rest, ok := strings.Cut(duck.Msg, "\nLINE "); ok {
		if n, _, ok := strings.Cut(rest, ":"); ok {
			if at, err := strconv.Atoi(n); err == nil {
				e.Line = uint32(line + at - 1)
			}
		}
	}
	if strings.Contains(duck.Msg, "at end of input") {
		e.Line = uint32(last)
	}
	// What macros.sql refuses begins with its number.
	if _, own, ok := strings.Cut(duck.Msg, "Invalid Input Error: "); ok {
		number, message, _ := strings.Cut(own, " ")
		if n, err := strconv.ParseUint(number, 10, 32); err == nil {
			e.Number, e.Message = uint32(n), message
			return e
		}
	}
	for _, r := range reports {
		if strings.Contains(duck.Msg, r.has) {
			e.Number, e.Class, e.Message = r.number, r.class, strings.ReplaceAll(r.message, "{}", quotedPart(duck.Msg))
			return e
		}
	}
	return e
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// quotedPart returns the name that a message is about.
func quotedPart(message string) string {
	line := firstLine(message)
	for _, before := range []string{"Table with name ", "Schema with name ", "Function with name "} {
		if _, rest, ok := strings.Cut(line, before); ok {
			name, _, _ := strings.Cut(rest, " ")
			return strings.Trim(name, `"`)
		}
	}
	if _, rest, ok := strings.Cut(line, "column named \""); ok {
		name, _, _ := strings.Cut(rest, `"`)
		return name
	}
	for _, mark := range []string{`"`, "'"} {
		if _, rest, ok := strings.Cut(line, mark); ok {
			if name, _, ok := strings.Cut(rest, mark); ok {
				return name
			}
		}
	}
	return ""
}
