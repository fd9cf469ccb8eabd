package mysql_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// caseTypes are what the cases need beyond the corpus' fixture: {db}_types has a
// table per family of types, {db}_shop is scanned.
const caseTypes = `
CREATE DATABASE {db}_types; USE {db}_types;
SET time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES,NO_ENGINE_SUBSTITUTION';
CREATE TABLE integers (id INT PRIMARY KEY, t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, su SMALLINT UNSIGNED, m MEDIUMINT, mu MEDIUMINT UNSIGNED,
  i INT, iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, y YEAR, yes BOOLEAN);
INSERT INTO integers VALUES
  (1, -128, 0, -32768, 0, -8388608, 0, -2147483648, 0, -9223372036854775808, 0, 1901, FALSE),
  (2, 127, 255, 32767, 65535, 8388607, 16777215, 2147483647, 4294967295, 9223372036854775807, 18446744073709551615, 2155, TRUE),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 1, 1, 1, 1, 1, 1, 1, 1, 9007199254740993, 9223372036854775808, 0, -5);
CREATE TABLE zerofills (i INT(6) ZEROFILL, d DECIMAL(8,2) ZEROFILL, b BIGINT ZEROFILL);
INSERT INTO zerofills VALUES (7, 7.5, 7), (0, 0.5, 0);
CREATE TABLE decimals (id INT PRIMARY KEY, d DECIMAL(65,30), n DECIMAL(5,0), u DECIMAL(10,2) UNSIGNED);
INSERT INTO decimals VALUES (1, 99999999999999999999999999999999999.999999999999999999999999999999, 12345, 0.01),
  (2, -0.000000000000000000000000000001, -99999, 99999999.99), (3, NULL, NULL, NULL), (4, 0, 0, 0);
CREATE TABLE floats (id INT PRIMARY KEY, f FLOAT, d DOUBLE);
INSERT INTO floats VALUES (1, 0.1, 0.1), (2, 16777216, 9007199254740993e0), (3, 3.4028235e38, 1.7976931348623157e308),
  (4, 1.17549435e-38, 2.2250738585072014e-308), (5, -0e0, -0e0), (6, NULL, NULL), (7, 123456.789e0, 123456.789012345678e0), (8, -7, 7);
CREATE TABLE bits (b1 BIT, b9 BIT(9), b64 BIT(64));
INSERT INTO bits VALUES (NULL, NULL, NULL), (0, 0, 0), (1, 511, 18446744073709551615);
CREATE TABLE moments (id INT PRIMARY KEY, d DATE, dt DATETIME, dt6 DATETIME(6), ts TIMESTAMP NULL, tm TIME, tm3 TIME(3));
INSERT INTO moments VALUES
  (1, '2024-02-29', '2024-02-29 12:30:00', '2024-02-29 12:30:00.000001', '2024-02-29 10:30:00', '12:30:00', '-00:00:01.5'),
  (2, '9999-12-31', '9999-12-31 23:59:59', '0001-01-01 00:00:00', '1970-01-01 00:00:01', '838:59:59', '-838:59:59'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 0, 0, 0, 0, 0, 0),
  (5, '2024-00-00', '2024-02-00 01:02:03', '2024-02-30 00:00:00.1', NULL, NULL, NULL);
CREATE TABLE texts (id INT PRIMARY KEY, c CHAR(10), v VARCHAR(20) CHARACTER SET utf8mb4, l VARCHAR(20) CHARACTER SET latin1, t TEXT CHARACTER SET utf16 COLLATE utf16_bin,
  e ENUM('sad', 'happy'), s SET('red', 'green', 'blue'), i6 INET6, u UUID);
INSERT INTO texts VALUES (1, 'a', 'naïve 😀', 'café', '日本語', 'happy', 'blue,red', '2001:db8::1', '6ccd780c-baba-1026-9564-5b8c656024db'),
  (2, '', '', '', '', 'sad', '', '::', '00000000-0000-0000-0000-000000000000'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE blobs (id INT PRIMARY KEY, b BINARY(4), v VARBINARY(20), bl BLOB);
INSERT INTO blobs VALUES (1, x'00ff80', x'00fe', x'c328'), (2, '', '', ''), (3, NULL, NULL, NULL);
CREATE TABLE documents (id INT PRIMARY KEY, doc JSON);
INSERT INTO documents VALUES (1, '{"a": [1, 2.50], "b": null}'), (2, NULL), (3, '{"a": "x"}');
CREATE TABLE geometries (id INT PRIMARY KEY, g GEOMETRY);
INSERT INTO geometries SELECT id, ST_GeomFromText(t, 4326) FROM (SELECT 1 AS id, 'POINT(1 2.5)' AS t
  UNION SELECT 2, 'LINESTRING(0 0, 0.1 0.2, 1e300 -1)' UNION SELECT 3, 'POLYGON((0 0, 10 0, 10 10, 0 0), (1 1, 2 1, 2 2, 1 1))'
  UNION SELECT 4, 'MULTIPOINT(1 1, 2 2)' UNION SELECT 5, 'MULTILINESTRING((0 0, 1 1), (2 2, 3 3))'
  UNION SELECT 6, 'MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))'
  UNION SELECT 7, 'GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(0 0, 1 1))' UNION SELECT 8, NULL UNION SELECT 9, 'GEOMETRYCOLLECTION EMPTY') x;
SET sql_mode = DEFAULT;
CREATE DATABASE {db}_shop; USE {db}_shop;
CREATE TABLE customers (tenant INT, id BIGINT UNSIGNED AUTO_INCREMENT, email VARCHAR(100) NOT NULL COMMENT 'lower case', doc JSON, flag BIT(8),
  PRIMARY KEY (tenant, id), UNIQUE KEY email (email), KEY (id)) COMMENT 'Who buys';
CREATE TABLE orders (id INT PRIMARY KEY, tenant INT, customer BIGINT UNSIGNED, amount DECIMAL(12,2) DEFAULT 0, gross DECIMAL(14,2) AS (amount * 2) STORED,
  KEY customer (tenant, customer), CONSTRAINT email FOREIGN KEY (tenant, customer) REFERENCES customers (tenant, id), UNIQUE KEY email (tenant, amount));
CREATE TABLE events (at DATETIME NOT NULL, kind VARCHAR(20)) PARTITION BY RANGE COLUMNS (at)
  (PARTITION p2024 VALUES LESS THAN ('2025-01-01'), PARTITION rest VALUES LESS THAN (MAXVALUE));
INSERT INTO customers (tenant, id, email) SELECT 1 + seq % 3, seq, CONCAT('c', seq) FROM seq_1_to_500;
INSERT INTO orders (id, tenant, customer, amount) SELECT seq, 1 + seq % 3, CASE WHEN seq % 5 > 0 THEN (seq % 165 + 1) * 3 + seq % 3 END, seq / 7 FROM seq_1_to_700;
INSERT INTO events SELECT '2024-06-01' + INTERVAL seq HOUR, NULLIF(CONCAT('kind ', seq % 4), 'kind 3') FROM seq_1_to_900;
CREATE TABLE gone (id INT); CREATE VIEW broken AS SELECT * FROM gone; DROP TABLE gone;
USE {db};
`

