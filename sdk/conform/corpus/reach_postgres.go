package corpus

import "slices"

// postgresHiding makes objects that hide writes which leave the transaction. What
// they write is in the table spent and in files; the server is its own other
// server. All are in the schema hide, which is on the path of the database; each
// statement of Setup has a connection of its own.
func postgresHiding() Hiding {
	return Hiding{
		Setup:      slices.Concat(postgresHidingFunctions(), postgresHidingTexts(), postgresHidingObjects(), postgresHidingClasses(), postgresHidingForeign(), postgresHarmlessObjects()),
		Reread:     []string{"SELECT * FROM spent ORDER BY by", "SELECT last_value, is_called FROM spent_seq"},
		Statements: slices.Concat(postgresHidden(), postgresReached()),
	}
}

const postgresSpend = `public.dblink_exec('{dsn}', 'INSERT INTO spent VALUES (1)')`

func postgresHidingFunctions() []string {
	return []string{
		"CREATE EXTENSION IF NOT EXISTS dblink",
		"CREATE SCHEMA hide",
		"GRANT USAGE ON SCHEMA hide TO PUBLIC",
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = hide, public', current_database()); END $$",
		"CREATE TABLE spent (by integer)",
		"CREATE SEQUENCE spent_seq",
		"GRANT INSERT, SELECT ON spent TO PUBLIC",
		"GRANT USAGE, SELECT, UPDATE ON spent_seq TO PUBLIC",
		"CREATE FUNCTION hide_sql() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT " + postgresSpend + " $$",
		"CREATE FUNCTION hide_plpgsql() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM public . \"dblink_exec\" ('{dsn}', 'INSERT INTO spent VALUES (2)'); RETURN 'x'; END $$",
		"CREATE FUNCTION hide_parsed() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT " + postgresSpend + "; END",
		"CREATE FUNCTION hide_loop(n integer) RETURNS text LANGUAGE plpgsql AS $$ BEGIN IF n > 0 THEN RETURN hide_loop(n - 1); END IF; RETURN hide_sql(); END $$",
		"CREATE FUNCTION hide_deep() RETURNS text LANGUAGE sql STABLE AS $$ SELECT lower(hide_loop(3)) $$",
		"CREATE FUNCTION hide_immutable() RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM hide.hide_sql(); RETURN 1; END $$",
		"CREATE FUNCTION hide_default(x text DEFAULT hide_sql()) RETURNS text LANGUAGE sql AS 'SELECT x'",
		"CREATE FUNCTION hide_copy() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN COPY (SELECT 1) TO '{tmp}'; RETURN 1; END $$",
		"CREATE FUNCTION hide_program() RETURNS integer LANGUAGE sql SECURITY DEFINER AS $$ COPY (SELECT 1) TO PROGRAM 'touch {tmp}'; SELECT 1 $$",
		"CREATE FUNCTION run_text(q text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN EXECUTE q; RETURN q; END $$",
		"CREATE FUNCTION run_constant() RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT hide_sql()'; RETURN ''; END $$",
		"CREATE FUNCTION run_xml(q text) RETURNS xml LANGUAGE sql SECURITY DEFINER AS $$ SELECT query_to_xml(q, true, true, '') $$",
		"CREATE FUNCTION hide_large(path text) RETURNS integer LANGUAGE sql SECURITY DEFINER AS $$ SELECT lo_export(lo_from_bytea(0, 'x'), path) $$",
		"CREATE FUNCTION hide_c(text, text) RETURNS text LANGUAGE c SECURITY DEFINER AS '$libdir/dblink', 'dblink_exec'",
		"CREATE FUNCTION hide_add(a text, b text) RETURNS text LANGUAGE sql AS 'SELECT hide_sql()'",
		"CREATE AGGREGATE hide_sum (text) (sfunc = hide_add, stype = text, initcond = '')",
		"CREATE FUNCTION hide_check(x text) RETURNS boolean LANGUAGE sql AS $$ SELECT hide_sql() IS NOT NULL $$",
	}
}

