package conform_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// A flaw makes the toy break one rule.
type flaw string

const (
	none            flaw = ""
	losesRow        flaw = "loses_row"        // a long result lacks its last row
	writes          flaw = "writes"           // a refused INSERT inserts, where the account may
	reaches         flaw = "reaches"          // reading a view that hides an INSERT inserts, where the account may
	remembers       flaw = "remembers"        // a refused SET sets
	ignoresCancel   flaw = "ignores_cancel"   // a statement ends when it ends
	ignoresTimeout  flaw = "ignores_timeout"  // the limit of a statement is not looked at
	forgetsEngine   flaw = "forgets_engine"   // a call comes back, the engine works on
	wrongCount      flaw = "wrong_count"      // a scan counts one table too many
	doublesTable    flaw = "doubles_table"    // a scan sends every table twice
	miscounts       flaw = "miscounts"        // a profile counts one value too many
	leaksSecret     flaw = "leaks_secret"     // an error shows the password
	logsSecret      flaw = "logs_secret"      // a log line shows the password
	swallowsErrors  flaw = "swallows_errors"  // a failed statement is an empty result
	plainErrors     flaw = "plain_errors"     // errors have no kind
	internalErrors  flaw = "internal_errors"  // a refusal is an internal error
	lies            flaw = "lies"             // declared abilities are not there
	hides           flaw = "hides"            // an ability is not declared
	noColumns       flaw = "no_columns"       // a result has no columns
	leaksGoroutine  flaw = "leaks_goroutine"  // a session leaves a goroutine behind
	runsToExplain   flaw = "runs_to_explain"  // a plan is made by running
	acceptsAnyone   flaw = "accepts_anyone"   // every password is right
	unknownKeys     flaw = "unknown_keys"     // an unsound configuration opens
	survivesClose   flaw = "survives_close"   // a closed session answers
	panics          flaw = "panics"           // a long result panics
	fallingProgress flaw = "falling_progress" // progress goes back
	guardOpen       flaw = "guard_open"       // the dialect takes INSERT for a query
	guardDeaf       flaw = "guard_deaf"       // the dialect does not know TEXT
	prints          flaw = "prints"           // the program prints to its standard output
	hitsNext        flaw = "hits_next"        // a cancelled statement takes the next one with it
	ordersLate      flaw = "orders_late"      // nobody waits for the order to end a statement
	keepsDead       flaw = "keeps_dead"       // a connection that died is used once more
	overbooks       flaw = "overbooks"        // more statements than connections
	losesSlow       flaw = "loses_slow"       // a slow statement ends by itself on a session with few connections
	losesSlowTwice  flaw = "loses_slow_twice" // the first two of a session do

	// Of the dialect alone.
	wrongTrunc    flaw = "wrong_trunc"    // a week begins on Sunday
	wrongAdd      flaw = "wrong_add"      // a month has 30 days
	wrongSpine    flaw = "wrong_spine"    // a period before the first
	wrongOrder    flaw = "wrong_order"    // NULL comes first
	wrongType     flaw = "wrong_type"     // a cast gives the right value as text
	wrongDivision flaw = "wrong_division" // integers are divided as such
	wrongSearch   flaw = "wrong_search"   // wildcards are not literal
	wrongLike     flaw = "wrong_like"     // LIKE ignores case
	wrongSum      flaw = "wrong_sum"      // a large sum is a double
	wrongEqual    flaw = "wrong_equal"    // text is equal in any case
	wrongNull     flaw = "wrong_null"     // NULL in upper case is empty
	wrongRange    flaw = "wrong_range"    // a number may be infinite
	wrongFunction flaw = "wrong_function" // Sunday is day 0
	brokenForm    flaw = "broken_form"    // a template is no SQL
	refusedForm   flaw = "refused_form"   // a template calls what the guard refuses
)

// toy is a warehouse in memory with a connector that keeps the contract but for
// its flaw.
type toy struct {
	flaw    flaw
	people  [][]any // name, age
	setting string
	release chan struct{} // ends what ignores its context
}

func newToy(f flaw) *toy {
	return &toy{
		flaw:    f,
		people:  [][]any{{"Ada", int64(36)}, {"Grace", nil}, {"Alan", int64(41)}, {"Ada", int64(12)}},
		setting: "read only", release: make(chan struct{}),
	}
}

func (e *toy) has(f flaw) bool { return e.flaw == f }

