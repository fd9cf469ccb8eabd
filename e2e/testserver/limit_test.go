package testserver

import (
	"strings"
	"testing"
	"time"
)

// A statement that hangs fails its test with what the server is busy with.
func TestStatementsAreLimited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		exec func(*testing.T) error
	}{
		{"PostgreSQL", func(t *testing.T) error {
			s := *Postgres(t)
			s.limit = time.Second
			return s.exec(t.Context(), PostgresReader, "postgres", "SELECT pg_sleep(3600)")
		}},
		{"MariaDB", func(t *testing.T) error {
			s := *MariaDB(t)
			s.limit = time.Second
			return s.exec(t.Context(), MariaDBReader, "", "DO SLEEP(3600)")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.exec(t)
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "sleep(3600)") {
				t.Errorf("got %v", err)
			}
		})
	}
}
