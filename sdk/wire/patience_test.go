package wire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// statements are the calls that may take as long as the caller allows.
var statements = map[string]func(ctx context.Context, c *Client, s sdk.Session) error{
	"open": func(ctx context.Context, c *Client, _ sdk.Session) error {
		_, err := c.Open(ctx, sdk.OpenRequest{ConnectionID: "c"})
		return err
	},
	"ping": func(ctx context.Context, _ *Client, s sdk.Session) error { return s.Ping(ctx) },
	"execute": func(ctx context.Context, _ *Client, s sdk.Session) error {
		return s.Execute(ctx, sdk.ExecuteRequest{SQL: "s"}, sdk.NewRowWriter(&keep{}, sdk.Limits{}))
	},
	"explain": func(ctx context.Context, _ *Client, s sdk.Session) error {
		_, err := s.(sdk.Explainer).Explain(ctx, sdk.ExplainRequest{})
		return err
	},
	"validate": func(ctx context.Context, _ *Client, s sdk.Session) error {
		_, err := s.(sdk.Validator).Validate(ctx, sdk.ValidateRequest{})
		return err
	},
	"profile": func(ctx context.Context, _ *Client, s sdk.Session) error {
		return s.(sdk.Profiler).Profile(ctx, sdk.ProfileRequest{}, newProfiled(sdk.Limits{}))
	},
	"scan": func(ctx context.Context, _ *Client, s sdk.Session) error {
		_, err := s.Scan(ctx, sdk.ScanRequest{}, nil)
		return err
	},
	"query log": func(ctx context.Context, _ *Client, s sdk.Session) error {
		return s.(sdk.QueryLogger).QueryLog(ctx, sdk.QueryLogRequest{}, nil)
	},
}

// waiting is a connector all of whose calls end by wait.
func waiting(wait func(context.Context) error) *fake {
	return &fake{
		open:     func(ctx context.Context, _ sdk.OpenRequest) error { return wait(ctx) },
		ping:     wait,
		execute:  func(ctx context.Context, _ sdk.ExecuteRequest, _ *sdk.RowWriter) error { return wait(ctx) },
		explain:  func(ctx context.Context, _ sdk.ExplainRequest) (e sdk.Explanation, err error) { return e, wait(ctx) },
		validate: func(ctx context.Context, _ sdk.ValidateRequest) (v sdk.Validation, err error) { return v, wait(ctx) },
		profile:  func(ctx context.Context, _ sdk.ProfileRequest, _ sdk.ProfileWriter) error { return wait(ctx) },
		scan: func(ctx context.Context, _ sdk.ScanRequest, _ sdk.ScanWriter) (s sdk.ScanSummary, err error) {
			return s, wait(ctx)
		},
		queryLog: func(ctx context.Context, _ sdk.QueryLogRequest, _ sdk.QueryLogWriter) error { return wait(ctx) },
	}
}

// session returns a session without the connector's Open, which may hang.
func sessionOf(t *testing.T, c *Client) sdk.Session {
	t.Helper()
	if _, err := c.Describe(t.Context(), HostInfo{}); err != nil {
		t.Fatal(err)
	}
	return c.Session("c", sdk.ServerInfo{})
}

// The connector keeps the time allowed and ends the work; the host waits for it.
func TestConnectorKeepsTheTime(t *testing.T) {
	t.Parallel()
	const settles = 3 * time.Second // as a warehouse may take to end a statement
	for name, call := range statements {
		synctest.Test(t, func(t *testing.T) {
			var over time.Duration
			var settled bool
			client := serveFake(t, waiting(func(ctx context.Context) error {
				begun := time.Now()
				<-ctx.Done()
				over = time.Since(begun)
				time.Sleep(settles)
				settled = true
				return ctx.Err()
			}))
			session := sessionOf(t, client)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 8*time.Second, sdk.Errorf(sdk.KindTimeout, sdk.SourceHost, "the tool's own clock"))
			defer cancel()
			e := sdk.AsError(call(ctx, client, session), sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindTimeout || e.Source != sdk.SourceCaller || over != 8*time.Second || !settled {
				t.Errorf("%s: %+v; the connector saw the end after %s, settled: %t", name, e, over, settled)
			}
		})
	}
}

func TestSilenceIsTheConnectorsFault(t *testing.T) {
	t.Parallel()
	for name, call := range statements {
		synctest.Test(t, func(t *testing.T) {
			frozen := make(chan struct{})
			client := serveFake(t, waiting(func(context.Context) error {
				<-frozen
				return errors.New("too late")
			}))
			defer close(frozen)
			session := sessionOf(t, client)
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			defer cancel()
			begun := time.Now()
			e := sdk.AsError(call(ctx, client, session), sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindUnavailable || e.Source != sdk.SourceConnector || !e.Retry || e.Hint == "" ||
				!strings.Contains(e.Msg, "connector fake did not answer within 8s") {
				t.Errorf("%s: %+v", name, e)
			}
			if took := time.Since(begun); took != 8*time.Second+answerGrace {
				t.Errorf("%s: waited %s", name, took)
			}
		})
	}
}

// Who cancels has no grace to wait for.
func TestCancelIsNotDelayed(t *testing.T) {
	t.Parallel()
	for name, call := range statements {
		synctest.Test(t, func(t *testing.T) {
			frozen := make(chan struct{})
			client := serveFake(t, waiting(func(context.Context) error {
				<-frozen
				return nil
			}))
			defer close(frozen)
			session := sessionOf(t, client)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			time.AfterFunc(time.Second, cancel)
			begun := time.Now()
			err := call(ctx, client, session)
			if took := time.Since(begun); sdk.KindOf(err) != sdk.KindCanceled || took != time.Second {
				t.Errorf("%s: %v after %s", name, err, took)
			}
		})
	}
}

// A reader that takes longer than the time allowed does not make the connector
// a silent one.
func TestSlowReaderIsNotTheConnectorsFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, session := serveScript(t, script{scans: func(s grpc.ServerStreamingServer[pb.ScanEvent]) error {
			for s.Context().Err() == nil {
				if err := s.Send(&pb.ScanEvent{Event: &pb.ScanEvent_Table{Table: &pb.Table{Comment: strings.Repeat("x", 1<<20)}}}); err != nil {
					return err
				}
			}
			return s.Context().Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		_, err := session.Scan(ctx, sdk.ScanRequest{}, slowScan{})
		if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindTimeout || e.Source != sdk.SourceCaller {
			t.Errorf("%+v", e)
		}
	})
}

type slowScan struct{ sdk.ScanWriter }

func (slowScan) Table(*sdk.Table) error {
	time.Sleep(20 * time.Second) // in a bubble
	return nil
}
