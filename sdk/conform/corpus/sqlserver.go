package corpus

import "slices"

func sqlserverSetup() []string {
	return []string{"CREATE VIEW big_accounts AS SELECT id, name FROM accounts WHERE balance > 100"}
}

func sqlserverReread() []string {
	return []string{
		"SELECT s.name, o.name, o.type FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.type IN ('U', 'V') ORDER BY 1, 2",
		"SELECT o.name, c.name, c.user_type_id FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id WHERE o.type IN ('U', 'V') ORDER BY 1, 2",
	}
}

// sqlserverSince says which of the shared statements that only read the server does
// not know, or not yet: it has no word RECURSIVE, and || since 2025.
var sqlserverSince = map[string]string{"recursive with": "99", "concatenated look-alike": "17"}

func sqlserver() []Case {
	return slices.Concat(sqlserverStatements(), sqlserverHidden(), sqlserverHarmless())
}

func sqlserverStatements() []Case {
	return attacks("",
		"merge", "MERGE accounts AS a USING ledger AS l ON a.id = l.account_id WHEN MATCHED THEN UPDATE SET balance = 0;",
		"truncate", "TRUNCATE TABLE accounts",
		"update with a join", "UPDATE a SET balance = 0 FROM accounts a JOIN ledger l ON l.account_id = a.id",
		"delete top", "DELETE TOP (1) FROM accounts",
		"insert from a procedure", "INSERT INTO ledger EXEC sp_executesql N'SELECT 9, 1, 1, ''x'''",
		"exec", "EXEC sp_executesql N'DELETE FROM accounts'",
		"execute a text", "EXECUTE ('DELETE FROM accounts')",
		"execute as", "EXECUTE AS USER = 'dbo'",
		"execute at a linked server", "EXEC ('DROP TABLE accounts') AT far",
		"a procedure without a verb", "sp_executesql N'DELETE FROM accounts'",
		"a word that is a procedure", "sp_who",
		"a command of the system", "EXEC xp_cmdshell 'echo stolen > {tmp}'",
		"declare and execute", "DECLARE @s nvarchar(max) = N'DELETE FROM accounts'; EXEC (@s)",
		"use", "USE master",
		"set a session's option", "SET SHOWPLAN_XML OFF",
		"set no execution", "SET NOEXEC OFF",
		"implicit transactions", "SET IMPLICIT_TRANSACTIONS ON",
		"begin a transaction", "BEGIN TRANSACTION; DELETE FROM accounts; COMMIT",
		"begin a block", "BEGIN DELETE FROM accounts END",
		"if", "IF 1 = 1 DELETE FROM accounts",
		"while", "WHILE 1 = 1 BREAK",
		"wait", "WAITFOR DELAY '00:00:01'",
		"raise an error", "RAISERROR ('x', 16, 1) WITH LOG",
		"bulk insert", "BULK INSERT ledger FROM '{tmp}'",
		"backup", "BACKUP DATABASE shop TO DISK = '{tmp}'",
		"dbcc", "DBCC FREEPROCCACHE",
		"kill", "KILL 51",
		"shutdown", "SHUTDOWN WITH NOWAIT",
		"reconfigure", "RECONFIGURE",
		"deny", "DENY SELECT ON accounts TO PUBLIC",
		"disable a trigger", "DISABLE TRIGGER ALL ON accounts",
		"receive", "RECEIVE * FROM queue",
		"create procedure", "CREATE PROCEDURE stolen AS DELETE FROM accounts",
		"create login", "CREATE LOGIN stolen WITH PASSWORD = 'x'",
		"alter server", "ALTER SERVER ROLE sysadmin ADD MEMBER stolen",
		"write a text", "WRITETEXT ledger.note 0x0 'x'",
	)
}

