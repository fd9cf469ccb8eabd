//go:build cgo

package sqlserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// Executed is a request with who sent it and what became of it.
type Executed struct {
	Session   int64
	Login     string
	Database  string
	Text      string
	Procedure string
	Planned   bool // under SHOWPLAN_XML: planned and not executed
	Begun     time.Time
	Took      time.Duration
	Failed    bool
}

// Executed returns the requests that have ended, in the order of their ends.
func (s *Server) Executed() []Executed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Executed(nil), s.ran...)
}

// record keeps a request, for Executed and for sys.dm_exec_query_stats.
func (s *Server) record(e Executed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, e)
}

// rowsPerInsert bounds an insert, whose parameters the engine counts with 16 bits.
const rowsPerInsert = 1000

// showRequests brings the requests that ended since the last time into the table of
// sys.dm_exec_query_stats, many at once: an insert takes the engine as long as a statement. Only what reads the view asks for it.
func (s *Server) showRequests(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for requests := range slices.Chunk(s.ran[s.shown:], rowsPerInsert) {
		var rows []string
		var values []any
		for i := range requests {
			e := &requests[i]
			if e.Text == "" || strings.Contains(e.Text, "dm_exec_query_stats") {
				continue
			}
			rows = append(rows, "(?, ?, ?, ?, ?, ?, ?, ?)")
			values = append(values, s.shown+i+1, e.Session, e.Login, e.Database, e.Text, e.Begun.UTC(), e.Took.Microseconds(), e.Failed)
		}
		if len(rows) > 0 {
			if _, err := s.db.ExecContext(ctx, "INSERT INTO fixture.internal.requests VALUES "+strings.Join(rows, ", "), values...); err != nil {
				return err
			}
		}
		s.shown += len(requests)
	}
	return nil
}

// planted is an answer that a test has prepared.
type planted struct {
	contains string
	err      *tds.Error
	plan     string
	times    int // how often yet; -1 = always
}

// PlantError answers the next statement that contains a text with an error: 1205
// for a deadlock, 1222 for a lock, 40613 for a database that is away.
func (s *Server) PlantError(contains string, err tds.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plant = append(s.plant, planted{contains: contains, err: &err, times: 1})
}

// PlantStatementType makes SHOWPLAN_XML tell another StatementType for statements
// that contain a text.
func (s *Server) PlantStatementType(contains, statementType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plant = append(s.plant, planted{contains: contains, plan: statementType, times: -1})
}

// planted returns the error that is prepared for a text.
func (s *Server) plantedError(text string) *tds.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.plant {
		if p := &s.plant[i]; p.err != nil && p.times != 0 && strings.Contains(text, p.contains) {
			p.times--
			return p.err
		}
	}
	return nil
}

func (s *Server) plantedType(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plant {
		if p.plan != "" && strings.Contains(text, p.contains) {
			return p.plan
		}
	}
	return ""
}
