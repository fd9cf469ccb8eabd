package postgres

import (
	"path"
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// dialectGuard accepts what reads. EXPLAIN ANALYZE runs its statement, which must be an
// accepted query itself, so it is as harmless as that query.
func dialectGuard() dialect.Guard {
	return dialect.Guard{
		Statements: []dialect.Statement{
			{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
			{Words: []string{"VALUES"}, Kind: dialect.StatementQuery},
			{Words: []string{"TABLE"}, Kind: dialect.StatementQuery},
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
			{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{
				"ANALYZE", "ANALYSE", "VERBOSE", "COSTS", "SETTINGS", "GENERIC_PLAN", "BUFFERS", "SERIALIZE", "WAL",
				"TIMING", "SUMMARY", "MEMORY", "FORMAT",
			}},
			{Words: []string{"SHOW"}, Kind: dialect.StatementShow},
		},
		Phrases: []dialect.Phrase{
			{Words: []string{"INTO"}, Reason: "creates a table"},
			{Words: []string{"FOR", "UPDATE"}, Reason: "takes row locks"},
			{Words: []string{"FOR", "NO", "KEY", "UPDATE"}, Reason: "takes row locks"},
			{Words: []string{"FOR", "SHARE"}, Reason: "takes row locks"},
			{Words: []string{"FOR", "KEY", "SHARE"}, Reason: "takes row locks"},
		},
		Functions: deniedFunctions(),
		Relations: slices.Concat(
			dialect.Rules("shows password hashes or credentials", "pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings"),
			dialect.Rules("shows the server's configuration files", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_file_settings"),
			dialect.Rules("reads or changes large objects past the rules about tables", "pg_largeobject"),
		),
	}
}

// effect is what a denied function may do in spite of the transaction.
type effect uint8

const (
	// inside: the transaction refuses or undoes it, or the reset of the connection
	// does. The guard refuses it by name all the same; hidden behind a view or a
	// function it is no harm.
	inside effect = iota
	// server: it acts on the server as a whole or on other sessions.
	server
	// outside: it reaches files, programs or other connections.
	outside
	// runsText: it runs the SQL in its arguments.
	runsText
	// evaluates: it reads a value of a type, or computes with a table's classes, that it
	// is told by number or in a string. The guard accepts it.
	evaluates
)

// denial is a group of functions that are refused by name.
type denial struct {
	effect   effect
	reason   string // completes "… is refused because it "
	patterns []string
}

// denials list the functions with an effect that survives or escapes a read-only
// transaction, or that reach around the rules about tables. Some are refused by
// the account's privileges as well. The guard refuses all of them in a statement;
// what a statement reaches through other objects is looked at by effect.
var denials = []denial{
	{outside, "opens another connection", []string{"dblink*"}},
	{inside, "manages the connections of foreign servers", []string{"postgres_fdw_*"}},
	{runsText, "runs SQL that the guard cannot see", []string{
		"*_to_xml*", "ts_stat", "ts_rewrite", "crosstab*", "connectby", "xpath_table", "cursor_to_*",
	}},
	{evaluates, "", []string{"domain_in", "array_in", "record_in", "range_in", "multirange_in", "pg_input_*", "satisfies_hash_partition", "bt_index_check", "bt_index_parent_check"}},
	{inside, "changes a setting", []string{"set_config"}},
	{inside, "advances a sequence", []string{"nextval", "setval"}},
	{outside, "reads or writes files of the server", []string{"lo_import*", "lo_export"}},
	{inside, "reads or changes large objects", []string{"lo_*", "loread", "lowrite"}},
	{outside, "reads or writes files of the server", []string{
		"pg_read_file*", "pg_read_binary_file*", "pg_ls_*", "pg_stat_file*", "pg_file_*", "pg_hba_file_rules",
		"pg_ident_file_mappings", "pg_show_all_file_settings", "pg_logdir_ls", "pg_current_logfile",
	}},
	{inside, "takes a lock that outlives the transaction", []string{"pg_advisory_*", "pg_try_advisory_*"}},
	{inside, "waits instead of reading", []string{"pg_sleep*"}},
	{server, "ends or disturbs another session", []string{"pg_cancel_backend", "pg_terminate_backend", "pg_log_backend_memory_contexts"}},
	{server, "controls the server", []string{
		"pg_reload_conf", "pg_rotate_logfile*", "pg_switch_wal", "pg_create_restore_point", "pg_start_backup",
		"pg_stop_backup", "pg_backup_*", "pg_promote", "pg_wal_replay_*", "pg_import_system_collations",
		"pg_sync_replication_slots", "pg_log_standby_snapshot", "pg_buffercache_evict*", "pg_buffercache_mark_dirty*", "binary_upgrade_*",
	}},
	{server, "changes replication or the write-ahead log", []string{
		"pg_logical_*", "pg_create_physical_replication_slot", "pg_create_logical_replication_slot",
		"pg_copy_physical_replication_slot", "pg_copy_logical_replication_slot",
		"pg_drop_replication_slot", "pg_replication_*",
	}},
	{server, "changes statistics", []string{"pg_stat_reset*", "pg_stat_statements_reset*", "pg_restore_*", "pg_clear_*"}},
	{inside, "sends a message to other sessions", []string{"pg_notify"}},
	{inside, "makes a snapshot or a transaction id visible to others", []string{"pg_export_snapshot", "txid_current", "pg_current_xact_id"}},
	{server, "changes storage", []string{
		"brin_summarize_*", "brin_desummarize_range", "gin_clean_pending_list", "pg_truncate_visibility_map",
		"heap_force_*", "pg_prewarm", "autoprewarm_*", "pg_nextoid", "pg_stop_making_pinned_objects",
	}},
}

// deniedFunctions are the guard's rules.
func deniedFunctions() []dialect.FunctionRule {
	var rules []dialect.FunctionRule
	for _, d := range denials {
		if d.effect == evaluates {
			continue
		}
		rules = append(rules, dialect.Rules(d.reason, d.patterns...)...)
	}
	return rules
}

// deniedAs returns the group that a function of the server or of an extension
// belongs to by its name; nil for none.
func deniedAs(name string) *denial {
	for i := range denials {
		for _, pattern := range denials[i].patterns {
			// Every pattern is well-formed: dialect.Validate checks them.
			if found, _ := path.Match(pattern, name); found {
				return &denials[i]
			}
		}
	}
	return nil
}