// corpusDatabase is the fixture of the attacks and of the cases. There is a
// database that only MariaDBAdmin may use.
func corpusDatabase(t testing.TB, d *dialect.Dialect) *testserver.MariaDBDatabase {
	t.Helper()
	db := testserver.MariaDB(t).Database(t, "")
	script := ""
	for _, statement := range corpus.Setup(d) {
		script += statement + ";\n"
	}
	db.Exec(t, testserver.MariaDBOwner, script+named(db, caseTypes))
	db.Exec(t, testserver.MariaDBAdmin, named(db, "CREATE DATABASE closed_{db}; CREATE TABLE closed_{db}.secret (id INT); GRANT SELECT ON performance_schema.* TO loam_reader"))
	t.Cleanup(func() { db.MariaDBServer.Exec(t, testserver.MariaDBAdmin, "", "DROP DATABASE closed_"+db.Name) })
	for _, sql := range []string{"SELECT id FROM accounts WHERE balance > 1", "SELECT COUNT(*) FROM ledger", "SELECT name FROM accounts"} { // for the log
		db.Rows(t, testserver.MariaDBWriter, sql)
	}
	return db
}

// fixtureTables are what a scan of the corpus' database, of the shop and of the
// closed database shows.
func fixtureTables(db *testserver.MariaDBDatabase) []sdk.Table {
	column := func(name, native string, typ sdk.Type, nullable bool) sdk.Column {
		return sdk.Column{Name: name, Type: typ, NativeType: native, Nullable: nullable}
	}
	integer := func(name string, nullable bool) sdk.Column { return column(name, "int(11)", sdk.TypeInt64, nullable) }
	text := func(name, native string, nullable bool) sdk.Column {
		return column(name, native, sdk.TypeText, nullable)
	}
	table := func(name string, kind sdk.TableKind, keys []sdk.Key, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: sdk.TableRef{Schema: db.Name, Name: name}, Kind: kind, Keys: keys, Columns: columns}
	}
	primary := func(columns ...string) []sdk.Key {
		return []sdk.Key{{Kind: sdk.KeyPrimary, Columns: columns, Enforced: true}}
	}
	shop := func(t sdk.Table, properties map[string]string) sdk.Table {
		t.Schema, t.Properties = db.Name+"_shop", properties
		return t
	}
	unsigned := column("id", "bigint(20) unsigned", sdk.TypeDecimal, false)
	unsigned.Properties = map[string]string{"auto_increment": "true"}
	email := text("email", "varchar(100)", false)
	email.Comment = "lower case"
	doc := text("doc", "longtext", true)
	doc.Properties = map[string]string{"format": "json"}
	amount := column("amount", "decimal(12,2)", sdk.TypeDecimal, true)
	amount.Precision, amount.Scale, amount.Default = 12, 2, "0.00"
	gross := column("gross", "decimal(14,2)", sdk.TypeDecimal, true)
	gross.Precision, gross.Scale, gross.Generated = 14, 2, true
	customers := shop(table("customers", sdk.TableBase, append(primary("tenant", "id"), sdk.Key{Kind: sdk.KeyUnique, Name: "email", Columns: []string{"email"}, Enforced: true}),
		integer("tenant", false), unsigned, email, doc, column("flag", "bit(8)", sdk.TypeDecimal, true)), map[string]string{"engine": "InnoDB"})
	customers.Comment = "Who buys"
	return []sdk.Table{
		table("accounts", sdk.TableBase, primary("id"),
			integer("id", false), text("name", "varchar(40)", false), integer("balance", false),
			text("update", "varchar(40)", true), integer("delete", true), text("into", "varchar(40)", true), integer("set", true), integer("call", true)),
		table("ledger", sdk.TableBase, primary("id"),
			integer("id", false), integer("account_id", false), integer("amount", false), text("note", "varchar(80)", true)),
		table("drop", sdk.TableBase, nil, integer("id", true), text("for", "varchar(40)", true)),
		table("docs", sdk.TableBase, primary("id"), integer("id", false), text("doc", "longtext", true),
			text("feels", "enum('update','delete')", true), text("marks", "set('drop','into')", true)),
		table("archive", sdk.TableBase, nil, integer("id", true), text("note", "varchar(80)", true)),
		table("history", sdk.TableBase, nil, integer("id", true)),
		table("big_accounts", sdk.TableView, nil, integer("id", false), text("name", "varchar(40)", false)),
		customers,
		shop(table("orders", sdk.TableBase, append(primary("id"),
			sdk.Key{Kind: sdk.KeyUnique, Name: "email", Columns: []string{"tenant", "amount"}, Enforced: true},
			sdk.Key{
				Kind: sdk.KeyForeign, Name: "email", Columns: []string{"tenant", "customer"},
				Ref: sdk.TableRef{Schema: db.Name + "_shop", Name: "customers"}, RefColumns: []string{"tenant", "id"},
			}),
			integer("id", false), integer("tenant", true), column("customer", "bigint(20) unsigned", sdk.TypeDecimal, true), amount, gross), map[string]string{"engine": "InnoDB"}),
		shop(table("events", sdk.TablePartitioned, []sdk.Key{{Kind: sdk.KeyPartition, Columns: []string{"at"}, Enforced: true}},
			column("at", "datetime", sdk.TypeTimestamp, false), text("kind", "varchar(20)", true)),
			map[string]string{"engine": "InnoDB", "partition_by": "RANGE COLUMNS (`at`)"}),
	}
}
