package mysql

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// dialectGuard accepts what reads. EXPLAIN ANALYZE runs its statement, which must
// be an accepted query itself, so it is as harmless as that query.
func dialectGuard() dialect.Guard {
	query := func(word string) dialect.Statement {
		return dialect.Statement{Words: []string{word}, Kind: dialect.StatementQuery}
	}
	phrase := func(reason string, words ...string) dialect.Phrase {
		return dialect.Phrase{Words: words, Reason: reason}
	}
	return dialect.Guard{
		Statements: []dialect.Statement{
			query("SELECT"), query("VALUES"), query("TABLE"),
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
			{Words: []string{"SHOW"}, Kind: dialect.StatementShow, Refused: []string{"GRANTS", "BINLOG", "RELAYLOG"}},
			{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{"ANALYZE", "FORMAT", "EXTENDED", "PARTITIONS"}},
			{Words: []string{"DESCRIBE"}, Kind: dialect.StatementShow, Refused: []string{"ANALYZE"}},
			{Words: []string{"DESC"}, Kind: dialect.StatementShow, Refused: []string{"ANALYZE"}},
		},
		Phrases: []dialect.Phrase{
			phrase("writes a file or a variable", "INTO"),
			phrase("assigns a variable", ":="),
			phrase("takes row locks", "FOR", "UPDATE"),
			phrase("takes row locks", "FOR", "SHARE"),
			phrase("takes row locks", "LOCK", "IN", "SHARE", "MODE"),
			phrase("advances a sequence", "NEXT", "VALUE", "FOR"),
			phrase("runs a procedure", "PROCEDURE", "ANALYSE"),
			phrase("shows a password hash", "CREATE", "USER"),
		},
		Functions: deniedFunctions(),
		Relations: dialect.Rules("holds the accounts and their password hashes", "mysql", "global_priv"),
	}
}

// deniedFunctions have an effect that survives or escapes a read-only
// transaction, or hold a connection up.
func deniedFunctions() []dialect.FunctionRule {
	return slices.Concat(
		leavingFunctions(),
		dialect.Rules("takes or frees a lock",
			"get_lock", "release_lock", "release_all_locks", "service_get_read_locks", "service_get_write_locks", "service_release_locks"),
		dialect.Rules("waits instead of reading",
			"sleep", "benchmark", "master_pos_wait", "source_pos_wait", "master_gtid_wait", "wsrep_sync_wait_upto_gtid",
			"wait_for_executed_gtid_set", "wait_until_sql_thread_after_gtids"),
		dialect.Rules("changes session state", "last_insert_id", "setval", "nextval", "lastval"),
	)
}

// leavingFunctions have an effect that neither the transaction undoes nor the end
// of the session: views and routines must not call them either.
func leavingFunctions() []dialect.FunctionRule {
	return slices.Concat(
		dialect.Rules("reads a file of the server", "load_file"),
		dialect.Rules("runs a program of the server", "sys_exec", "sys_eval", "sys_bineval", "sys_set"),
		dialect.Rules("runs a command of a storage engine", "mroonga_command"),
		dialect.Rules("opens another connection", "spider_direct_sql", "spider_bg_direct_sql", "spider_copy_tables"),
		dialect.Rules("changes replication", "group_replication_*", "asynchronous_connection_failover_*", "wsrep_set_*"),
		dialect.Rules("changes the server's keys, rules or logs",
			"keyring_*", "version_tokens_*", "audit_log_*", "set_firewall_*", "read_firewall_*", "mysql_firewall_*",
			"load_rewrite_rules", "flush_rewrite_cache", "gen_dictionary_*"),
	)
}
