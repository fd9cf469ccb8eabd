package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// profiled and scanned keep what a profile and a scan wrote.
type profiled struct {
	sample   *sdk.RowWriter
	sink     *keep
	stats    []sdk.ColumnStats
	warnings []sdk.Warning
	progress []sdk.Progress
}

func newProfiled(limits sdk.Limits) *profiled {
	sink := &keep{}
	return &profiled{sink: sink, sample: sdk.NewRowWriter(sink, limits)}
}

func (p *profiled) Sample() *sdk.RowWriter         { return p.sample }
func (p *profiled) Stats(s sdk.ColumnStats) error  { p.stats = append(p.stats, s); return nil }
func (p *profiled) Warning(w sdk.Warning) error    { p.warnings = append(p.warnings, w); return nil }
func (p *profiled) Progress(progress sdk.Progress) { p.progress = append(p.progress, progress) }

type scanned struct {
	tables   []*sdk.Table
	warnings []sdk.Warning
	progress []sdk.Progress
	refuse   error
}

func (s *scanned) Table(t *sdk.Table) error    { s.tables = append(s.tables, t); return s.refuse }
func (s *scanned) Warning(w sdk.Warning) error { s.warnings = append(s.warnings, w); return nil }
func (s *scanned) Progress(p sdk.Progress)     { s.progress = append(s.progress, p) }

type logged struct{ entries []sdk.QueryLogEntry }

func (l *logged) Entry(e sdk.QueryLogEntry) error { l.entries = append(l.entries, e); return nil }
func (l *logged) Progress(sdk.Progress)           {}