// sqlserverHidden begin as a query: statements need no separator, and a query may
// reach other servers and files, take locks or advance a sequence.
func sqlserverHidden() []Case {
	return attacks("",
		"delete behind a query", "SELECT 1 DELETE FROM accounts",
		"delete behind a query on a new line", "SELECT id FROM accounts\nDELETE FROM accounts",
		"update behind a query", "SELECT id FROM accounts UPDATE accounts SET balance = 0",
		"exec behind a query", "SELECT 1 EXEC sp_executesql N'DELETE FROM accounts'",
		"drop behind a table", "SELECT * FROM accounts DROP TABLE ledger",
		"truncate behind a table", "SELECT * FROM accounts TRUNCATE TABLE ledger",
		"use behind a query", "SELECT 1 USE master",
		"set behind a query", "SELECT 1 SET SHOWPLAN_XML OFF",
		"commit behind a query", "SELECT 1 COMMIT",
		"rollback behind a query", "SELECT 1 ROLLBACK",
		"a query behind a query", "SELECT 1 SELECT 2",
		"declare behind a query", "SELECT 1 DECLARE @x int",
		"if behind a query", "SELECT 1 IF 1 = 1 SELECT 2",
		"waitfor behind a query", "SELECT 1 WAITFOR DELAY '00:00:01'",
		"shutdown behind a query", "SELECT 1 SHUTDOWN",
		"revert behind a query", "SELECT 1 REVERT",
		"dbcc behind a query", "SELECT 1 DBCC FREEPROCCACHE",
		"select into with a hint", "SELECT * INTO stolen FROM accounts WITH (TABLOCK)",
		"select into behind union", "SELECT 1 AS a UNION ALL SELECT 2 AS a INTO stolen",
		"select into a temporary table", "SELECT * INTO #stolen FROM accounts",
		"merge behind with", "WITH x AS (SELECT 1 AS n) MERGE accounts AS a USING x ON a.id = x.n WHEN MATCHED THEN DELETE;",
		"openrowset", "SELECT * FROM OPENROWSET('MSOLEDBSQL', 'Server=far;Trusted_Connection=yes', 'DELETE FROM accounts')",
		"openrowset of a file", "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS f",
		"openquery", "SELECT * FROM OPENQUERY(far, 'DELETE FROM accounts')",
		"opendatasource", "SELECT * FROM OPENDATASOURCE('MSOLEDBSQL', 'Server=far').shop.dbo.accounts",
		"a sequence", "SELECT NEXT VALUE FOR stolen",
		"an exclusive lock", "SELECT * FROM accounts WITH (XLOCK)",
		"an update lock", "SELECT * FROM accounts WITH (UPDLOCK, HOLDLOCK)",
		"a lock on the table", "SELECT * FROM accounts WITH (TABLOCKX)",
		"password hashes", "SELECT name, password_hash FROM sys.sql_logins",
		"an audit file", "SELECT * FROM sys.fn_get_audit_file('{tmp}', DEFAULT, DEFAULT)",
	)
}

func sqlserverHarmless() []Case {
	return harmless(
		"names in brackets", "SELECT [update], [into], [set] FROM [accounts]",
		"a bracket in a name", "SELECT id AS [a]]; DROP TABLE accounts] FROM accounts",
		"top", "SELECT TOP (2) id FROM accounts ORDER BY id",
		"offset", "SELECT id FROM accounts ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY",
		"text of a nation", "SELECT N'DELETE FROM accounts; DROP TABLE ledger' AS note",
		"nested comments", "SELECT 1 /* a /* DELETE FROM accounts */ b */ AS n",
		"a hint that reads", "SELECT id FROM accounts WITH (NOLOCK)",
		"a common table", "WITH x (n) AS (SELECT id FROM accounts) SELECT n FROM x",
		"a schema in front", "SELECT id FROM dbo.accounts",
		"concatenated with a plus", "SELECT 'DEL' + 'ETE FROM accounts' AS note",
		"a view", "SELECT id, name FROM big_accounts",
	)
}
