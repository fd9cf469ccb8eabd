package testserver

import "testing"

// TestFound says which servers the tests of this machine run against; `make
// test` prints it.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		name string
		find func(testing.TB) string
	}{
		{"PostgreSQL", requirePostgres},
		{"PostgreSQL " + newestPostgres, func(t testing.TB) string { return requirePostgresAt(t, newestPostgres) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.find(t)
			version, err := postgresVersion(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("real: PostgreSQL %s in %s", versionText(version), dir)
		})
	}
	t.Run("MariaDB", func(t *testing.T) {
		found := requireMariaDB(t)
		t.Logf("real: MariaDB %s in %s", found.version, found.server)
	})
	t.Run("ClickHouse 18", func(t *testing.T) {
		bin := requireClickHouse18(t)
		t.Logf("real: ClickHouse %s in %s", ClickHouse18(t).Version, bin)
	})
	t.Run("ClickHouse", func(t *testing.T) {
		t.Logf("fixture: ClickHouse engine %s as a library behind an HTTP front, %s", ClickHouse(t).Version, requireFront(t))
	})
	t.Run("MCP conformance suite", func(t *testing.T) {
		_, script := MCPSuite(t)
		t.Logf("real: %s, %s", mcpSuite, script)
	})
}
