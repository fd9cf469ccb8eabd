package postgres

import (
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

// deniedFunctions have an effect that survives or escapes a read-only
// transaction, or reach around the rules about tables. Some are refused by the
// account's privileges as well.
func deniedFunctions() []dialect.FunctionRule {
	return slices.Concat(
		dialect.Rules("opens another connection", "dblink*", "postgres_fdw_*"),
		dialect.Rules("runs SQL that the guard cannot see",
			"*_to_xml*", "ts_stat", "ts_rewrite", "crosstab*", "connectby", "xpath_table", "cursor_to_*"),
		dialect.Rules("changes a setting", "set_config"),
		dialect.Rules("advances a sequence", "nextval", "setval"),
		dialect.Rules("reads or changes large objects", "lo_*", "loread", "lowrite"),
		dialect.Rules("reads or writes files of the server",
			"pg_read_file*", "pg_read_binary_file*", "pg_ls_*", "pg_stat_file*", "pg_file_*", "pg_hba_file_rules",
			"pg_ident_file_mappings", "pg_show_all_file_settings", "pg_logdir_ls", "pg_current_logfile"),
		dialect.Rules("takes a lock that outlives the transaction", "pg_advisory_*", "pg_try_advisory_*"),
		dialect.Rules("waits instead of reading", "pg_sleep*"),
		dialect.Rules("ends or disturbs another session", "pg_cancel_backend", "pg_terminate_backend", "pg_log_backend_memory_contexts"),
		dialect.Rules("controls the server",
			"pg_reload_conf", "pg_rotate_logfile*", "pg_switch_wal", "pg_create_restore_point", "pg_start_backup",
			"pg_stop_backup", "pg_backup_*", "pg_promote", "pg_wal_replay_*", "pg_import_system_collations",
			"pg_sync_replication_slots", "pg_log_standby_snapshot", "pg_buffercache_evict*", "pg_buffercache_mark_dirty*", "binary_upgrade_*"),
		dialect.Rules("changes replication or the write-ahead log",
			"pg_logical_*", "pg_create_physical_replication_slot", "pg_create_logical_replication_slot",
			"pg_copy_physical_replication_slot", "pg_copy_logical_replication_slot",
			"pg_drop_replication_slot", "pg_replication_*"),
		dialect.Rules("changes statistics",
			"pg_stat_reset*", "pg_stat_statements_reset*", "pg_restore_*", "pg_clear_*"),
		dialect.Rules("sends a message to other sessions", "pg_notify"),
		dialect.Rules("makes a snapshot or a transaction id visible to others",
			"pg_export_snapshot", "txid_current", "pg_current_xact_id"),
		dialect.Rules("changes storage",
			"brin_summarize_*", "brin_desummarize_range", "gin_clean_pending_list", "pg_truncate_visibility_map",
			"heap_force_*", "pg_prewarm", "autoprewarm_*", "pg_nextoid", "pg_stop_making_pinned_objects"),
	)
}