// postgresLong is a name of as many bytes as the server keeps of one.
const postgresLong = "hide_a_name_of_which_the_server_keeps_sixty_three_bytes_no_more_x"

// postgresHidingTexts hide the write in texts that are run, and in names that the
// server cuts.
func postgresHidingTexts() []string {
	runs := func(name, text string) string {
		return "CREATE FUNCTION " + name + "() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $x$ BEGIN EXECUTE " + text + "; RETURN ''; END $x$"
	}
	return []string{
		"CREATE EXTENSION IF NOT EXISTS tablefunc",
		runs("run_nested", `'SELECT query_to_xml(''SELECT hide.hide_sql()'', true, true, '''')'`),
		runs("run_do", `$q$ DO 'BEGIN PERFORM hide.hide_sql(); END' $q$`),
		runs("run_copy", `'COPY (SELECT 1) TO ''{tmp}'''`),
		runs("run_escaped", `E'SELECT hide.h\151de_sql()'`),
		runs("run_unicode", `U&'SELECT hide.h\0069de_sql()'`),
		"CREATE FUNCTION run_joined() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM query_to_xml('SELECT hide.hide_'::text || 'sql()', true, true, ''); RETURN ''; END $$",
		"CREATE FUNCTION run_second() RETURNS tsquery LANGUAGE sql AS $$ SELECT ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, ''b''::tsquery WHERE hide.hide_sql() IS NOT NULL') $$",
		"CREATE VIEW hidden_categories AS SELECT * FROM crosstab('SELECT 1, 1, 1', 'SELECT hide.hide_immutable()') AS t (a integer, b integer)",
		"CREATE VIEW hidden_tree AS SELECT * FROM connectby('accounts', 'hide.hide_sql', '(), id', '1', 1) AS t (a text, b text, c integer)",
		"CREATE VIEW hidden_schema AS SELECT schema_to_xml('hide', true, true, '') AS x",
		"CREATE FUNCTION " + postgresLong[:63] + "() RETURNS text LANGUAGE sql AS 'SELECT hide_sql()'",
		"CREATE FUNCTION hide_long() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN " + postgresLong + "(); END $$",
		"CREATE FUNCTION hide_escaping() RETURNS text LANGUAGE plpgsql SET standard_conforming_strings = off AS $x$ DECLARE a text := '\\''; BEGIN PERFORM hide.hide_sql(); a := '--\\'';\nRETURN a; END $x$",
		"CREATE FUNCTION hide_member() RETURNS text LANGUAGE sql AS 'SELECT hide.hide_sql()'",
		"ALTER EXTENSION tablefunc ADD FUNCTION hide_member()",
	}
}

// postgresHidingClasses hide the write in a class by which ranges and operators over
// types of the server compare.
func postgresHidingClasses() []string {
	return []string{
		"CREATE FUNCTION hide_compare(a integer, b integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT a - b + 0 * hide.hide_immutable()'",
		"CREATE FUNCTION hide_less(a integer, b integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT a < b'",
		"CREATE OPERATOR <<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hide_less)",
		"CREATE OPERATOR CLASS hide_class FOR TYPE integer USING btree AS OPERATOR 1 <<<, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 hide_compare(integer, integer)",
		"CREATE TYPE hide_range AS RANGE (subtype = integer, subtype_opclass = hide_class)",
		"CREATE VIEW hidden_range AS SELECT hide_range(id, id + 1) AS r FROM accounts",
		"CREATE VIEW hidden_order AS SELECT id FROM accounts ORDER BY id USING <<<",
		"TRUNCATE spent",
	}
}

