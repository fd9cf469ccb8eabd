package postgres_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// The activity of the server shows who asks, in the round trip of the statement, and
// for that statement only.
func TestTagsShowInTheActivity(t *testing.T) {
	t.Parallel()
	const own = "SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()"
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, map[string]any{"application_name": "reports"}), MaxOpen: 1})
	ask := func(tags map[string]string) any {
		t.Helper()
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: own, Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		return r.Rows[0][0]
	}
	long := strings.Repeat("a", 70)
	for _, c := range []struct {
		tags map[string]string
		want string
	}{
		{nil, "reports"},
		{map[string]string{"principal": "ada"}, "reports principal=ada"},
		{map[string]string{"principal": "bob"}, "reports principal=bob"},
		{map[string]string{"principal": "ada", "client": "x y"}, "reports client=x%20y principal=ada"},
		{map[string]string{"p": "', true); DROP TABLE t; --\x00ä"}, "p=%27%2C%20true%29%3B%20DROP%20TABLE%20t%3B%20--%00%C3%A4"},
		{map[string]string{"principal": long}, ("principal=" + long)[:63]},
		{nil, "reports"},
	} {
		if got := ask(c.tags); got != c.want {
			t.Errorf("%v: got %v, want %v", c.tags, got, c.want)
		}
	}
}

// TestTagsTakeNoRoundTrip: the tag is one more statement of those that are sent
// together anyway.
func TestTagsTakeNoRoundTrip(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t) // where nobody else commits anything
	w, s := tapped(t, server.Database(t, "CREATE TABLE t (id int)"), testserver.PostgresReader, 1)
	cost := func(tags map[string]string) sent {
		w.taken()
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM t", Tags: tags}); err != nil {
			t.Fatal(err)
		}
		return w.taken()
	}
	cost(nil)
	plain := cost(nil)
	tagged := cost(map[string]string{"principal": "ada"})
	plain.Statements++
	if diff := cmp.Diff(plain, tagged); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
