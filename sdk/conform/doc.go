// Package conform is the conformance suite for connectors: one call tests that a
// connector keeps the contract, in process, over the wire and as a built
// program.
//
//	func TestConformance(t *testing.T) {
//		conform.Run(t, conform.Target{
//			Connector: foodb.Connector("0.1.0"),
//			Binary:    "../../bin/loam-connector-foodb",
//			Server:    "real FooDB 4.2",
//			Config:    sdk.Config{JSON: …, Secrets: …},
//			Fixture:   conform.Fixture{Tables: …, Reread: …, Running: …},
//			Cases:     cases, // conform.LoadCases(os.DirFS("cases"))
//			RowsSQL:   func(n int) string { return fmt.Sprintf("SELECT i FROM generate_series(1, %d) AS g(i)", n) },
//			TextSQL:   func(n int) string { return fmt.Sprintf("SELECT repeat('x', %d)", n) },
//			SlowSQL:   "SELECT sleep(120)",
//			Attacks:   conform.Corpus(&dialect, version, tmp, ""),
//			Skips:     map[string]string{"open/wrong_secret": "FooDB has no accounts"},
//		})
//	}
//
// Without a test, Examine returns the same results; "loam connector check" is Examine
// behind a fixture file, for programs in any language.
//
// Every check has a stable name, "group/check". A check that is impossible on an
// engine is skipped with Target.Skips, which needs a reason; a check of a
// capability that is not declared is skipped automatically. A skip that names no
// check is an error, and so is a missing field of the Target that a check needs.
//
// The suite cannot change a schema, so it does not test what an incremental scan
// sends after a change: a connector's own tests make the changes, and Rescan
// compares each incremental scan with a full one.
//
// # Cases
//
// A case is a statement and its whole answer. In a folder it is a pair of
// files, types.sql and types.json:
//
//	{"columns": [{"name": "n", "type": "int64", "native": "bigint"}],
//	 "rows": [[1], ["9007199254740993"], [null]]}
//
// or, for a statement that fails,
//
//	{"error": {"kind": "syntax", "code": "42601", "line": 1, "column": 8}}
//
// A statement with parameters has them beside its columns: "params": [2, "x"].
// "any_order": true compares the rows without their order. A column of times has
// "digits", the digits of a second that it keeps, if the connector reports them.
//
// Cells are written so that a person can check them:
//
//	bool          true, false
//	int64         a number, or its digits as a string
//	float64       a number, "NaN", "Infinity", "-Infinity"
//	date          "2024-02-29", "-0043-03-15", "+12024-01-01", "infinity"
//	time          "12:30:00.000001"
//	timestamp     "2024-02-29T12:30:00", "-infinity"
//	timestamp_tz  "2024-02-29T10:30:00Z"
//	json, nested_json  any JSON value, compared as JSON; {"$json": null} is JSON's null
//	everything else    a string; {"$hex": "00ff"} for raw bytes, {"$repeat": "x", "$times": 1048576} for long ones
//	NULL          null
//
// # Results
//
// With LOAM_CONFORM_OUT set to a path, Run adds one JSON line per check to that
// file; the command sdk/conform/scoreboard makes a page of them.
//
// Run is not parallel, and no other test may run at the same time: it counts the
// goroutines and the open files of the process, and replaces slog's default
// logger while it runs.
package conform
