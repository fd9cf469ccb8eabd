// Package snowflake is a fixture: a server that speaks Snowflake's REST protocol to
// the real driver, gosnowflake, and runs statements on DuckDB after a thin translation.
// It is not Snowflake and proves nothing about the service's verdicts: it proves that
// a client logs in, asks, cancels and reads as the protocol has it, and what the
// client sent. What it has no part for it refuses with the error 000002.
//
// A database is an attached database of DuckDB; names in its catalogue are as
// Snowflake would have them, in upper case if nobody quoted them. Known differences:
// a comparison of two TIMESTAMP_TZ values looks at their offsets, too; a quotient of
// whole numbers is a float; a path in a structured type is found by the name of its column.
// JSON results write an instant before 1970 as one decimal
// number, as the service does; gosnowflake itself reads its fraction with the wrong sign.
package snowflake
