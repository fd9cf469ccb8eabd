package corpus

import "slices"

func snowflakeSetup() []string {
	return []string{"CREATE VIEW big_accounts AS SELECT id, name FROM accounts WHERE balance > 100"}
}

func snowflakeReread() []string {
	return []string{
		"SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema <> 'INFORMATION_SCHEMA' ORDER BY 1, 2",
		"SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema <> 'INFORMATION_SCHEMA' ORDER BY 1, 2",
	}
}

func snowflake() []Case {
	return slices.Concat(snowflakeStatements(), snowflakeQueries(), snowflakeHarmless())
}

func snowflakeStatements() []Case {
	return attacks("",
		"insert overwrite", "INSERT OVERWRITE INTO ledger SELECT 9, 1, 5, 'x'",
		"multi-table insert", "INSERT ALL INTO ledger VALUES (9, 1, 5, 'x') INTO ledger VALUES (10, 1, 5, 'x') SELECT 1",
		"merge", "MERGE INTO accounts USING ledger ON accounts.id = ledger.account_id WHEN MATCHED THEN DELETE",
		"truncate", "TRUNCATE TABLE accounts",
		"undrop", "UNDROP TABLE accounts",
		"clone", "CREATE TABLE stolen CLONE accounts",
		"create or replace table", "CREATE OR REPLACE TABLE accounts AS SELECT 1 AS id",
		"create transient table", "CREATE TRANSIENT TABLE stolen (id INT)",
		"create dynamic table", "CREATE DYNAMIC TABLE stolen TARGET_LAG = '1 minute' WAREHOUSE = w AS SELECT * FROM accounts",
		"create stream", "CREATE STREAM stolen ON TABLE accounts",
		"create task", "CREATE TASK stolen AS DELETE FROM accounts",
		"create stage", "CREATE STAGE stolen URL = 's3://bucket/'",
		"create procedure", "CREATE PROCEDURE stolen() RETURNS INT LANGUAGE SQL AS $$ BEGIN DELETE FROM accounts; RETURN 1; END $$",
		"create function", "CREATE FUNCTION stolen() RETURNS INT AS '1'",
		"copy into a table", "COPY INTO accounts FROM @stage",
		"copy into a stage", "COPY INTO @stage FROM accounts",
		"put", "PUT file:///etc/passwd @~",
		"put behind a comment", "/* a */ PUT file:///etc/passwd @~",
		"put behind two comments", "/* a */ /* b */ put file:///etc/passwd @~",
		"get", "GET @~ file:///tmp/stolen",
		"remove", "REMOVE @~ PATTERN = '.*'",
		"list", "LIST @~",
		"anonymous block", "BEGIN DELETE FROM accounts; END",
		"declare block", "DECLARE n INT; BEGIN DELETE FROM accounts; END",
		"execute immediate", "EXECUTE IMMEDIATE 'DELETE FROM accounts'",
		"execute immediate in dollars", "EXECUTE IMMEDIATE $$ BEGIN DELETE FROM accounts; END $$",
		"execute task", "EXECUTE TASK t",
		"call behind with", "WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS $$ BEGIN DELETE FROM accounts; RETURN 1; END $$ CALL p()",
		"alter session", "ALTER SESSION SET QUOTED_IDENTIFIERS_IGNORE_CASE = TRUE",
		"alter session for several statements", "ALTER SESSION SET MULTI_STATEMENT_COUNT = 0",
		"unset", "UNSET x",
		"use role", "USE ROLE ACCOUNTADMIN",
		"use secondary roles", "USE SECONDARY ROLES ALL",
		"use warehouse", "USE WAREHOUSE big",
		"alter warehouse", "ALTER WAREHOUSE w RESUME",
		"alter user", "ALTER USER u SET PASSWORD = 'x'",
		"comment on", "COMMENT ON TABLE accounts IS 'stolen'",
		"grant a role", "GRANT ROLE ACCOUNTADMIN TO USER u",
		"revoke", "REVOKE SELECT ON accounts FROM ROLE r",
		"explain insert in a form", "EXPLAIN USING JSON INSERT INTO ledger VALUES (9, 1, 5, 'x')",
		"lock", "LOCK TABLE accounts",
		"kill", "KILL 1",
	)
}

func snowflakeQueries() []Case {
	return attacks("",
		"write behind a flow", "SELECT 1 ->> DELETE FROM accounts",
		"write behind a flow without space", "SELECT 1->>DELETE FROM accounts",
		"write behind a flow of a show", "SHOW TABLES ->> DROP TABLE accounts",
		"write behind a flow of a description", "DESC TABLE accounts ->> DELETE FROM accounts",
		"select into a variable", "SELECT id INTO :x FROM accounts",
		"second statement behind a slash comment", "SELECT 1 // '\n; DELETE FROM accounts //'",
		"second statement behind dollars", "SELECT $$ a $$ ; DELETE FROM accounts; SELECT $$ $$",
		"second statement behind dollars with a tag", "SELECT $a$ ; DELETE FROM accounts; SELECT $a$",
		"second statement behind a backslash", `SELECT 'a\\' ; DELETE FROM accounts -- '`,
		"next value", "SELECT ledger_ids.NEXTVAL",
		"next value of a schema's sequence", "SELECT public.ledger_ids.nextval AS n FROM accounts",
		"next value by a table function", "SELECT * FROM TABLE(GETNEXTVAL(ledger_ids))",
		"cancel", "SELECT SYSTEM$CANCEL_QUERY('01b0')",
		"abort a session", "SELECT SYSTEM$ABORT_SESSION(1)",
		"system function in a filter", "SELECT id FROM accounts WHERE SYSTEM$WAIT(600) = 'x'",
		"quoted system function", `SELECT "SYSTEM$ABORT_SESSION"(1)`,
		"results of others", "SELECT * FROM TABLE(RESULT_SCAN('01b0'))",
		"results of the last statement", "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))",
	)
}

func snowflakeHarmless() []Case {
	return harmless(
		"dollars", "SELECT $$DROP TABLE accounts;$$ AS note",
		"slash comment", "SELECT 1 AS n // ; DELETE FROM accounts",
		"escaped quote", `SELECT 'it\'s; DELETE FROM accounts' AS note`,
		"flow in a string", "SELECT '->> DROP TABLE accounts' AS note",
		"cast with colons", "SELECT balance::VARCHAR AS x FROM accounts",
		"qualify", "SELECT id FROM accounts QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1",
		"values", "SELECT * FROM (VALUES (1, 'insert'), (2, 'drop')) AS v (a, b)",
		"ilike", "SELECT name FROM accounts WHERE name ILIKE 'a%'",
		"limit", "SELECT id FROM accounts ORDER BY id LIMIT 2 OFFSET 1",
		"iff", "SELECT IFF(balance > 0, 'update', 'delete') AS x FROM accounts",
		"zeroifnull", "SELECT COALESCE(balance, 0) AS x FROM accounts",
		"date parts", "SELECT DATE_TRUNC('MONTH', '2024-02-29'::DATE) AS x",
		"view", "SELECT name FROM big_accounts",
		"qualified name", "SELECT id FROM public.accounts",
		"information schema", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'PUBLIC'",
	)
}