func TestScanCrosses(t *testing.T) {
	t.Parallel()
	table := &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: "t"}, Kind: sdk.TableBase, Columns: []sdk.Column{{Name: "a", Type: sdk.TypeInt64}}}
	session := openFake(t, serveFake(t, &fake{scan: func(_ context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
		w.Progress(sdk.Progress{Phase: "tables", Done: 1})
		if err := w.Warning(sdk.Warning{Object: req.Include[0]}); err != nil {
			return sdk.ScanSummary{}, err
		}
		return sdk.ScanSummary{Tables: 1, Complete: true}, w.Table(table)
	}}))
	got := &scanned{}
	summary, err := session.Scan(t.Context(), sdk.ScanRequest{Include: []string{"s.*"}}, got)
	if err != nil {
		t.Fatal(err)
	}
	want := &scanned{tables: []*sdk.Table{table}, warnings: []sdk.Warning{{Object: "s.*"}}, progress: []sdk.Progress{{Phase: "tables", Done: 1}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scanned{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !summary.Complete || summary.Tables != 1 {
		t.Errorf("summary %+v", summary)
	}
	refused := &scanned{refuse: errors.New("enough")}
	if _, err := session.Scan(t.Context(), sdk.ScanRequest{Include: []string{"s.*"}}, refused); !errors.Is(err, refused.refuse) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func TestTableThatIsTooLargeIsAWarning(t *testing.T) {
	t.Parallel()
	session := openFake(t, serveFake(t, &fake{scan: func(_ context.Context, _ sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
		huge := &sdk.Table{TableRef: sdk.TableRef{Name: "huge"}, Definition: strings.Repeat("x", MaxMessageBytes)}
		return sdk.ScanSummary{Complete: true}, w.Table(huge)
	}}))
	got := &scanned{}
	if _, err := session.Scan(t.Context(), sdk.ScanRequest{}, got); err != nil {
		t.Fatal(err)
	}
	if len(got.tables) != 0 || len(got.warnings) != 1 || got.warnings[0].Code != CodeTableTooLarge || got.warnings[0].Object != "huge" {
		t.Errorf("got %d tables and %+v", len(got.tables), got.warnings)
	}
}

func TestProfileCrosses(t *testing.T) {
	t.Parallel()
	session := openFake(t, serveFake(t, &fake{profile: func(_ context.Context, _ sdk.ProfileRequest, w sdk.ProfileWriter) error {
		if err := w.Sample().Columns(sdk.Column{Name: "a", Type: sdk.TypeInt64}); err != nil {
			return err
		}
		for i := range 300 {
			if err := w.Sample().Row(int64(i)); err != nil {
				return err
			}
		}
		return errors.Join(w.Stats(sdk.ColumnStats{Column: "a", Rows: 300}), w.Warning(sdk.Warning{Code: "w"}))
	}}))
	for _, tc := range []struct {
		name   string
		limits sdk.Limits
		rows   int
	}{{"whole sample", sdk.Limits{}, 300}, {"sample beyond the caller's limit", sdk.Limits{MaxRows: 200}, 200}} {
		t.Run(tc.name, func(t *testing.T) {
			got := newProfiled(tc.limits)
			if err := session.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{}, got); err != nil {
				t.Fatal(err)
			}
			if got.sink.rows != tc.rows || len(got.stats) != 1 || got.stats[0].Rows != 300 || len(got.warnings) != 1 {
				t.Errorf("%d rows, stats %+v, warnings %+v", got.sink.rows, got.stats, got.warnings)
			}
		})
	}
}

func TestProfileOutOfOrder(t *testing.T) {
	t.Parallel()
	session := openFake(t, serveFake(t, &fake{profile: func(_ context.Context, _ sdk.ProfileRequest, w sdk.ProfileWriter) error {
		if err := w.Stats(sdk.ColumnStats{}); err != nil {
			return err
		}
		return w.Sample().Columns()
	}}))
	err := session.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{}, newProfiled(sdk.Limits{}))
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindInternal || !strings.Contains(e.Msg, "sample came after its statistics") {
		t.Errorf("got %v", err)
	}
}

func TestQueryLogExplainAndValidateCross(t *testing.T) {
	t.Parallel()
	entry := sdk.QueryLogEntry{SQL: "select 1", Executions: 2, Rows: -1, BytesRead: -1}
	session := openFake(t, serveFake(t, &fake{
		queryLog: func(_ context.Context, _ sdk.QueryLogRequest, w sdk.QueryLogWriter) error { return w.Entry(entry) },
		explain: func(_ context.Context, r sdk.ExplainRequest) (sdk.Explanation, error) {
			return sdk.Explanation{Format: "text", Text: r.SQL, EstimatedRows: -1}, nil
		},
		validate: func(_ context.Context, r sdk.ValidateRequest) (sdk.Validation, error) {
			return sdk.Validation{Columns: []sdk.Column{{Name: r.SQL, Type: sdk.TypeText}}}, nil
		},
	}))
	log := &logged{}
	if err := session.(sdk.QueryLogger).QueryLog(t.Context(), sdk.QueryLogRequest{}, log); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sdk.QueryLogEntry{entry}, log.entries); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	plan, err := session.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{SQL: "a"})
	if err != nil || plan.Text != "a" || plan.EstimatedRows != -1 {
		t.Errorf("plan %+v, %v", plan, err)
	}
	found, err := session.(sdk.Validator).Validate(t.Context(), sdk.ValidateRequest{SQL: "b"})
	if err != nil || found.Columns[0].Name != "b" {
		t.Errorf("validation %+v, %v", found, err)
	}
}

// bare hides the optional methods of a fake.
type bare struct{ sdk.Session }

type bareBackend struct{ backend }

func (b bareBackend) Begin(ctx context.Context, id string) (context.Context, sdk.Session, func(), error) {
	ctx, session, end, err := b.backend.Begin(ctx, id)
	return ctx, bare{session}, end, err
}

func TestDeclaredButMissingAbility(t *testing.T) {
	t.Parallel()
	s := newServer(bareBackend{backend{&fake{}}}, nil)
	_, err := s.Explain(t.Context(), &pb.ExplainRequest{ConnectionId: "c"})
	if got := sdk.KindOf(NewClient(nil, nil).failure(t.Context(), err)); got != sdk.KindUnsupported {
		t.Errorf("kind %s, want unsupported", got)
	}
}