type toyConfig struct {
	Host     string     `json:"host" doc:"where it runs" required:"true"`
	Port     int        `json:"port" doc:"port" default:"1" min:"1"`
	Writer   bool       `json:"writer" doc:"the account may write"`
	Password sdk.Secret `json:"password" doc:"password" required:"true"`
}

const toyPassword = "correct horse"

func (e *toy) connector() *sdk.Connector {
	c := &sdk.Connector{
		ID: "acme/toy", Version: "1.0.0", DisplayName: "Toy", License: "Apache-2.0",
		Capabilities: sdk.Capabilities{
			ReadOnly: sdk.ReadOnlyEngine, Explain: true, Validate: true, Profile: true, QueryLog: true, ServerCancel: true, Params: true,
		},
		Dialects: []dialect.Dialect{toyDialect()},
		Config:   sdk.ConfigOf[toyConfig](),
		Open:     e.open,
	}
	e.spoil(&c.Dialects[0])
	guard := &c.Dialects[0].Guard
	if e.has(guardOpen) {
		guard.Statements = append(guard.Statements, dialect.Statement{Words: []string{"SHOW", "KEEP"}, Kind: dialect.StatementShow})
	}
	if e.has(guardDeaf) {
		guard.Statements = slices.DeleteFunc(guard.Statements, func(s dialect.Statement) bool { return s.Words[len(s.Words)-1] == "TEXT" })
	}
	if e.has(hides) {
		c.Capabilities.Profile = false
	}
	return c
}

func (e *toy) open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	var config toyConfig
	if err := req.Config.Decode(&config); err != nil && !e.has(unknownKeys) {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := pingEngine(ctx, config.Host); err != nil {
		return nil, err
	}
	if e.has(logsSecret) {
		slog.Info("opening", "password", config.Password.Reveal())
	}
	if e.has(prints) {
		fmt.Println("opening")
	}
	if given := config.Password.Reveal(); given != toyPassword && !e.has(acceptsAnyone) {
		err := sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "the password was refused").WithHint("check password")
		if e.has(leaksSecret) {
			err.Msg += ": " + given
		}
		return nil, err
	}
	all, cancel := context.WithCancel(context.Background())
	s := &toySession{toy: e, engine: config.Host, writer: config.Writer, all: all, cancel: cancel, timeout: req.StatementTimeout}
	if req.MaxOpen > 0 && !e.has(overbooks) {
		s.slots = make(chan struct{}, req.MaxOpen)
	}
	if e.has(leaksGoroutine) {
		go func() { <-e.release }()
	}
	if e.has(lies) {
		return struct{ sdk.Session }{s}, nil
	}
	return s, nil
}

// toySession is one session.
type toySession struct {
	toy    *toy
	engine string // its address
	writer bool
	all    context.Context // ends with the session
	cancel context.CancelFunc
	calls  sync.WaitGroup

	timeout time.Duration
	slots   chan struct{} // one of each connection; nil = any number
	hit     atomic.Bool   // the next statement ends
	kept    net.Conn      // of a toy that keepsDead
	lost    atomic.Int32  // slow statements that ended by themselves
}

var (
	_ sdk.Session     = (*toySession)(nil)
	_ sdk.Explainer   = (*toySession)(nil)
	_ sdk.Validator   = (*toySession)(nil)
	_ sdk.Profiler    = (*toySession)(nil)
	_ sdk.QueryLogger = (*toySession)(nil)
)

func (s *toySession) Server() sdk.ServerInfo {
	return sdk.ServerInfo{Product: "Toy", Version: "1.0", CurrentUser: "reader", ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: "it has no writes"}
}

func (s *toySession) alive(ctx context.Context) error {
	if s.all.Err() != nil && !s.toy.has(survivesClose) {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceConnector, "the session is closed")
	}
	return ctx.Err()
}

func (s *toySession) Ping(ctx context.Context) error { return s.alive(ctx) }

func (s *toySession) Close(context.Context) error {
	s.cancel()
	if !s.toy.has(ignoresCancel) {
		s.calls.Wait()
	}
	if s.kept != nil {
		return s.kept.Close()
	}
	return nil
}

func (s *toySession) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	if err := s.alive(ctx); err != nil {
		return err
	}
	s.calls.Add(1)
	defer s.calls.Done()
	err := s.limited(ctx, req, w)
	switch {
	case err == nil || err == sdk.ErrLimit:
		return nil
	case s.toy.has(swallowsErrors):
		return w.Columns(sdk.Column{Name: "nothing", Type: sdk.TypeText})
	case s.toy.has(plainErrors):
		return fmt.Errorf("%v", err)
	}
	return err
}

