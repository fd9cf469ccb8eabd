package readonly

import (
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk/dialect"
)

const unknownReason = "is not known to only read"

// reasons say why statements are refused that begin with well-known verbs. They
// serve the message alone: what is accepted, the dialect says.
var reasons = func() map[string]string {
	all := map[string]string{}
	for verbs, reason := range map[string]string{
		"INSERT UPDATE DELETE MERGE REPLACE UPSERT TRUNCATE":                   "changes rows",
		"CREATE ALTER DROP RENAME COMMENT SECURITY EXCHANGE UNDROP RECREATE":   "changes the schema",
		"GRANT REVOKE DENY REASSIGN":                                           "changes privileges",
		"SET RESET USE PRAGMA DISCARD UNSET":                                   "changes settings",
		"BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE END ABORT XA":           "controls a transaction",
		"CALL DO EXECUTE EXEC PREPARE DEALLOCATE DECLARE HANDLER IF FOR WHILE": "runs code that cannot be checked",
		"FETCH MOVE CLOSE OPEN":                                                "works on cursors",
		"COPY EXPORT IMPORT LOAD UNLOAD PUT GET INSTALL BACKUP RESTORE":        "moves data or code in or out",
		"ATTACH DETACH":                          "opens or closes another database",
		"VACUUM REINDEX OPTIMIZE CLUSTER REPAIR": "rewrites storage",
		"ANALYZE ANALYSE":                        "writes statistics, or runs the statement that it analyses",
		"REFRESH":                                "rebuilds a materialized view",
		"CHECKPOINT":                             "writes the database's files",
		"LOCK UNLOCK":                            "takes locks",
		"LISTEN NOTIFY UNLISTEN":                 "exchanges messages with other sessions",
		"KILL SHUTDOWN SYSTEM FLUSH RESTART":     "controls the server",
	} {
		for _, verb := range strings.Fields(verbs) {
			all[verb] = reason
		}
	}
	return all
}()

func reason(verb string) string {
	if r, ok := reasons[verb]; ok {
		return r
	}
	return unknownReason
}

// hint lists how a statement may begin.
func (c *checker) hint() string {
	var starts []string
	for _, s := range c.d.Guard.Statements {
		if len(s.Words) > 0 && dialect.Opens(s.Words[0], s.Kind) {
			starts = append(starts, strings.Join(s.Words, " "))
		}
	}
	return "send one statement that starts with " + strings.Join(starts, ", ")
}

// shorten copies a piece of the statement, cut to what a message can carry. The
// copy lets the compiler see that an error keeps nothing of the checker.
func shorten(s string) string {
	const limit = 40
	if len(s) <= limit {
		return strings.Clone(s)
	}
	cut := limit
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