func TestPanicIsRecovered(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	f := &fake{
		execute: func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error { panic("boom: hunter2-hunter2") },
		ping:    func(context.Context) error { return nil },
	}
	session := openFake(t, serveFake(t, f, WithLogger(slog.New(slog.NewJSONHandler(&log, nil))), WithScrubber(scrubberOf("hunter2-hunter2"))))
	err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
	e := sdk.AsError(err, sdk.SourceHost)
	if e.Kind != sdk.KindInternal || !strings.Contains(e.Msg, "incident") || strings.Contains(e.Error(), "boom") {
		t.Errorf("got %v", err)
	}
	var line struct{ Incident, Panic, Stack string }
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil {
		t.Fatalf("log %q: %v", log.String(), err)
	}
	if !strings.Contains(e.Msg, line.Incident) || line.Panic != "boom: [redacted]" || !strings.Contains(line.Stack, "server_test.go") {
		t.Errorf("logged %+v for %q", line, e.Msg)
	}
	if err := session.Ping(t.Context()); err != nil {
		t.Errorf("the connector did not survive: %v", err)
	}
}

func scrubberOf(secret string) *Scrubber {
	s := &Scrubber{}
	s.Add(sdk.Config{Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)}})
	return s
}

// lockedBuffer is a buffer that several goroutines may use.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestSecretsLeaveEveryText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	f := &fake{
		info: sdk.ServerInfo{Warnings: []sdk.Diagnostic{{Summary: "password " + secret}}},
		ping: func(context.Context) error { return errors.New("dial me:" + secret + "@host") },
		execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			w.Notice(sdk.Warning{Message: "hello " + secret})
			return w.Columns()
		},
	}
	f.scan = func(_ context.Context, _ sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
		return sdk.ScanSummary{}, w.Warning(sdk.Warning{Object: secret, Message: secret})
	}
	f.connector = sdk.Connector{
		ID: "fake", Config: sdk.ConfigOf[struct{}](),
		Test: func(_ context.Context, _ sdk.OpenRequest, report func(sdk.TestStep)) error {
			report(sdk.TestStep{Name: "login", Detail: secret, Err: sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "wrong %s", secret)})
			return errors.New("stopped at " + secret)
		},
	}
	client := serveFake(t, f)
	req := sdk.OpenRequest{ConnectionID: "c", Config: sdk.Config{Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)}}}
	session, err := client.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	sink := &keep{}
	texts := []string{session.Server().Warnings[0].Summary, session.Ping(t.Context()).Error()}
	if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(sink, sdk.Limits{})); err != nil {
		t.Fatal(err)
	}
	found := &scanned{}
	if _, err := session.Scan(t.Context(), sdk.ScanRequest{}, found); err != nil {
		t.Fatal(err)
	}
	texts = append(texts, sink.notices[0].Message, found.warnings[0].Object, found.warnings[0].Message)
	err = client.TestConnection(t.Context(), req, func(s sdk.TestStep) { texts = append(texts, s.Detail, s.Err.Msg) })
	texts = append(texts, err.Error())
	for _, text := range texts {
		if strings.Contains(text, secret) || !strings.Contains(text, "[redacted]") {
			t.Errorf("%q", text)
		}
	}
}

func TestStreamsAreCounted(t *testing.T) {
	t.Parallel()
	const most = 3
	entered, release := make(chan struct{}), make(chan struct{})
	f := &fake{
		connector: sdk.Connector{ID: "fake", Capabilities: sdk.Capabilities{MaxStreams: most}, Config: sdk.ConfigOf[struct{}]()},
		ping:      func(context.Context) error { return nil },
		execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			entered <- struct{}{}
			<-release
			return w.Columns()
		},
	}
	session := openFake(t, serveFake(t, f))
	run := func() error {
		return session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
	}
	var calls sync.WaitGroup
	for range most {
		calls.Go(func() {
			if err := run(); err != nil {
				t.Error(err)
			}
		})
		<-entered
	}
	e := sdk.AsError(run(), sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindRateLimited || !e.Retry || e.Hint == "" {
		t.Errorf("call %d: got %v", most+1, e)
	}
	if err := session.Ping(t.Context()); err != nil {
		t.Errorf("a ping was counted: %v", err)
	}
	close(release)
	calls.Wait()
	calls.Go(func() { <-entered })
	if err := run(); err != nil {
		t.Errorf("after the others had ended: %v", err)
	}
	calls.Wait()
}