func postgresHidingObjects() []string {
	return []string{
		"CREATE VIEW hidden_direct AS SELECT " + postgresSpend + " AS x",
		"CREATE VIEW hidden_view AS SELECT hide_sql() AS x, id FROM accounts",
		"CREATE VIEW hidden_deeper AS SELECT x FROM (SELECT * FROM hidden_view) AS v",
		"CREATE VIEW hidden_file AS SELECT pg_read_file('/etc/passwd') AS x",
		"CREATE VIEW hidden_message AS SELECT pg_logical_emit_message(false, 'stolen', 'x') AS x",
		"CREATE VIEW hidden_xml AS SELECT query_to_xml('SELECT ' || 'hide_sql()', true, true, '') AS x",
		"CREATE TYPE hider AS (n integer)",
		"CREATE FUNCTION hide_cast(h hider) RETURNS integer LANGUAGE sql AS $$ SELECT length(hide_sql()) $$",
		"CREATE CAST (hider AS integer) WITH FUNCTION hide_cast(hider) AS IMPLICIT",
		"CREATE TABLE hider_rows (h hider)",
		"INSERT INTO hider_rows VALUES (ROW(1))",
		"CREATE FUNCTION hide_text(h hider) RETURNS text LANGUAGE sql AS 'SELECT hide_sql()'",
		"CREATE FUNCTION hide_minus(a integer, b hider) RETURNS integer LANGUAGE sql AS $$ SELECT length(hide_sql()) $$",
		"CREATE OPERATOR <-> (LEFTARG = integer, RIGHTARG = hider, FUNCTION = hide_minus)",
		"CREATE FUNCTION hide_equal(a hider, b hider) RETURNS boolean LANGUAGE sql AS $$ SELECT hide_sql() IS NULL $$",
		"CREATE OPERATOR = (LEFTARG = hider, RIGHTARG = hider, FUNCTION = hide_equal)",
		"CREATE DOMAIN hiding AS text CHECK (hide_check(VALUE))",
		"CREATE FUNCTION hide_alike(a integer, b integer) RETURNS boolean LANGUAGE sql AS 'SELECT a = b'",
		"CREATE FUNCTION hide_unlike(a integer, b integer) RETURNS boolean LANGUAGE sql AS 'SELECT hide_check(NULL)'",
		"CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hide_alike, NEGATOR = !===)",
		"CREATE OPERATOR !=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hide_unlike, NEGATOR = ===)",
		"CREATE TABLE hidden_rows (id integer, secret text)",
		"INSERT INTO hidden_rows VALUES (1, 'x')",
		"CREATE POLICY hiding ON hidden_rows USING (hide_check(secret))",
		"ALTER TABLE hidden_rows ENABLE ROW LEVEL SECURITY",
		"ALTER TABLE hidden_rows FORCE ROW LEVEL SECURITY",
		"CREATE TABLE hidden_index (id integer)",
		"CREATE INDEX ON hidden_index ((id + hide_immutable()))",
		"TRUNCATE spent",
	}
}

func postgresHidingForeign() []string {
	return []string{
		"CREATE EXTENSION IF NOT EXISTS postgres_fdw",
		"CREATE EXTENSION IF NOT EXISTS file_fdw",
		"CREATE VIEW next_spent AS SELECT nextval('spent_seq') AS n",
		"DO $$ DECLARE role text; BEGIN EXECUTE format('CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)', '127.0.0.1', inet_server_port(), current_database()); EXECUTE format('CREATE SERVER itself_read_only FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, options %L)', '127.0.0.1', inet_server_port(), current_database(), '-c default_transaction_read_only=on'); END $$",
		"CREATE USER MAPPING FOR PUBLIC SERVER itself OPTIONS (user 'loam_owner', password 'correct horse: battery/staple')",
		"CREATE USER MAPPING FOR PUBLIC SERVER itself_read_only OPTIONS (user 'loam_owner', password 'correct horse: battery/staple')",
		"CREATE FOREIGN TABLE hidden_next (n bigint) SERVER itself OPTIONS (table_name 'next_spent')",
		"CREATE FOREIGN TABLE far_accounts (id integer, name text) SERVER itself_read_only OPTIONS (schema_name 'public', table_name 'accounts')",
		"CREATE VIEW over_next AS SELECT n FROM hidden_next",
		"CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
		"CREATE FOREIGN TABLE hidden_program (line text) SERVER files OPTIONS (program 'touch {tmp}')",
		"CREATE TABLE parent_next (n bigint)",
		"CREATE FOREIGN TABLE child_next () INHERITS (parent_next) SERVER itself OPTIONS (table_name 'next_spent')",
		"GRANT SELECT ON ALL TABLES IN SCHEMA hide TO PUBLIC",
	}
}

