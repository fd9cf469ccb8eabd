package readonly

import (
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Whether a PRAGMA reads depends on its name and on its form. The guard accepts
// PRAGMA [schema.]name for the names of both lists, and PRAGMA [schema.]name(value)
// for those of pragmaLists. It refuses everything else, "=" included.
// Source: https://sqlite.org/pragma.html and DuckDB's page "Pragmas"; each name
// reads in both engines or is unknown to one.
var (
	pragmaLists = wordSet(`collation_list collations compile_options database_list database_size foreign_key_check foreign_key_list
		function_list functions index_info index_list index_xinfo integrity_check module_list platform pragma_list quick_check show
		show_databases show_tables show_tables_expanded storage_info table_info table_list table_xinfo version`)
	pragmaSettings = wordSet(`application_id auto_vacuum cache_size data_version encoding foreign_keys freelist_count
		journal_mode max_page_count page_count page_size query_only read_uncommitted schema_version synchronous temp_store user_version`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// pragma reads what follows the word PRAGMA.
func (c *checker) pragma() error {
	if c.name(c.i) && c.is(c.i+1, ".") {
		c.i += 2
	}
	if c.kind(c.i) != dialect.TokenWord {
		return c.fail(sdk.KindSyntax, c.i, "PRAGMA is not followed by a name").WithHint("write PRAGMA table_info(t)")
	}
	name := strings.ToLower(c.tokens[c.i].Text(c.sql))
	lists, setting := pragmaLists[name], pragmaSettings[name]
	if !lists && !setting {
		return c.fail(sdk.KindNotReadOnly, c.i, "the pragma %s is refused because it %s", shorten(name), unknownReason).
			WithHint("read the schema with PRAGMA table_list, table_info(t), index_list(t) or foreign_key_list(t)")
	}
	c.i++
	if c.ends() {
		return nil
	}
	if !lists {
		return c.fail(sdk.KindNotReadOnly, c.i, "the pragma %s with a value is refused because it changes a setting", shorten(name)).
			WithHint("write PRAGMA %s without a value to read it", shorten(name))
	}
	if c.at("(") && (c.value(c.i+1) || c.name(c.i+1)) && c.is(c.i+2, ")") {
		c.i += 3
		if c.ends() {
			return nil
		}
	}
	return c.fail(sdk.KindNotReadOnly, c.i, "the pragma %s is refused in this form because it is not known to only read", shorten(name)).
		WithHint("write PRAGMA %s or PRAGMA %[1]s(name)", shorten(name))
}

// ends reports whether the statement ends at i.
func (c *checker) ends() bool { return c.kind(c.i) == 0 || c.at(";") }
