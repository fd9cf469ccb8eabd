package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

func TestResultCrosses(t *testing.T) {
	t.Parallel()
	f := &fake{execute: func(_ context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if req.SQL != "select 1" || req.RequestID != "r1" {
			return fmt.Errorf("got %q %q", req.SQL, req.RequestID)
		}
		if err := w.Started("q7"); err != nil {
			return err
		}
		w.Notice(sdk.Warning{Message: "remark"})
		if err := w.Columns(sdk.Column{Name: "n", Type: sdk.TypeInt64}, sdk.Column{Name: "n", Type: sdk.TypeText}); err != nil {
			return err
		}
		w.SetBytesScanned(99)
		for i := range 5000 {
			if err := w.Row(int64(i), "x"); err != nil {
				return err
			}
		}
		return nil
	}}
	session := openFake(t, serveFake(t, f))
	sink := &keep{}
	w := sdk.NewRowWriter(sink, sdk.Limits{})
	if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "select 1", RequestID: "r1"}, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if sink.rows != 5000 || sink.queryID != "q7" || len(sink.columns) != 2 || len(sink.notices) != 1 {
		t.Errorf("got %d rows, query %q, %d columns, %d notices", sink.rows, sink.queryID, len(sink.columns), len(sink.notices))
	}
	if last := sink.batches[len(sink.batches)-1]; last.Columns[0].I64[last.Rows-1] != 4999 {
		t.Error("the last row is not the last")
	}
	if f.began != 1 || f.ended != 1 {
		t.Errorf("%d calls began, %d ended", f.began, f.ended)
	}
	sum := w.Summary()
	if sum.Rows != 5000 || sum.BytesScanned != 99 || sum.QueryID != "q7" {
		t.Errorf("summary %+v", sum)
	}
}

func TestLimitsAreHeldOnBothSides(t *testing.T) {
	t.Parallel()
	endless := func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if err := w.Columns(sdk.Column{Type: sdk.TypeInt64}); err != nil {
			return err
		}
		for ctx.Err() == nil {
			if err := w.Row(int64(1)); err != nil {
				return err // ErrLimit too: the server forgives that
			}
		}
		return ctx.Err()
	}
	for _, tc := range []struct {
		name      string
		requested sdk.Limits
		held      sdk.Limits
		rows      int
		by        sdk.TruncatedBy
	}{
		{"connector stops", sdk.Limits{MaxRows: 1000}, sdk.Limits{MaxRows: 1000}, 1000, sdk.TruncatedByRows},
		{"connector stops at bytes", sdk.Limits{MaxBytes: 800}, sdk.Limits{MaxBytes: 800}, 100, sdk.TruncatedByBytes},
		{"connector ignores the limit", sdk.Limits{}, sdk.Limits{MaxRows: 1000}, 1000, sdk.TruncatedByRows},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			session := openFake(t, serveFake(t, &fake{execute: func(ctx context.Context, r sdk.ExecuteRequest, w *sdk.RowWriter) error {
				defer close(ended)
				return endless(ctx, r, w)
			}}))
			sink := &keep{}
			w := sdk.NewRowWriter(sink, tc.held)
			if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s", Limits: tc.requested}, w); err != nil {
				t.Fatal(err)
			}
			<-ended // the connector's work has ended, or the test hangs
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := w.Summary(); sink.rows != tc.rows || got.TruncatedBy != tc.by {
				t.Errorf("%d rows, truncated by %q; want %d, %q", sink.rows, got.TruncatedBy, tc.rows, tc.by)
			}
		})
	}
}