func postgresHarmlessObjects() []string {
	return []string{
		"CREATE FUNCTION noise(n integer) RETURNS double precision LANGUAGE plpgsql VOLATILE AS $$ DECLARE x double precision; BEGIN SELECT n * random() INTO x; RETURN x; END $$",
		"CREATE FUNCTION noted() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('stolen', 'dblink_exec'); PERFORM set_config('work_mem', '8MB', true); RETURN 1; END $$",
		"CREATE FUNCTION ping(n integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN n > 0 THEN pong(n - 1) ELSE 0 END; END $$",
		"CREATE FUNCTION pong(n integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN n > 0 THEN ping(n - 1) ELSE 1 END; END $$",
		"CREATE FUNCTION torn() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN IF false THEN PERFORM gone(); END IF; RETURN 1; END $$",
		`CREATE FUNCTION run_reading() RETURNS integer LANGUAGE plpgsql AS $x$ DECLARE n integer; BEGIN EXECUTE E'SELECT count(*)\nFROM accounts WHERE name <> \'x\'' INTO n; RETURN n; END $x$`,
		"CREATE VIEW pivoted AS SELECT * FROM crosstab('SELECT id, name, balance FROM public.accounts ORDER BY 1', 'SELECT DISTINCT name FROM public.accounts ORDER BY 1 LIMIT 1') AS t (id integer, n integer)",
		"CREATE VIEW noisy AS SELECT id, noise(id) AS x FROM accounts",
		"CREATE VIEW over_torn AS SELECT torn() AS n, * FROM noisy",
		"CREATE MATERIALIZED VIEW stored AS SELECT x FROM hidden_view",
		"TRUNCATE spent",
		"CREATE VIEW triggered AS SELECT id, name FROM accounts",
		"CREATE FUNCTION spend_on_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM hide_sql(); RETURN NEW; END $$",
		"CREATE TRIGGER spends INSTEAD OF INSERT OR UPDATE OR DELETE ON triggered FOR EACH ROW EXECUTE FUNCTION spend_on_write()",
		"CREATE FUNCTION changes() RETURNS integer LANGUAGE sql AS 'UPDATE accounts SET balance = 0 RETURNING 1'",
		"CREATE SCHEMA other",
		"CREATE FUNCTION other.noise(n integer) RETURNS text LANGUAGE sql AS 'SELECT hide_sql()'",
		"GRANT USAGE ON SCHEMA other TO PUBLIC",
		"GRANT SELECT ON ALL TABLES IN SCHEMA hide TO PUBLIC",
		"SELECT setval('spent_seq', 1)",
	}
}

// hiddenBehind lists statements as name, SQL and the path that the refusal shows, or "".
func hiddenBehind(behind string, named ...string) []Hidden {
	var all []Hidden
	for i := 0; i+2 < len(named); i += 3 {
		h := Hidden{Name: named[i], SQL: named[i+1], Behind: behind}
		if named[i+2] != "" {
			h.Path = []string{named[i+2], "which"}
		}
		all = append(all, h)
	}
	return all
}