func TestAdmission(t *testing.T) {
	t.Parallel()
	a := newAdmission(0)
	var leave []func()
	enter := func(id string) error {
		out, err := a.enter(id)
		if err == nil {
			leave = append(leave, out)
		}
		return err
	}
	for i := range maxStreams {
		if err := enter(string(rune('a' + i/sessionStreams))); err != nil {
			t.Fatalf("call %d: %v", i+1, err)
		}
	}
	if err := enter("z"); sdk.KindOf(err) != sdk.KindRateLimited {
		t.Errorf("call %d of the process: %v", maxStreams+1, err)
	}
	leave[0]()
	if err := enter("b"); sdk.KindOf(err) != sdk.KindRateLimited {
		t.Errorf("call %d of a connection: %v", sessionStreams+1, err)
	}
	for _, out := range leave[1:] {
		out()
	}
	if a.total != 0 || len(a.sessions) != 0 {
		t.Errorf("left behind: %d in all, %v", a.total, a.sessions)
	}
}

func TestReasonOfACancelReplacesTheConnectorsWords(t *testing.T) {
	t.Parallel()
	stopping := &sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceConnector, Msg: "stopping", Retry: true}
	for _, tc := range []struct {
		name string
		says error
		want sdk.Kind
	}{
		{"canceled", &sdk.Error{Kind: sdk.KindCanceled}, sdk.KindUnavailable},
		{"driver's own words", errors.New("pq: canceling statement due to user request"), sdk.KindUnavailable},
		{"something more exact", &sdk.Error{Kind: sdk.KindDenied}, sdk.KindDenied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			f.ping = func(ctx context.Context) error {
				f.stop(stopping)
				<-ctx.Done()
				return tc.says
			}
			err := openFake(t, serveFake(t, f)).Ping(t.Context())
			if got := sdk.KindOf(err); got != tc.want {
				t.Errorf("kind %s (%v), want %s", got, err, tc.want)
			}
		})
	}
}

func TestUnaryCalls(t *testing.T) {
	t.Parallel()
	f := &fake{open: func(_ context.Context, r sdk.OpenRequest) error {
		if r.IdleTimeout != 2*time.Second || r.MemoryBytes != 1<<30 || r.Config.Secrets["password"].Reveal() != "pw" {
			return errors.New("the request did not arrive whole")
		}
		return nil
	}}
	type shape struct {
		Host string `json:"host" doc:"Host." required:"true"`
	}
	f.connector = sdk.Connector{ID: "fake", Version: "1.2.3", Config: sdk.ConfigOf[shape]()}
	client := serveFake(t, f)
	description, err := client.Describe(t.Context(), HostInfo{Version: "9"})
	if err != nil || description.ID != "fake" || description.Version != "1.2.3" || !json.Valid(description.ConfigSchema) {
		t.Errorf("description %+v, %v", description, err)
	}
	found, err := client.ValidateConfig(t.Context(), sdk.Config{})
	if err != nil || len(found) != 1 || found[0].Path != "host" {
		t.Errorf("diagnostics %+v, %v", found, err)
	}
	req := sdk.OpenRequest{ConnectionID: "c", IdleTimeout: 2 * time.Second, MemoryBytes: 1 << 30, Config: sdk.Config{Secrets: map[string]sdk.Secret{"password": sdk.NewSecret("pw")}}}
	session, err := client.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(t.Context()); err != nil || len(f.closed) != 1 || f.closed[0] != "c" {
		t.Errorf("close %v, closed %v", err, f.closed)
	}
	canceled, err := client.Drain(t.Context(), 5*time.Second)
	if err != nil || canceled != 3 || f.grace != 5*time.Second {
		t.Errorf("drain: %d canceled, grace %s, %v", canceled, f.grace, err)
	}
	if _, err := client.Open(t.Context(), sdk.OpenRequest{}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("an open without an id: %v", err)
	}
}