func TestSinkThatHasEnough(t *testing.T) {
	t.Parallel()
	session := openFake(t, serveFake(t, &fake{
		execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			return errors.Join(w.Columns(sdk.Column{Type: sdk.TypeInt64}), w.Row(int64(1)))
		},
		profile: func(_ context.Context, _ sdk.ProfileRequest, w sdk.ProfileWriter) error {
			return errors.Join(w.Sample().Columns(sdk.Column{Type: sdk.TypeInt64}), w.Sample().Row(int64(1)), w.Stats(sdk.ColumnStats{}))
		},
	}))
	if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{refuse: sdk.ErrLimit}, sdk.Limits{})); err != nil {
		t.Errorf("execute: %v", err)
	}
	got := newProfiled(sdk.Limits{})
	got.sink.refuse = sdk.ErrLimit
	if err := session.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{}, got); err != nil || len(got.stats) != 1 {
		t.Errorf("profile: %v, %d statistics", err, len(got.stats))
	}
}

func TestErrorOfTheSinkComesBack(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	session := openFake(t, serveFake(t, &fake{execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		_ = w.Columns(sdk.Column{Type: sdk.TypeInt64})
		return w.Row(int64(1))
	}}))
	err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{refuse: full}, sdk.Limits{}))
	if !errors.Is(err, full) {
		t.Errorf("got %v, want the sink's error", err)
	}
}

func TestCancelReachesTheConnector(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	reached := make(chan error, 1)
	session := openFake(t, serveFake(t, &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, _ *sdk.RowWriter) error {
		cancel()
		<-ctx.Done()
		reached <- context.Cause(ctx)
		return ctx.Err()
	}}))
	err := session.Execute(ctx, sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
	if sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("got %v, want kind canceled", err)
	}
	if cause := <-reached; !errors.Is(cause, context.Canceled) {
		t.Errorf("the connector saw %v", cause)
	}
}

func TestTimeoutIsTheDeadlineOfTheCall(t *testing.T) {
	t.Parallel()
	session := openFake(t, serveFake(t, &fake{
		execute: func(ctx context.Context, _ sdk.ExecuteRequest, _ *sdk.RowWriter) error {
			<-ctx.Done()
			return ctx.Err()
		},
		explain: func(ctx context.Context, _ sdk.ExplainRequest) (sdk.Explanation, error) {
			<-ctx.Done()
			return sdk.Explanation{}, ctx.Err()
		},
		validate: func(ctx context.Context, _ sdk.ValidateRequest) (sdk.Validation, error) {
			<-ctx.Done()
			return sdk.Validation{}, ctx.Err()
		},
	}))
	req := sdk.ExecuteRequest{SQL: "s", Limits: sdk.Limits{Timeout: time.Millisecond}}
	errs := []error{session.Execute(t.Context(), req, sdk.NewRowWriter(&keep{}, sdk.Limits{}))}
	_, err := session.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{Timeout: time.Millisecond})
	errs = append(errs, err)
	_, err = session.(sdk.Validator).Validate(t.Context(), sdk.ValidateRequest{Timeout: time.Millisecond})
	for _, err := range append(errs, err) {
		if sdk.KindOf(err) != sdk.KindTimeout {
			t.Errorf("got %v, want kind timeout", err)
		}
	}
}

func TestSilentConnectorHasHung(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, session := serveScript(t, script{results: func(s grpc.ServerStreamingServer[pb.ResultEvent]) error {
			if err := s.Send(&pb.ResultEvent{Event: &pb.ResultEvent_Schema{Schema: &pb.Schema{}}}); err != nil {
				return err
			}
			<-s.Context().Done()
			return s.Context().Err()
		}})
		started := time.Now()
		err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
		e := sdk.AsError(err, sdk.SourceHost)
		if e.Kind != sdk.KindUnavailable || !e.Retry || e.Source != sdk.SourceConnector || !strings.Contains(e.Msg, "acme/liar") {
			t.Errorf("got %#v", e)
		}
		if waited := time.Since(started); waited != stallAfter {
			t.Errorf("waited %s, want %s", waited, stallAfter)
		}
	})
}

func TestHeartbeatKeepsASlowWarehouseAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			select {
			case <-time.After(10 * stallAfter): // the warehouse takes its time
				return w.Columns()
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		session := openFake(t, serveFake(t, f))
		w := sdk.NewRowWriter(&keep{}, sdk.Limits{})
		if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, w); err != nil {
			t.Errorf("a slow statement failed: %v", err)
		}
	})
}

func TestProgressKeepsTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			for i := range int64(2000) { // in two seconds
				w.Progress(sdk.Progress{Phase: "read", Done: i})
				w.Progress(sdk.Progress{Phase: "read", Done: 0}) // falls, and must not be seen
				time.Sleep(time.Millisecond)
			}
			w.Progress(sdk.Progress{Phase: "read", Done: 2000})
			return w.Columns()
		}}
		session := openFake(t, serveFake(t, f))
		sink := &keep{}
		if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(sink, sdk.Limits{})); err != nil {
			t.Fatal(err)
		}
		if n := len(sink.progress); n < 15 || n > 22 {
			t.Errorf("%d reports came in two seconds, want about 20", n)
		}
		done := int64(-1)
		for _, p := range sink.progress {
			if p.Done <= done {
				t.Errorf("done went from %d to %d", done, p.Done)
			}
			done = p.Done
		}
		if done != 2000 {
			t.Errorf("the last report says %d, want 2000", done)
		}
	})
}

func TestGrammarOfResults(t *testing.T) {
	t.Parallel()
	var (
		started = &pb.ResultEvent{Event: &pb.ResultEvent_Started{Started: &pb.Started{}}}
		schema  = &pb.ResultEvent{Event: &pb.ResultEvent_Schema{Schema: &pb.Schema{Columns: []*pb.Column{{Type: pb.Type_TYPE_INT64}}}}}
		batch   = func(rows uint32, cells ...int64) *pb.ResultEvent {
			b := &pb.Batch{Rows: rows, Columns: []*pb.Vector{{I64: cells}}}
			return &pb.ResultEvent{Event: &pb.ResultEvent_Batch{Batch: b}}
		}
		summary = func(rows int64) *pb.ResultEvent {
			return &pb.ResultEvent{Event: &pb.ResultEvent_Summary{Summary: &pb.Summary{Rows: rows}}}
		}
		beat = &pb.ResultEvent{Event: &pb.ResultEvent_Heartbeat{}}
	)
	for _, tc := range []struct {
		name   string
		events []*pb.ResultEvent
		want   string // "" = a good result
	}{
		{"whole", []*pb.ResultEvent{started, schema, batch(2, 1, 2), beat, summary(2)}, ""},
		{"no rows", []*pb.ResultEvent{schema, summary(0)}, ""},
		{"event of a later version", []*pb.ResultEvent{{}, schema, summary(0)}, ""},
		{"nothing", nil, "without its closing event"},
		{"no summary", []*pb.ResultEvent{schema, batch(1, 1)}, "without its closing event"},
		{"no columns", []*pb.ResultEvent{summary(0)}, "without its columns"},
		{"batch first", []*pb.ResultEvent{batch(1, 1), schema, summary(1)}, "before the columns"},
		{"two schemas", []*pb.ResultEvent{schema, schema, summary(0)}, "two lists of columns"},
		{"started late", []*pb.ResultEvent{schema, started, summary(0)}, "started twice or after"},
		{"started twice", []*pb.ResultEvent{started, started, schema, summary(0)}, "started twice or after"},
		{"after the summary", []*pb.ResultEvent{schema, summary(0), beat}, "came after the closing one"},
		{"lie about rows", []*pb.ResultEvent{schema, batch(1, 1), summary(2)}, "claims 2 rows and has 1"},
		{"short vector", []*pb.ResultEvent{schema, batch(3, 1), summary(3)}, "malformed"},
		{"absurd row count", []*pb.ResultEvent{schema, batch(1<<31, 1), summary(0)}, "claims 2147483648 rows"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, session := serveScript(t, script{results: func(s grpc.ServerStreamingServer[pb.ResultEvent]) error {
				for _, event := range tc.events {
					if err := s.Send(event); err != nil {
						return err
					}
				}
				return nil
			}})
			err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
			checkBreach(t, err, tc.want)
		})
	}
}