func postgresHidden() []Hidden {
	return slices.Concat(
		hiddenBehind(BehindView,
			"view of dblink", "SELECT * FROM hidden_direct", "view hide.hidden_direct → public.dblink_exec",
			"view of a function", "SELECT * FROM hidden_view", "view hide.hidden_view → function hide.hide_sql → public.dblink_exec",
			"view of a view", `TABLE "hidden_deeper"`, "view hide.hidden_deeper → view hide.hidden_view → function hide.hide_sql → public.dblink_exec",
			"view of a file", "SELECT * FROM hidden_file", "view hide.hidden_file → pg_catalog.pg_read_file",
			"view of a message", "SELECT * FROM hidden_message", "view hide.hidden_message → pg_catalog.pg_logical_emit_message",
			"view of a text", "SELECT * FROM hidden_xml", "view hide.hidden_xml",
			"view under explain analyze", "EXPLAIN ANALYZE SELECT * FROM hide.hidden_view", "view hide.hidden_view",
			"policy of a table", "SELECT * FROM hidden_rows", "table hide.hidden_rows → function hide.hide_check",
			"view of a second text", "SELECT * FROM hidden_categories", "view hide.hidden_categories → function hide.hide_immutable",
			"view of fragments of a text", "SELECT * FROM hidden_tree", "view hide.hidden_tree",
			"view of all relations", "SELECT * FROM hidden_schema", "view hide.hidden_schema",
			"view of a range by a class", "SELECT * FROM hidden_range", "view hide.hidden_range → type hide.hide_range → function hide.hide_compare",
			"view in the order of a class", "SELECT * FROM hidden_order", "view hide.hidden_order → operator hide.<<< → function hide.hide_compare",
			"index of a table", "SELECT count(*) FROM hidden_index", "table hide.hidden_index → function hide.hide_immutable",
		),
		hiddenBehind(BehindFunction,
			"function in SQL", "SELECT hide_sql()", "function hide.hide_sql → public.dblink_exec",
			"function in PL/pgSQL", "SELECT * FROM hide.hide_plpgsql()", "function hide.hide_plpgsql → public.dblink_exec",
			"function in parsed SQL", "SELECT hide_parsed()", "function hide.hide_parsed → public.dblink_exec",
			"function of a recursive function", "SELECT Hide_Deep ()", "function hide.hide_deep → function hide.hide_loop → function hide.hide_sql",
			"immutable function", "SELECT hide_immutable()", "function hide.hide_immutable",
			"default of an argument", "SELECT hide_default()", "function hide.hide_default → function hide.hide_sql",
			"function that copies to a file", "SELECT hide_copy()", "function hide.hide_copy",
			"function that runs a program", "SELECT hide_program()", "function hide.hide_program",
			"function that runs a text", "SELECT run_text('COPY (SELECT 1) TO PROGRAM ''touch {tmp}''')", "function hide.run_text",
			"function that runs a constant text", "SELECT run_constant()", "function hide.run_constant → function hide.hide_sql",
			"function that runs a text as XML", "SELECT run_xml('SELECT hide_sql()')", "function hide.run_xml",
			"text in a text", "SELECT run_nested()", "function hide.run_nested → function hide.hide_sql",
			"block in a text", "SELECT run_do()", "function hide.run_do → function hide.hide_sql",
			"copy in a text", "SELECT run_copy()", "function hide.run_copy",
			"text in escapes", "SELECT run_escaped()", "function hide.run_escaped",
			"text in Unicode escapes", "SELECT run_unicode()", "function hide.run_unicode",
			"text with a type that goes on", "SELECT run_joined()", "function hide.run_joined",
			"text as a second argument", "SELECT run_second()", "function hide.run_second → function hide.hide_sql",
			"name that is cut", "SELECT "+postgresLong+"()", "function hide."+postgresLong[:63]+" → function hide.hide_sql",
			"name that is cut in a function", "SELECT hide_long()", "function hide.hide_long → function hide."+postgresLong[:63],
			"function whose strings have escapes", "SELECT hide_escaping()", "function hide.hide_escaping → function hide.hide_sql",
			"function that joined an extension", "SELECT hide_member()", "function hide.hide_member → function hide.hide_sql",
			"function that exports", "SELECT hide_large('{tmp}')", "function hide.hide_large → pg_catalog.lo_export",
			"function in C", "SELECT hide_c('{dsn}', 'INSERT INTO spent VALUES (3)')", "function hide.hide_c",
			"aggregate", "SELECT hide_sum(name) FROM accounts", "aggregate hide.hide_sum → function hide.hide_add",
			"attribute", "SELECT (h).hide_text FROM hider_rows", "hide_",
			"attribute of a row", "SELECT hider_rows.h, (ROW(1)::hider).hide_text FROM hider_rows", "hide_",
		),
		hiddenBehind(BehindOperator,
			"operator", "SELECT 1 <-> ROW(1)::hider", "",
			"operator of its schema", "SELECT 1 OPERATOR(hide.<->) h FROM hider_rows", "",
			"operator without a type", "SELECT 1 <-> '(1)'", "operator hide.<-> → function hide.hide_minus",
			"operator of a class", "SELECT id FROM accounts ORDER BY id USING <<<", "operator hide.<<< → function hide.hide_compare",
			"negator of an operator", "SELECT id FROM accounts WHERE NOT (id === 1)", "operator hide.=== → operator hide.!=== → function hide.hide_unlike",
			"operator by a word", "SELECT 1 FROM hider_rows WHERE h IN (ROW(1)::hider)", "",
		),
		hiddenBehind(BehindDomain,
			"domain", "SELECT CAST(name AS hiding) FROM accounts", "domain hide.hiding → function hide.hide_check",
			"domain, short", "SELECT name::hide.hiding FROM accounts", "domain hide.hiding",
			"domain of an array, while it is parsed", "SELECT '{x}'::_hiding", "type hide._hiding → domain hide.hiding → function hide.hide_check",
			"domain by its number", "SELECT domain_in('x'::cstring, 'hide.hiding'::regtype::oid, -1) IS NULL", "pg_catalog.domain_in",
			"domain in front", "SELECT hiding 'x'", "domain hide.hiding",
		),
		hiddenBehind(BehindCast,
			"cast", "SELECT (ROW(1)::hider)::integer", "",
			"cast without a name", "SELECT sum(h) FROM hider_rows", "",
		),
		hiddenBehind(BehindForeignTable,
			"foreign table", "SELECT * FROM hidden_next", "foreign table hide.hidden_next",
			"view of a foreign table", "SELECT * FROM over_next", "view hide.over_next → foreign table hide.hidden_next",
			"foreign table of a program", "SELECT * FROM hidden_program", "foreign table hide.hidden_program",
			"foreign child of a table", "SELECT * FROM parent_next", "table hide.parent_next → foreign table hide.child_next",
		),
	)
}

