//go:build cgo

package sqlserver

// statement is one statement of a batch.
type statement struct {
	tokens []token
	verb   string // its first word, or the one behind WITH … AS (…)
}

func (s statement) line() int { return s.tokens[0].line }

// starts are the words that begin a statement wherever they stand.
var starts = set(`SELECT INSERT UPDATE DELETE MERGE TRUNCATE CREATE ALTER DROP EXEC EXECUTE SET USE BEGIN COMMIT ROLLBACK
	SAVE GRANT REVOKE DENY DECLARE BACKUP RESTORE KILL SHUTDOWN WAITFOR BULK RECONFIGURE DBCC PRINT RAISERROR IF WHILE GOTO
	RETURN CHECKPOINT REVERT SETUSER OPEN CLOSE DEALLOCATE BREAK CONTINUE THROW`)

// split cuts a batch into statements: T-SQL needs no semicolon between them.
func split(tokens []token) []statement {
	var all []statement
	var now statement
	depth := 0
	flush := func() {
		if len(now.tokens) > 0 {
			all = append(all, now)
		}
		now = statement{}
	}
	for i, t := range tokens {
		if t.is(";") && depth <= 0 {
			flush()
			continue
		}
		if t.is("(") {
			depth++
		} else if t.is(")") {
			depth--
		}
		if t.kind == word && depth <= 0 && starts[t.text] && !(i > 0 && tokens[i-1].is(".")) {
			if len(now.tokens) > 0 && now.verb != "WITH" && !goesOn(now, t) {
				flush()
			}
			if now.verb == "WITH" && t.is("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE") {
				now.verb = t.text
			}
		}
		if len(now.tokens) == 0 {
			now.verb = t.text
			if t.kind != word || !starts[t.text] && !t.is("WITH") {
				now.verb = "EXEC" // the name of a procedure, or an error
			}
		}
		now.tokens = append(now.tokens, t)
	}
	flush()
	return all
}

// goesOn tells whether a word that may begin a statement is a part of the one before.
func goesOn(s statement, t token) bool {
	last := s.tokens[len(s.tokens)-1]
	has := func(words ...string) bool {
		for _, one := range s.tokens {
			if one.is(words...) {
				return true
			}
		}
		return false
	}
	switch {
	case t.is("SELECT"):
		return last.is("UNION", "ALL", "EXCEPT", "INTERSECT") || s.verb == "INSERT" && !has("SELECT", "VALUES") ||
			s.verb == "CREATE" && last.is("AS")
	case last.is("ON"): // ON DELETE, ON UPDATE
		return t.is("DELETE", "UPDATE")
	case t.is("IF"):
		return s.verb == "DROP" || s.verb == "CREATE"
	case t.is("SET"):
		return s.verb == "UPDATE" && !has("SET") || s.verb == "MERGE" || last.is("DELETE", "UPDATE") && s.verb != "DELETE"
	case s.verb == "MERGE":
		return t.is("UPDATE", "DELETE", "INSERT") && last.is("THEN")
	case s.verb == "ALTER":
		return t.is("DROP", "ALTER")
	case s.verb == "INSERT":
		return t.is("EXEC", "EXECUTE") && !has("SELECT", "VALUES")
	case s.verb == "GRANT" || s.verb == "DENY" || s.verb == "REVOKE":
		return true
	case s.verb == "CREATE" && (has("PROCEDURE", "PROC", "TRIGGER", "FUNCTION")):
		return true
	}
	return false
}
