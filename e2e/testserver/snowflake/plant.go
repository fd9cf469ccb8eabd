package snowflake

import (
	"fmt"
	"strings"
	"testing"
)

// States of a warehouse.
const (
	Started   = "STARTED"
	Suspended = "SUSPENDED"
	Resuming  = "RESUMING"
)

// warehouse is where statements run that read tables.
type warehouse struct {
	state      string
	autoResume bool
	quota      bool          // its resource monitor's quota is used up
	resumed    chan struct{} // closed when it has resumed
}

// AddWarehouse adds a running warehouse.
func (s *Server) AddWarehouse(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warehouses[name] = &warehouse{state: Started, autoResume: true}
}

// Suspend suspends a warehouse. The next statement that needs it resumes it, or, without
// autoResume, fails.
func (s *Server) Suspend(name string, autoResume bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.warehouses[name]
	w.state, w.autoResume = Suspended, autoResume
}

// Resume makes statements that need the warehouse wait until done is called.
func (s *Server) Resume(name string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.warehouses[name]
	resumed := make(chan struct{})
	w.state, w.resumed = Resuming, resumed
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.state, w.resumed = Started, nil
		close(resumed)
	}
}

// UseQuota makes the warehouse's resource monitor refuse statements.
func (s *Server) UseQuota(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warehouses[name].quota = true
}

// WarehouseState returns a warehouse's state.
func (s *Server) WarehouseState(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.warehouses[name].state
}

// AddDatabase adds a database with the schema PUBLIC.
func (s *Server) AddDatabase(t testing.TB, name string) {
	t.Helper()
	s.insert(t, "ATTACH ':memory:' AS "+identifier(name)+"; CREATE SCHEMA "+identifier(name)+"."+identifier(DefaultSchema))
}

// Deny takes a schema, "DATABASE.SCHEMA", from a role: it is as if it were not there.
func (s *Server) Deny(t testing.TB, role, schema string) {
	t.Helper()
	s.mu.Lock()
	s.denied[deniedKey(role, schema)] = true
	s.mu.Unlock()
	s.insert(t, "INSERT INTO memory.sf.denied VALUES (?, ?)", role, schema)
}

// Grant gives a role a privilege that SHOW GRANTS lists, for example "INSERT" on the
// "TABLE" ANALYTICS.PUBLIC.T, or "USAGE" on the "ROLE" ADMIN. It changes nothing else.
func (s *Server) Grant(t testing.TB, role, privilege, on, name string) {
	t.Helper()
	s.insert(t, "INSERT INTO memory.sf.grants VALUES (?, ?, ?, ?)", role, privilege, on, name)
}

// AddExternalFunction adds a function that SHOW EXTERNAL FUNCTIONS lists.
func (s *Server) AddExternalFunction(t testing.TB, name string) {
	t.Helper()
	s.insert(t, "INSERT INTO memory.sf.functions VALUES (?)", name)
}

func (s *Server) insert(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := s.duck.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// Plant is an answer that a test puts in the place of the fixture's, for statements
// that contain a text.
type Plant struct {
	Contains string // in the case of the statement
	Describe bool   // for statements to describe; otherwise for those to run
	Times    int    // how often; 0 = always

	Cell    string          // of the only row, instead of the statement's own
	TypeID  int64           // in the place of the statement's type
	Code    string          // of an error, six digits; "" = none
	State   string          // its SQLSTATE
	Message string          // its message
	Until   <-chan struct{} // the statement waits for it, or for its cancel, before it runs
}

// Plant adds an answer.
func (s *Server) Plant(p Plant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Times == 0 {
		p.Times = -1
	}
	s.plants = append(s.plants, &p)
}

// planted returns the first answer for a statement, and counts it.
func (s *Server) planted(sql string, describe bool) *Plant {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plants {
		if p.Times != 0 && p.Describe == describe && strings.Contains(sql, p.Contains) {
			p.Times--
			return p
		}
	}
	return nil
}

// Statement is what became of a statement.
type Statement struct {
	QueryID, Text, Tag string
	Describe           bool
	Status             string // as monitoring names it, for example SUCCESS
	Code               string // of its error
	TypeID             int64  // 0 = it has not ended
	Rows               int
}

// Statements returns the statements that clients have sent, in order.
func (s *Server) Statements() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Statement
	for _, x := range s.order {
		one := Statement{QueryID: x.id, Text: x.sql, Tag: x.tag, Describe: x.describe, Status: x.status()}
		if !x.ended.IsZero() { // until then the rest is the statement's own
			one.TypeID = x.typeID
			if x.failed != nil {
				one.Code = x.failed.code
			}
			if x.result != nil {
				one.Rows = len(x.result.rows)
			}
		}
		out = append(out, one)
	}
	return out
}

// Define makes the tables from number from up to number to, T0, T1, …, of columns C0,
// C1, … in the default schema; C0 is the primary key.
func (s *Server) Define(t testing.TB, from, to, columns int) {
	t.Helper()
	var list strings.Builder
	for i := 1; i < columns; i++ {
		fmt.Fprintf(&list, ", C%d VARCHAR", i)
	}
	var all strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&all, "CREATE TABLE %s.%s.T%d (C0 BIGINT PRIMARY KEY%s);", DefaultDatabase, DefaultSchema, i, list.String())
	}
	s.insert(t, "BEGIN; "+all.String()+" COMMIT")
}
