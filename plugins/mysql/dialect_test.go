package mysql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(mysql.Dialects()); err != nil {
		t.Error(err)
	}
}

// What is special about this server: collations that ignore case, and offsets
// without a colon.
func TestFormsOnTheServer(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	d := dialect.Pick(mysql.Dialects(), "MariaDB", db.Version)
	for _, c := range []struct {
		form dialect.Form
		args map[string]string
		want string
	}{
		{dialect.Like, map[string]string{"x": "'Ada_1'", "p": `'a%\\_1'`}, "0"},
		{dialect.TextISO, map[string]string{"x": "'2024-05-15T13:14:15.5-0930'"}, "2024-05-15 22:44:15.500000"},
	} {
		text, ok := d.Expand(c.form, c.args)
		if !ok {
			t.Fatalf("the form %s is missing", c.form)
		}
		if got := db.Rows(t, testserver.MariaDBReader, "SELECT CAST(("+text+") AS CHAR)")[0][0]; got != c.want {
			t.Errorf("%s: %s gives %q, want %q", c.form, text, got, c.want)
		}
	}
}

// CONVERT_TZ knows the years 1970 to 2037 only, and the zones of the server's tables:
// what it would leave as it is, or lose, is an error that says why. The times are of a
// table, for a server may compute what is written in a statement before it runs it.
func TestTimesInZones(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `CREATE TABLE t (id INT PRIMARY KEY, at DATETIME(6));
INSERT INTO t VALUES (1, '1969-12-31 23:59:59'), (2, '1970-01-02'), (3, NULL), (4, '2024-07-15 12:00:00.5'), (5, '2038-01-17 23:59:59'), (6, '2038-01-19 03:14:08'), (7, '9999-12-31')`)
	session := openAs(t, db, testserver.MariaDBReader)
	d := dialect.Pick(mysql.Dialects(), "MariaDB", db.Version)
	const outside, unknown = "the server knows time zones from 1970 to 2037 only", "the server has no such time zone"
	for _, c := range []struct {
		form       dialect.Form
		id         int
		zone, want string // a time, NULL, or words of the error
	}{
		{dialect.ToZone, 1, "Europe/Berlin", outside},
		{dialect.ToUTC, 1, "Europe/Berlin", outside},
		{dialect.InstantToZone, 1, "Europe/Berlin", outside},
		{dialect.ToZone, 1, "UTC", "1969-12-31 23:59:59.000000"},
		{dialect.ToZone, 2, "Europe/Berlin", "1970-01-02 01:00:00.000000"},
		{dialect.ToUTC, 2, "Europe/Berlin", "1970-01-01 23:00:00.000000"},
		{dialect.ToZone, 3, "Europe/Berlin", "NULL"},
		{dialect.ToUTC, 3, "Europe/Berlin", "NULL"},
		{dialect.InstantToZone, 3, "UTC", "NULL"},
		{dialect.ToZone, 3, "Europe/Atlantis", "NULL"},
		{dialect.ToZone, 4, "Europe/Berlin", "2024-07-15 14:00:00.500000"},
		{dialect.ToUTC, 4, "Europe/Berlin", "2024-07-15 10:00:00.500000"},
		{dialect.InstantToZone, 4, "Asia/Kolkata", "2024-07-15 17:30:00.500000"},
		{dialect.ToZone, 4, "Europe/Atlantis", unknown},
		{dialect.ToUTC, 4, "Europe/Atlantis", unknown},
		{dialect.ToZone, 5, "Europe/Berlin", "2038-01-18 00:59:59.000000"},
		{dialect.ToZone, 6, "Europe/Berlin", outside},
		{dialect.ToUTC, 7, "Europe/Berlin", outside},
		{dialect.ToUTC, 7, "UTC", "9999-12-31 00:00:00.000000"},
	} {
		text, ok := d.Expand(c.form, map[string]string{"x": "t.at", "zone": "'" + c.zone + "'"})
		if !ok {
			t.Fatalf("the form %s is missing", c.form)
		}
		fails := c.want == outside || c.want == unknown
		r, err := execute(t.Context(), session, sdk.ExecuteRequest{SQL: fmt.Sprintf("SELECT COALESCE(CAST(%s AS CHAR), 'NULL') FROM t WHERE id = %d", text, c.id)})
		switch {
		case (err != nil) != fails || err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s of row %d in %s: %v, want %s", c.form, c.id, c.zone, err, c.want)
		case err == nil && r.Rows[0][0] != c.want:
			t.Errorf("%s of row %d in %s is %s, want %s", c.form, c.id, c.zone, r.Rows[0][0], c.want)
		}
	}
}

// A modifier of SELECT that the compiler writes passes the guard.
func TestGuardAcceptsManyGroups(t *testing.T) {
	t.Parallel()
	for i := range mysql.Dialects() {
		d := &mysql.Dialects()[i]
		sql := "WITH first AS (SELECT " + d.Forms[dialect.ManyGroups] + " customer, MIN(day) AS day FROM visits GROUP BY customer) SELECT COUNT(*) FROM first"
		if err := readonly.Check(sql, d); err != nil {
			t.Errorf("%s: %v", d.Product, err)
		}
	}
}

// The guard alone decides every case of the corpus rightly, for servers of every
// version.
func TestGuardOnTheCorpus(t *testing.T) {
	t.Parallel()
	for i := range mysql.Dialects() {
		d := &mysql.Dialects()[i]
		for _, c := range corpus.For(d) {
			err := readonly.Check(c.SQL, d)
			switch {
			case c.Harmless && err != nil:
				t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
			case c.Guard && err == nil:
				t.Errorf("%s: %q is accepted", c.Name, c.SQL)
			}
		}
	}
}