// checkBreach wants no error, or a breach of the contract that names the
// connector.
func checkBreach(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("a good stream failed: %v", err)
		}
		return
	}
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindInternal || e.Source != sdk.SourceConnector || !strings.Contains(e.Msg, want) || !strings.Contains(e.Msg, "acme/liar") {
		t.Errorf("got %v, want an internal error of acme/liar with %q", err, want)
	}
}

func TestGrammarOfProfilesAndScans(t *testing.T) {
	t.Parallel()
	schema := &pb.ProfileEvent{Event: &pb.ProfileEvent_Schema{Schema: &pb.Schema{}}}
	sample := &pb.ProfileEvent{Event: &pb.ProfileEvent_Sample{Sample: &pb.Batch{Rows: 1}}}
	stats := &pb.ProfileEvent{Event: &pb.ProfileEvent_Stats{Stats: &pb.ColumnStats{}}}
	summary := &pb.ProfileEvent{Event: &pb.ProfileEvent_Summary{Summary: &pb.Summary{}}}
	for _, tc := range []struct {
		name   string
		events []*pb.ProfileEvent
		want   string
	}{
		{"whole", []*pb.ProfileEvent{schema, sample, stats, summary}, ""},
		{"no sample", []*pb.ProfileEvent{stats, stats, summary}, ""},
		{"no summary", []*pb.ProfileEvent{stats}, "without its closing event"},
		{"sample late", []*pb.ProfileEvent{stats, schema, summary}, "after its statistics"},
		{"rows late", []*pb.ProfileEvent{schema, stats, sample, summary}, "after the statistics"},
		{"rows without columns", []*pb.ProfileEvent{sample, summary}, "before their columns"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, session := serveScript(t, script{profiles: func(s grpc.ServerStreamingServer[pb.ProfileEvent]) error {
				for _, event := range tc.events {
					if err := s.Send(event); err != nil {
						return err
					}
				}
				return nil
			}})
			err := session.(sdk.Profiler).Profile(t.Context(), sdk.ProfileRequest{}, newProfiled(sdk.Limits{}))
			checkBreach(t, err, tc.want)
		})
	}
	t.Run("scan without its end", func(t *testing.T) {
		t.Parallel()
		_, session := serveScript(t, script{scans: func(s grpc.ServerStreamingServer[pb.ScanEvent]) error {
			return s.Send(&pb.ScanEvent{Event: &pb.ScanEvent_Table{Table: &pb.Table{}}})
		}})
		_, err := session.Scan(t.Context(), sdk.ScanRequest{}, &scanned{})
		checkBreach(t, err, "without its closing event")
	})
}

func TestAbilitiesAreThoseDeclared(t *testing.T) {
	t.Parallel()
	for bits := range 16 {
		declared := sdk.Capabilities{Explain: bits&1 != 0, Validate: bits&2 != 0, Profile: bits&4 != 0, QueryLog: bits&8 != 0}
		t.Run(fmt.Sprintf("%04b", bits), func(t *testing.T) {
			t.Parallel()
			f := &fake{connector: sdk.Connector{ID: "fake", Capabilities: declared, Config: sdk.ConfigOf[struct{}]()}}
			session := openFake(t, serveFake(t, f))
			_, explains := session.(sdk.Explainer)
			_, validates := session.(sdk.Validator)
			_, profiles := session.(sdk.Profiler)
			_, logs := session.(sdk.QueryLogger)
			got := sdk.Capabilities{Explain: explains, Validate: validates, Profile: profiles, QueryLog: logs}
			if diff := cmp.Diff(declared, got); diff != "" {
				t.Errorf("(-declared +implemented):\n%s", diff)
			}
		})
	}
}