// limited runs a statement within its time, on a connection of its own.
func (s *toySession) limited(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	if limit := cmp.Or(req.Limits.Timeout, s.timeout); limit > 0 && !s.toy.has(ignoresTimeout) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.execute(ctx, req, w)
}

var toyStatement = regexp.MustCompile(`^(?:SHOW )?(ROWS|TEXT|CASE|SLOW|SETTINGS|PARAM|INSERT|KEEP|DENIED|MISSING|VIEW|SELECT|WITH)\b ?((?s:.*))$`)

func (s *toySession) execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	verb, rest, err := parseToy(req.SQL)
	if err != nil {
		return err
	}
	switch verb {
	case "ROWS":
		return s.rows(ctx, rest, w)
	case "TEXT":
		n, _ := strconv.Atoi(rest)
		return table(w, []sdk.Column{{Name: "t", Type: sdk.TypeText}}, []any{strings.Repeat("x", n)})
	case "SLOW":
		return s.slow(ctx, w)
	case "SETTINGS":
		return table(w, []sdk.Column{{Name: "s", Type: sdk.TypeText}}, []any{s.toy.setting})
	case "PARAM":
		return table(w, []sdk.Column{{Name: "p", Type: sdk.TypeText}}, []any{req.Params[0]})
	case "VIEW":
		return s.view(rest, w)
	case "SELECT", "WITH":
		return s.toy.query(ctx, req.SQL, w)
	case "CASE":
		c := toyCases()[rest]
		return table(w, c.columns, c.rows...)
	}
	return s.refuse(verb, rest)
}

// view reads a view; all but one hide a write.
func (s *toySession) view(name string, w *sdk.RowWriter) error {
	if name != "people" && !s.toy.has(reaches) {
		return sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "view %s → INSERT", name).WithHint("add allow_functions: [%q]", name)
	}
	if name != "people" && s.writer {
		s.toy.people = append(s.toy.people, []any{name, nil})
	}
	return table(w, []sdk.Column{{Name: "n", Type: sdk.TypeInt64}}, []any{int64(len(s.toy.people))})
}

func parseToy(sql string) (verb, rest string, err error) {
	m := toyStatement.FindStringSubmatch(sql)
	if m == nil {
		e := sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "no such statement").WithHint("write SHOW ROWS")
		e.Pos, e.Code = sdk.Position{Line: 1, Column: 1}, "T001"
		return "", "", e
	}
	return m[1], m[2], nil
}

// refuse answers what the toy never runs.
func (s *toySession) refuse(verb, rest string) error {
	switch verb {
	case "DENIED":
		return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "not for you")
	case "MISSING":
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceWarehouse, "there is no %s", rest)
	case "KEEP":
		if s.toy.has(remembers) {
			s.toy.setting = rest
		}
	case "INSERT":
		if s.toy.has(writes) && s.writer {
			s.toy.people = append(s.toy.people, []any{rest, nil})
		}
		if s.toy.has(internalErrors) {
			return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "unexpected error of the driver")
		}
	}
	return sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceWarehouse, "%s changes something", verb)
}

func table(w *sdk.RowWriter, columns []sdk.Column, rows ...[]any) error {
	if err := w.Columns(columns...); err != nil {
		return err
	}
	for _, row := range rows {
		if err := w.Row(row...); err != nil {
			return err
		}
	}
	return nil
}

func (s *toySession) rows(ctx context.Context, count string, w *sdk.RowWriter) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	if s.toy.has(panics) && n > 100 {
		panic("index out of range")
	}
	if s.toy.has(losesRow) && n > 1000 {
		n--
	}
	if s.toy.has(noColumns) {
		return nil
	}
	if err := s.reach(ctx); err != nil {
		return err
	}
	if err := w.Columns(sdk.Column{Name: "i", Type: sdk.TypeInt64, NativeType: "INT"}); err != nil {
		return err
	}
	for i := range n {
		if i%1000 == 0 {
			done := int64(i)
			if s.toy.has(fallingProgress) {
				done = -done
			}
			w.Progress(sdk.Progress{Phase: "read", Done: done, Unit: "rows"})
			if ctx.Err() != nil {
				s.order()
				return ctx.Err()
			}
		}
		w.Int64(int64(i + 1))
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return nil
}

