//go:build cgo && linux

package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// queryLogTable is system.query_log with the columns that can be filled, under
// the names and types that the server's documentation gives them.
const queryLogTable = `CREATE TABLE system.query_log (
	hostname LowCardinality(String),
	type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4),
	event_date Date, event_time DateTime, event_time_microseconds DateTime64(6),
	query_start_time DateTime, query_start_time_microseconds DateTime64(6), query_duration_ms UInt64,
	read_rows UInt64, read_bytes UInt64, written_rows UInt64, written_bytes UInt64, result_rows UInt64, result_bytes UInt64,
	memory_usage UInt64, current_database LowCardinality(String), query String, normalized_query_hash UInt64,
	query_kind LowCardinality(String), databases Array(LowCardinality(String)), tables Array(LowCardinality(String)),
	columns Array(LowCardinality(String)), exception_code Int32, exception String, stack_trace String,
	is_initial_query UInt8, user LowCardinality(String), query_id String, initial_user LowCardinality(String),
	initial_query_id String, interface UInt8, log_comment String,
	Settings Map(LowCardinality(String), LowCardinality(String)), ProfileEvents Map(LowCardinality(String), UInt64)
) ENGINE = Memory`

// queryLog keeps the ends of statements and writes them into system.query_log before a
// statement that names it: a row each at once costs more than most statements.
type queryLog struct {
	mu      sync.Mutex
	session *session
	rows    []string // of VALUES
}

func newQueryLog(s *session) (*queryLog, error) {
	_, err := s.query(queryLogTable, "Null")
	return &queryLog{session: s}, err
}

// add keeps the entry of a statement that ended.
func (l *queryLog) add(req *request, begun time.Time, done statistics, failure error) {
	kind, code, problem := "QueryFinish", 0, ""
	if failure != nil {
		kind, code, problem = "ExceptionBeforeStart", 1002, failure.Error()
		if e, ok := errors.AsType[*exception](failure); ok {
			code = e.code
		}
		if done.readRows > 0 || code == 159 || code == 241 || code == 394 { // time, memory, killed
			kind = "ExceptionWhileProcessing"
		}
	}
	end, text := time.Now(), quote(req.text.text)
	id, user := quote(req.id), quote(req.user)
	row := fmt.Sprintf(`(hostName(), '%s', today(), %s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d,
		0, %s, %s, normalizedQueryHash(%s), %s, [], [], [], %d, %s, '', 1, %s, %s, %s, %s, 2, %s, map(), map())`,
		kind, micro(end), micro(end), micro(begun), micro(begun), end.Sub(begun).Milliseconds(),
		done.readRows, done.readBytes, done.writtenRows, done.writtenBytes, done.resultRows, done.resultBytes,
		quote(req.database), text, text, quote(req.text.kind()), code, quote(problem),
		user, id, user, id, quote(req.settings.Get("log_comment")))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, row)
}

func micro(t time.Time) string { return fmt.Sprintf("fromUnixTimestamp64Micro(%d)", t.UnixMicro()) }

// flush writes the entries. A failure is nothing that the caller's statement could
// help: it goes to the front's output.
func (l *queryLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := strings.NewReader(strings.Join(l.rows, ","))
	l.rows = nil
	if rows.Len() == 0 {
		return
	}
	if _, err := l.session.insert("INSERT INTO system.query_log", "Values", nil, rows); err != nil {
		fmt.Println("query_log:", err)
	}
}

// kind is the statement's kind as the log calls it.
func (s *statement) kind() string {
	if s.selects() {
		return "Select"
	}
	if len(s.tokens) == 0 {
		return ""
	}
	word := strings.ToLower(s.tokens[0].Text(s.text))
	return strings.ToUpper(word[:1]) + word[1:]
}
