package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// envRole makes the test binary a connector, or a host that starts one and dies.
const envRole = "LOAM_SERVE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(envRole) {
	case "connector":
		Main(testConnector())
	case "dying host":
		dyingHost()
	default:
		os.Exit(m.Run())
	}
}

type testConfig struct {
	// Trace is a file to which the session appends what happens to it.
	Trace    string     `json:"trace" doc:"File to trace to."`
	Password sdk.Secret `json:"password" doc:"Password."`
	TLS      struct {
		Key sdk.Secret `json:"key" doc:"Key."`
	} `json:"tls" doc:"TLS."`
}

// testConnector is a connector whose statements are words of what to do.
func testConnector() *sdk.Connector {
	return &sdk.Connector{
		ID: "acme/testdb", Version: "v1.2.3", DisplayName: "TestDB", License: "Apache-2.0",
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true},
		Dialects:     []dialect.Dialect{{Name: "test"}},
		Config:       sdk.ConfigOf[testConfig](),
		Open: func(_ context.Context, req sdk.OpenRequest) (sdk.Session, error) {
			s := &testSession{}
			if err := req.Config.Decode(&s.config); err != nil {
				return nil, err
			}
			s.log("opening")
			s.trace("open")
			return s, nil
		},
	}
}

type testSession struct{ config testConfig }

func (s *testSession) trace(event string) {
	if s.config.Trace == "" {
		return
	}
	f, err := os.OpenFile(s.config.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	_, err = f.WriteString(event + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		panic(err)
	}
}

// log logs what a connector should not: only a process's own log is scrubbed,
// so inside of the test binary it says nothing.
func (s *testSession) log(message string) {
	if os.Getenv(envRole) != "" {
		slog.Warn(message, "password", s.config.Password.Reveal())
	}
}

func (s *testSession) Server() sdk.ServerInfo     { return sdk.ServerInfo{Product: "TestDB", Version: "1"} }
func (s *testSession) Ping(context.Context) error { return nil }

func (s *testSession) Close(context.Context) error {
	for range 3 { // to a host that may be gone
		s.log("closing")
	}
	s.trace("close")
	return nil
}

func (s *testSession) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	word, rest, _ := strings.Cut(req.SQL, " ")
	switch word {
	case "hang":
		s.trace("hang")
		if err := w.Started("q1"); err != nil {
			return err
		}
		<-ctx.Done()
		s.trace("canceled")
		return ctx.Err()
	case "print":
		fmt.Println(rest)
		fmt.Fprintln(os.Stderr, rest)
	case "log":
		slog.WarnContext(ctx, rest, "error", errors.New("wrong password "+s.config.Password.Reveal()), "attempt", 2)
	case "fail":
		return sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "wrong password %s", s.config.Password.Reveal()).WithHint("mend it")
	case "key":
		rest = s.config.TLS.Key.Reveal()
	}
	if err := w.Columns(sdk.Column{Name: "word", Type: sdk.TypeText}); err != nil {
		return err
	}
	for range 3 {
		if err := w.Row(rest); err != nil {
			return err
		}
	}
	return nil
}

func (s *testSession) Scan(_ context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	table := &sdk.Table{
		TableRef: sdk.TableRef{Schema: "s", Name: "t"}, Kind: sdk.TableBase, RowEstimate: 7, ByteEstimate: -1,
		Columns: []sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "int"}},
		Keys:    []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}},
	}
	err := errors.Join(w.Warning(sdk.Warning{Object: strings.Join(req.Include, ","), Message: "note"}), w.Table(table))
	return sdk.ScanSummary{Tables: 1, Columns: 1, Complete: true}, err
}

// self returns a command that runs this test binary in a role.
func self(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{envRole + "=" + role, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	return cmd
}
