// Package testserver starts real database servers for tests: throw-away, in a
// temporary folder, on free loopback ports, gone when the test process is gone. It
// finds the conformance suite of the MCP as well, which scripts/setup brings too.
//
// A server whose binaries are not installed skips the test with a message that
// names what is missing; with LOAM_REQUIRE_SERVERS=1, as in CI, it fails it.
package testserver

import (
	"os"
	"testing"
)

// missing ends a test whose server cannot be started here.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("LOAM_REQUIRE_SERVERS") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format+" (LOAM_REQUIRE_SERVERS=1 makes this a failure)", args...)
}
