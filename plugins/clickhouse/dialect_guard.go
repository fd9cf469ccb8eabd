package clickhouse

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

func todayGuard() dialect.Guard {
	g := oldGuard()
	g.Statements = append(g.Statements,
		dialect.Statement{Words: []string{"FROM"}, Kind: dialect.StatementQuery},
		dialect.Statement{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{
			"AST", "SYNTAX", "QUERY", "TREE", "PLAN", "PIPELINE", "ESTIMATE",
			"HEADER", "DESCRIPTION", "INDEXES", "PROJECTIONS", "ACTIONS", "JSON", "GRAPH", "COMPACT",
		}})
	return g
}

// oldGuard allows what reads. The server holds everything else back under
// readonly = 1 but KILL QUERY, USE and sleep, which these lists stop.
func oldGuard() dialect.Guard {
	return dialect.Guard{
		ExpressionWith: true,
		Statements: []dialect.Statement{
			{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
			{Words: []string{"SHOW"}, Kind: dialect.StatementShow, Refused: []string{"USER"}}, // SHOW CREATE USER has its password's hash
			{Words: []string{"DESCRIBE"}, Kind: dialect.StatementShow},
			{Words: []string{"DESC"}, Kind: dialect.StatementShow},
			{Words: []string{"EXISTS"}, Kind: dialect.StatementShow},
		},
		Phrases: []dialect.Phrase{
			{Words: []string{"INTO"}, Reason: "writes a table or a file"},
			// In a sub-select even readonly = 1 does not stop it (26.7).
			{Words: []string{"SETTINGS"}, Reason: "changes settings, readonly among them"},
			{Words: []string{"PARALLEL", "WITH"}, Reason: "runs several statements at once"},
			{Words: []string{"CREATE", "USER"}, Reason: "shows a password hash"},
		},
		Functions: deniedFunctions(),
		Relations: dialect.Rules("shows credentials", "named_collections"),
	}
}

// deniedFunctions reach around the tables of the server, or have an effect.
// Source: system.table_functions and system.functions of 18.16 and 26.7.
func deniedFunctions() []dialect.FunctionRule {
	return slices.Concat(
		leavingFunctions(),
		dialect.Rules("reads what the client sends", "input"),
		dialect.Rules("never ends", "loop"),
		dialect.Rules("waits instead of reading", "sleep", "sleepeachrow", "loop"),
	)
}

// leavingFunctions are those that views and functions must not call either:
// readonly = 1 does not always stop them there.
func leavingFunctions() []dialect.FunctionRule {
	return slices.Concat(
		dialect.Rules("reads or writes files", "file", "filecluster", "filesystem", "*local", "*localcluster", "catboostpool"),
		dialect.Rules("reaches other servers",
			"url", "urlcluster", "remote", "remotesecure", "cluster", "clusterallreplicas", "shardbyhash",
			"s3", "s3cluster", "gcs", "oss", "cosn", "hdfs", "hdfscluster", "azureblobstorage*", "arrowstream", "arrowflight",
			"iceberg", "icebergcluster", "icebergs3*", "icebergazure*", "iceberghdfs*", "deltalake*", "hudi*", "paimon*",
			"ytsaurus", "aiclassify", "aiembed", "aiextract", "aigenerate", "aitranslate"),
		dialect.Rules("reaches another database", "mysql", "postgresql", "mongodb", "redis", "sqlite", "odbc", "jdbc"),
		dialect.Rules("runs a program", "executable", "catboostevaluate"),
		dialect.Rules("runs SQL that the guard cannot see", "eval"),
		dialect.Rules("changes a counter", "generateserialid"),
		dialect.Rules("asks other servers for a column, in its longer form", "hascolumnintable"),
	)
}