func TestMessagesAreBoundedBothWays(t *testing.T) {
	t.Parallel()
	t.Run("huge answer", func(t *testing.T) {
		t.Parallel()
		_, session := serveScript(t, script{results: func(s grpc.ServerStreamingServer[pb.ResultEvent]) error {
			huge := &pb.Batch{Rows: 1, Columns: []*pb.Vector{{Data: make([]byte, MaxMessageBytes)}}}
			return s.Send(&pb.ResultEvent{Event: &pb.ResultEvent_Batch{Batch: huge}})
		}})
		err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
		if sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("got %v, want kind limit", err)
		}
	})
	t.Run("huge request", func(t *testing.T) {
		t.Parallel()
		session := openFake(t, serveFake(t, &fake{}))
		req := sdk.ExecuteRequest{SQL: "s", Params: []sdk.Value{make([]byte, MaxMessageBytes)}}
		err := session.Execute(t.Context(), req, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
		if sdk.KindOf(err) != sdk.KindLimit {
			t.Errorf("got %v, want kind limit", err)
		}
	})
	t.Run("an answer larger than gRPC's default", func(t *testing.T) {
		t.Parallel()
		session := openFake(t, serveFake(t, &fake{execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			return errors.Join(w.Columns(sdk.Column{Type: sdk.TypeBytes}), w.Row(make([]byte, 12<<20)))
		}}))
		limits := sdk.Limits{MaxCellBytes: 13 << 20}
		if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s", Limits: limits}, sdk.NewRowWriter(&keep{}, limits)); err != nil {
			t.Error(err)
		}
	})
	t.Run("a request larger than gRPC's default", func(t *testing.T) {
		t.Parallel()
		session := openFake(t, serveFake(t, &fake{execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
			return w.Columns()
		}}))
		req := sdk.ExecuteRequest{SQL: strings.Repeat(" ", 6<<20)}
		if err := session.Execute(t.Context(), req, sdk.NewRowWriter(&keep{}, sdk.Limits{})); err != nil {
			t.Error(err)
		}
	})
}

func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	var server *grpc.Server
	client := dial(t, func(s *grpc.Server) {
		server = s
		stop := func(stream grpc.ServerStreamingServer[pb.ResultEvent]) error {
			server.Stop() // closes the connection under the call
			<-stream.Context().Done()
			return nil
		}
		pb.RegisterConnectorServer(s, script{results: stop})
	})
	err := openFake(t, client).Execute(t.Context(), sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
	e := sdk.AsError(err, sdk.SourceHost)
	if e.Kind != sdk.KindUnavailable || !e.Retry || e.Source != sdk.SourceConnector {
		t.Errorf("got %#v", e)
	}
}

func TestSessionOfAnOpenConnection(t *testing.T) {
	t.Parallel()
	client := serveFake(t, &fake{ping: func(context.Context) error { return nil }})
	if _, err := client.Describe(t.Context(), HostInfo{}); err != nil {
		t.Fatal(err)
	}
	session := client.Session("c", sdk.ServerInfo{Product: "P"})
	if err := session.Ping(t.Context()); err != nil || session.Server().Product != "P" {
		t.Errorf("ping %v, server %+v", err, session.Server())
	}
	unknown := client.Session("other", sdk.ServerInfo{}).Ping(t.Context())
	if e := sdk.AsError(unknown, sdk.SourceHost); e == nil || e.Kind != sdk.KindNotFound || e.Code != sdk.CodeUnknownConnection {
		t.Errorf("got %v", unknown)
	}
}

func TestLogAttrsNameTheCall(t *testing.T) {
	t.Parallel()
	var got []slog.Attr
	session := openFake(t, serveFake(t, &fake{execute: func(ctx context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		got = LogAttrs(ctx)
		return w.Columns()
	}}))
	if err := session.Execute(t.Context(), sdk.ExecuteRequest{SQL: "s", RequestID: "r9"}, sdk.NewRowWriter(&keep{}, sdk.Limits{})); err != nil {
		t.Fatal(err)
	}
	if want := "[connection=c request_id=r9]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if LogAttrs(t.Context()) != nil {
		t.Error("a context of no call has attributes")
	}
}