// postgresReached name what looks like the hidden writes and is none.
func postgresReached() []Hidden {
	list := func(named ...string) []Hidden {
		var all []Hidden
		for i := 0; i+1 < len(named); i += 2 {
			all = append(all, Hidden{Name: named[i], SQL: named[i+1], Harmless: true})
		}
		return all
	}
	return list(
		"volatile function", "SELECT noise(1)",
		"view of a volatile function", "SELECT * FROM noisy",
		"function that only notifies", "SELECT noted()",
		"functions that call each other", "SELECT ping(5), pong(4)",
		"view of a view of a missing function", "SELECT * FROM over_torn",
		"materialized view of a write", "SELECT * FROM stored",
		"view with triggers that write", "SELECT * FROM triggered",
		"read-only foreign server", "SELECT count(*) FROM far_accounts",
		"function of another schema", "SELECT hide.noise(2)",
		"name in a string", "SELECT 'hide_sql()', 'hidden_view'",
		"texts that only read", "SELECT * FROM pivoted, run_reading()",
		"long name of nothing", "SELECT 1 AS hide_a_name_of_which_the_server_keeps_sixty_three_bytes_and_more",
		"ordinary statement", "SELECT a.name, sum(l.amount) FROM accounts a JOIN ledger l ON l.account_id = a.id GROUP BY a.name ORDER BY 2",
	)
}