// slow runs in the engine until its context, its session or its own limit ends it.
func (s *toySession) slow(ctx context.Context, w *sdk.RowWriter) error {
	statement, err := dialEngine(ctx, s.engine, toRun)
	if err != nil {
		return err
	}
	if s.slots != nil && (s.toy.has(losesSlow) || s.toy.has(losesSlowTwice) && s.lost.Add(1) <= 2) {
		lost := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the engine ended the statement").WithHint("send it again")
		lost.Retry = true
		return errors.Join(lost, statement.Close())
	}
	ended := make(chan error, 1)
	go func() { ended <- howItEnded(statement) }()
	if s.toy.has(forgetsEngine) {
		go func() { <-s.toy.release; _ = statement.Close() }()
	} else {
		defer func() { _ = statement.Close() }() // what ends it in the engine
	}
	if s.toy.has(ignoresCancel) {
		<-s.toy.release
		return ctx.Err()
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.all.Done():
		return sdk.Errorf(sdk.KindCanceled, sdk.SourceHost, "the session was closed")
	case <-s.toy.release:
		return w.Columns()
	}
}

func (s *toySession) stats(column string) sdk.ColumnStats {
	i := 0
	if column == "age" {
		i = 1
	}
	stats := sdk.ColumnStats{Column: column, Complete: true, MinLength: -1, MaxLength: -1}
	seen := map[any]bool{}
	for _, row := range s.toy.people {
		stats.Rows++
		if row[i] == nil {
			stats.Nulls++
		} else {
			seen[row[i]] = true
		}
	}
	stats.Distinct = int64(len(seen))
	return stats
}

func toyTables() []sdk.Table {
	return []sdk.Table{
		{
			TableRef: sdk.TableRef{Name: "people"}, Kind: sdk.TableBase, Comment: "who is known",
			Columns: []sdk.Column{
				{Name: "name", Type: sdk.TypeText, NativeType: "TEXT"},
				{Name: "age", Type: sdk.TypeInt64, NativeType: "INT", Nullable: true},
			},
			Keys:        []sdk.Key{{Kind: sdk.KeyPrimary, Name: "pk", Columns: []string{"name", "age"}, Enforced: true}},
			RowEstimate: 4, ByteEstimate: -1, Fingerprint: "f1",
		},
		{
			TableRef: sdk.TableRef{Name: "adults"}, Kind: sdk.TableView, Definition: "SELECT …",
			Columns:     []sdk.Column{{Name: "name", Type: sdk.TypeText, NativeType: "TEXT", Nullable: true}},
			RowEstimate: -1, ByteEstimate: -1, Fingerprint: "f2",
		},
	}
}

func (s *toySession) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	if err := s.alive(ctx); err != nil {
		return sdk.ScanSummary{}, err
	}
	sum := sdk.ScanSummary{Complete: true}
	for _, t := range toyTables() {
		if !selected(req, t.Name) {
			continue
		}
		if req.MaxObjects > 0 && sum.Tables == int64(req.MaxObjects) {
			return sum, sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "more than %d tables", req.MaxObjects)
		}
		if len(req.Facets) == 1 && req.Facets[0] == sdk.FacetColumns {
			t.Keys, t.Comment, t.Definition, t.RowEstimate = nil, "", "", -1
		}
		for range 1 + btoi(s.toy.has(doublesTable)) {
			if err := w.Table(&t); err != nil {
				return sum, err
			}
		}
		sum.Tables++
		sum.Columns += int64(len(t.Columns))
		w.Progress(sdk.Progress{Phase: "tables", Done: sum.Tables, Unit: "tables"})
	}
	if s.toy.has(wrongCount) {
		sum.Tables++
	}
	return sum, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func selected(req sdk.ScanRequest, name string) bool {
	match := func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return pattern == name || open && strings.HasPrefix(name, prefix)
	}
	in := len(req.Include) == 0
	for _, p := range req.Include {
		in = in || match(p)
	}
	for _, p := range req.Exclude {
		in = in && !match(p)
	}
	return in
}

func (s *toySession) plan(ctx context.Context, sql string) error {
	if err := s.alive(ctx); err != nil {
		return err
	}
	verb, rest, err := parseToy(sql)
	if err != nil {
		return err
	}
	if s.toy.has(runsToExplain) && verb == "INSERT" {
		s.toy.people = append(s.toy.people, []any{rest, nil})
	}
	switch verb {
	case "MISSING", "INSERT", "KEEP":
		return s.refuse(verb, rest)
	}
	return nil
}

