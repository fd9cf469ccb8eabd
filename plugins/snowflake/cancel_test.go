package snowflake_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
)

// slow is a statement that runs for hours, with a mark to find it by.
func slow(mark string) string {
	return "SELECT COUNT(*) AS " + mark + " FROM (SELECT ROW_NUMBER() OVER (ORDER BY 1) AS a FROM big) x, big y, big z WHERE x.a + y.a + z.a < 0"
}

// statusOf returns what became of the statements that ran with a mark, each once.
func statusOf(server *fixture.Server, mark string) []string {
	var list []string
	for _, st := range server.Statements() {
		if strings.Contains(st.Text, mark) && !st.Describe && !slices.Contains(list, st.Status) {
			list = append(list, st.Status)
		}
	}
	return list
}

// running waits until a statement with a mark runs, whose end is sent to done.
func running(t testing.TB, server *fixture.Server, mark string, done <-chan error) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !slices.Contains(statusOf(server, mark), "RUNNING") {
		select {
		case <-tick.C:
		case err := <-done:
			t.Fatalf("the statement has ended: %v", err)
		}
	}
}

func withBig(t testing.TB, options ...fixture.Option) *fixture.Server {
	t.Helper()
	server := fixture.Start(t, options...)
	server.Exec(t, "CREATE TABLE BIG AS SELECT range::INTEGER AS A FROM range(1000000)")
	return server
}

// A statement whose caller goes away has ended in the service before the call returns:
// while its first request waits, and while the driver asks for its result again.
func TestCancelHasSettled(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]fixture.Option{"first request": nil, "asked again": {fixture.Hold(time.Millisecond)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := withBig(t, options...)
			s := open(t, configOf(server, fixture.Reader, nil))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: slow("one")})
				done <- err
			}()
			running(t, server, "one", done)
			cancel()
			wantKind(t, <-done, sdk.KindCanceled)
			if status := statusOf(server, "one"); slices.Contains(status, "RUNNING") {
				t.Errorf("the statement is %v", status)
			}
			if r := query(t, s, "SELECT 1 AS n"); r.Texts[0][0] != "1" { // the session serves on
				t.Errorf("got %v", r.Texts)
			}
		})
	}
}

// A statement ends at its time limit, and the error says so.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	server := withBig(t)
	s := open(t, configOf(server, fixture.Reader, nil))
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("two"), Limits: sdk.Limits{Timeout: 300 * time.Millisecond}})
	wantKind(t, err, sdk.KindTimeout)
	if status := statusOf(server, "two"); slices.Contains(status, "RUNNING") {
		t.Errorf("the statement is %v", status)
	}
	if !slices.ContainsFunc(server.Requests(), func(r fixture.Request) bool {
		return r.Text == "ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = 1"
	}) {
		t.Error("the service does not know the limit")
	}
}

// The statement of a process that is gone is ended by its id.
func TestCancelByID(t *testing.T) {
	t.Parallel()
	server := withBig(t, fixture.Hold(time.Millisecond))
	before := open(t, configOf(server, fixture.Reader, nil))
	successor := open(t, configOf(server, fixture.Reader, nil))
	ctx, cancel := context.WithCancel(t.Context())
	ids, done := make(chan string, 1), make(chan error, 1)
	go func() {
		w := sdk.NewRowWriter(started{ids}, sdk.Limits{})
		done <- before.Execute(ctx, sdk.ExecuteRequest{SQL: slow("three")}, w)
	}()
	var id string
	select {
	case id = <-ids: // told while the statement runs
	case err := <-done:
		t.Fatalf("the statement has ended: %v", err)
	}
	for i, want := range []bool{true, false} {
		if was, err := successor.CancelQuery(t.Context(), id); err != nil || was != want {
			t.Errorf("order %d: %t, %v, want %t", i, was, err, want)
		}
	}
	wantKind(t, <-done, sdk.KindCanceled)
	cancel()
	if _, err := successor.CancelQuery(t.Context(), "x' || 'y"); err != nil && sdk.KindOf(err) == sdk.KindSyntax {
		t.Errorf("an id is not quoted: %v", err)
	}
}

// started is a sink that wants to know the id alone.
type started struct{ ids chan<- string }

func (s started) Started(id string) error    { s.ids <- id; return nil }
func (s started) Columns([]sdk.Column) error { return nil }
func (s started) Batch(*sdk.Batch) error     { return nil }
func (s started) Progress(sdk.Progress)      {}
func (s started) Notice(sdk.Warning)         {}

// A warehouse that is suspended is told, and neither a sign of life, nor opening a
// connection, nor its test resumes it.
func TestNothingResumesTheWarehouse(t *testing.T) {
	t.Parallel()
	server := withBig(t)
	server.Suspend(fixture.DefaultWarehouse, true)
	config := configOf(server, fixture.Reader, nil)
	s := open(t, config)
	if state := s.Server().State; state != sdk.StateSuspended {
		t.Errorf("the state is %q", state)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	var told bool
	err := snowflake.Connector().Test(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: config}, func(step sdk.TestStep) {
		if step.Err != nil {
			t.Errorf("%s: %v", step.Name, step.Err)
		}
		told = told || strings.Contains(step.Detail, "is suspended")
	})
	if err != nil || !told {
		t.Errorf("%v; told: %t", err, told)
	}
	if state := server.WarehouseState(fixture.DefaultWarehouse); state != fixture.Suspended {
		t.Errorf("the warehouse is %s", state)
	}
	query(t, s, "SELECT COUNT(*) FROM big")
	if state, err := s.State(t.Context()); err != nil || state != sdk.StateRunning {
		t.Errorf("%s, %v", state, err)
	}
	server.Suspend(fixture.DefaultWarehouse, false)
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT COUNT(*) FROM big"})
	if e := wantKind(t, err, sdk.KindUnavailable); !strings.Contains(e.Hint, "RESUME") {
		t.Errorf("the hint is %q", e.Hint)
	}
	server.Suspend(fixture.DefaultWarehouse, true)
	server.UseQuota(fixture.DefaultWarehouse)
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT COUNT(*) FROM big"})
	wantKind(t, err, sdk.KindRateLimited)
}
