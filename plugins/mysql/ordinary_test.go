package mysql_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// No ordinary statement is refused, for the reader and for the most powerful
// account.
func TestOrdinaryStatements(t *testing.T) {
	t.Parallel()
	dialects := mysql.Dialects()
	db := testserver.MariaDB(t).Database(t, strings.Join(corpus.OrdinarySetup(&dialects[len(dialects)-1]), ";\n"))
	for account, excuses := range map[string][]conform.Excuse{
		testserver.MariaDBReader: {
			{Code: "1370", Texts: []string{"ANY_VALUE"}, Reason: "MariaDB 10.11 has no such function"},
			{Code: "1044", Texts: []string{"SHOW CREATE DATABASE", "SHOW EVENTS"}, Reason: "the reader has no right to see these"},
		},
		testserver.MariaDBAdmin: {
			{Code: "1305", Texts: []string{"ANY_VALUE"}, Reason: "MariaDB 10.11 has no such function"},
		},
	} {
		t.Run(account, func(t *testing.T) {
			conform.RunOrdinary(t, openAs(t, db, account), dialects, excuses)
		})
	}
}
