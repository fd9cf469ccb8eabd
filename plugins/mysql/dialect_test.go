package mysql_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
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

// What is special about this server: collations that ignore case, CONVERT_TZ,
// which knows the years 1970 to 2037 only, and offsets without a colon.
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
		{dialect.ToZone, map[string]string{"x": "TIMESTAMP '1960-05-15 13:14:15'", "zone": "'Europe/Berlin'"}, "NULL"},
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
