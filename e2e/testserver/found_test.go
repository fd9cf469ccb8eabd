package testserver

import "testing"

// TestFound says which servers the tests of this machine run against; `make
// test` prints it.
func TestFound(t *testing.T) {
	dir := requirePostgres(t)
	version, err := postgresVersion(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("real: PostgreSQL %s in %s", versionText(version), dir)
}