func (s *toySession) Explain(ctx context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	return sdk.Explanation{Format: "text", Text: "as written", EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}, s.plan(ctx, req.SQL)
}

func (s *toySession) Validate(ctx context.Context, req sdk.ValidateRequest) (sdk.Validation, error) {
	v := sdk.Validation{}
	if name, ok := strings.CutPrefix(req.SQL, "SHOW CASE "); ok {
		v.Columns = toyCases()[name].columns
	}
	return v, s.plan(ctx, req.SQL)
}

func (s *toySession) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	if err := s.alive(ctx); err != nil {
		return err
	}
	if req.Table.Name != "people" {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", req.Table)
	}
	columns := req.Columns
	if len(columns) == 0 {
		columns = []string{"name", "age"}
	}
	if req.SampleRows > 0 {
		if err := table(w.Sample(), toyTables()[0].Columns, s.toy.people...); err != nil {
			return err
		}
	}
	for _, c := range columns {
		stats := s.stats(c)
		if s.toy.has(miscounts) {
			stats.Distinct++
		}
		if err := w.Stats(stats); err != nil {
			return err
		}
	}
	return nil
}

func (s *toySession) QueryLog(ctx context.Context, req sdk.QueryLogRequest, w sdk.QueryLogWriter) error {
	for range min(req.MaxEntries, 5) {
		if err := w.Entry(sdk.QueryLogEntry{SQL: "SHOW ROWS 1", Executions: 1, Rows: 1, BytesRead: -1}); err != nil {
			return err
		}
	}
	return s.alive(ctx)
}

type canned struct {
	columns []sdk.Column
	rows    [][]any
}

// toyCases are answers that show every topic and type.
func toyCases() map[string]canned {
	column := func(name string, t sdk.Type) sdk.Column {
		return sdk.Column{Name: name, Type: t, NativeType: strings.ToUpper(t.String())}
	}
	wide, row := make([]sdk.Column, wideResult), make([]any, wideResult)
	for i := range wide {
		wide[i], row[i] = column(fmt.Sprintf("c%d", i), sdk.TypeInt64), int64(i)
	}
	noon := time.Date(2024, 2, 29, 12, 30, 0, 1000, time.UTC)
	return map[string]canned{
		"scalars": {
			columns: []sdk.Column{
				column("b", sdk.TypeBool), column("i", sdk.TypeInt64), column("f", sdk.TypeFloat64), column("t", sdk.TypeText),
				column("raw", sdk.TypeBytes), column("d", sdk.TypeDecimal), column("u", sdk.TypeUUID),
				column("iv", sdk.TypeInterval), column("g", sdk.TypeGeoWKT),
			},
			rows: [][]any{
				{true, int64(math.MaxInt64), math.NaN(), "", []byte{0, 0xff}, "12345678901234567890.50", "6f1c-…", "1 day", "POINT(1 2)"},
				{false, int64(-1), math.Inf(1), "naïve 🙂", []byte{}, "-1", nil, nil, nil},
				{nil, nil, math.Inf(-1), "broken \xff", nil, nil, nil, nil, nil},
				{nil, nil, 0.1, strings.Repeat("x", largeCell), nil, nil, nil, nil, nil},
			},
		},
		"times": {
			columns: []sdk.Column{
				column("d", sdk.TypeDate), column("t", sdk.TypeTime), column("ts", sdk.TypeTimestamp), column("tz", sdk.TypeTimestampTZ),
			},
			rows: [][]any{
				{noon, noon, noon, noon},
				{int64(sdk.Infinity), nil, int64(sdk.NegativeInfinity), int64(sdk.Infinity)},
				{time.Date(-43, 3, 15, 0, 0, 0, 0, time.UTC), nil, time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC), time.UnixMicro(-1)},
			},
		},
		"json": {
			columns: []sdk.Column{column("j", sdk.TypeJSON), column("n", sdk.TypeNestedJSON)},
			rows:    [][]any{{`{"b": [1, 2.50], "a": null}`, `[1, 2]`}, {`null`, nil}},
		},
		"names": {
			columns: []sdk.Column{column("a", sdk.TypeInt64), column("a", sdk.TypeText), column("", sdk.TypeText)},
			rows:    [][]any{{int64(1), "x", "y"}},
		},
		"no_rows":    {columns: []sdk.Column{column("a", sdk.TypeInt64)}},
		"no_columns": {rows: [][]any{{}, {}}},
		"wide":       {columns: wide, rows: [][]any{row}},
	}
}
