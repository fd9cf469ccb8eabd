package conform_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/serve"
)

// toyProgram is the name under which the test's own binary is the toy's
// connector; what follows the name is its flaw.
const toyProgram = "loam-connector-toy"

func TestMain(m *testing.M) {
	if f, ok := strings.CutPrefix(filepath.Base(os.Args[0]), toyProgram); ok {
		serve.Main(newToy(flaw(strings.TrimPrefix(f, "-"))).connector())
	}
	if filepath.Base(os.Args[0]) == plainProgram {
		servePlain()
		return
	}
	os.Exit(m.Run())
}

// program returns a path that runs as the toy's connector.
func program(t *testing.T, f flaw) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := toyProgram
	if f != none {
		name += "-" + string(f)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A connector without a flaw passes everything, in every mode; this is also how
// an author calls the suite.
func TestTheToyPasses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results.jsonl")
	t.Setenv(conform.OutEnv, out)
	target := newToy(none).target(t)
	target.Binary = program(t, none)
	conform.Run(t, target)

	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	outcomes := map[conform.Mode]map[conform.Outcome]int{}
	for decoder := json.NewDecoder(file); decoder.More(); {
		var r conform.Result
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Connector != "acme/toy" || r.Server != "fixture: a toy" || r.Group == "" || r.Check == "" {
			t.Errorf("incomplete result %+v", r)
		}
		if outcomes[r.Mode] == nil {
			outcomes[r.Mode] = map[conform.Outcome]int{}
		}
		outcomes[r.Mode][r.Outcome]++
	}
	if outcomes[conform.Binary] == nil { // the last mode, which every run has
		t.Errorf("no result of the program: %v", outcomes)
	}
	for mode, n := range outcomes {
		if n[conform.OK] < 90 || n[conform.Failed] > 0 || n[conform.Skipped] > 4 {
			t.Errorf("%s: outcomes %v", mode, n)
		}
	}
}

// A program can be checked without its Go value, as those in other languages are.
func TestABinaryAlone(t *testing.T) {
	target := newToy(none).target(t)
	target.Connector, target.Binary, target.Pace = nil, program(t, none), quickPace
	for _, r := range conform.Examine(t.Context(), target, conform.Options{}) {
		if r.Outcome == conform.Failed || r.Connector != "acme/toy" {
			t.Errorf("%+v", r)
		}
	}
}

// quickPace keeps the suite's own tests short; only what never settles waits for
// as long as for an author. Those that wait often get hurriedPace.
var (
	quickPace   = conform.Pace{Deadline: 30 * time.Millisecond, Settle: 10 * time.Second}
	hurriedPace = conform.Pace{Deadline: 30 * time.Millisecond, Settle: 400 * time.Millisecond}
)

// failures returns the failed checks of a target, each once, in order.
func failures(t *testing.T, target conform.Target) []string {
	t.Helper()
	var names []string
	for _, r := range conform.Examine(t.Context(), target, conform.Options{}) {
		if r.Outcome != conform.Failed {
			continue
		}
		if r.Reason == "" {
			t.Errorf("%s/%s fails without a reason", r.Group, r.Check)
		}
		t.Logf("%s/%s: %.200s", r.Group, r.Check, r.Reason)
		names = append(names, r.Group+"/"+r.Check)
	}
	return names
}

// hidden are the checks of the toy's views, in front of others.
func hidden(others ...string) []string {
	var names []string
	for _, h := range toyHidden() {
		if !h.Harmless {
			names = append(names, "reach/"+h.Name)
		}
	}
	return append(names, others...)
}

// Every flaw is found, and by the checks that are about it.
func TestFlawsAreFound(t *testing.T) {
	for _, tt := range []struct {
		flaw flaw
		mode conform.Mode
		want []string
	}{
		{none, conform.InProcess, nil},
		{losesRow, conform.InProcess, []string{"stream/order", "stream/batch_bytes", "limits/rows", "concurrent/streams", "concurrent/cancel_one"}},
		{writes, conform.InProcess, []string{"read_only/insert"}},
		{reaches, conform.InProcess, hidden()},
		{remembers, conform.InProcess, []string{"read_only/setting"}},
		{ignoresTimeout, conform.InProcess, []string{"limits/time", "limits/time_of_session", "concurrent/wait"}},
		{forgetsEngine, conform.InProcess, []string{
			"limits/time", "limits/time_of_session", "cancel/cancel", "cancel/deadline", "cancel/engine", "cancel/close",
			"server/ended", "server/disconnected", "server/dies", "server/left_behind",
			"plan/explain_runs_nothing", "plan/validate_runs_nothing", "concurrent/cancel_one", "concurrent/wait", "leak/goroutines", "leak/files",
		}},
		{wrongCount, conform.InProcess, []string{"scan/summary"}},
		{doublesTable, conform.InProcess, []string{"scan/tables", "scan/summary", "scan/include", "scan/exclude", "scan/facets"}},
		{miscounts, conform.InProcess, []string{"profile/people"}},
		{leaksSecret, conform.InProcess, []string{"secret/texts"}},
		{logsSecret, conform.InProcess, []string{"secret/logs"}},
		{swallowsErrors, conform.InProcess, slices.Concat(
			[]string{"errors/syntax", "errors/missing", "errors/denied", "limits/time", "limits/time_of_session", "dialect/sum"},
			hidden("cancel/cancel", "cancel/deadline", "cancel/engine", "cancel/close", "cancel/stream", "cancel/nothing_else", "cancel/late",
				"server/ended", "server/disconnected", "server/dies", "server/left_behind", "concurrent/cancel_one", "concurrent/wait", "leak/goroutines", "leak/files"),
		)},
		{plainErrors, conform.InProcess, slices.Concat(
			[]string{"errors/syntax", "errors/missing", "errors/denied", "limits/time", "limits/time_of_session", "read_only/insert", "read_only/setting"},
			hidden("cancel/cancel", "cancel/deadline", "cancel/engine", "cancel/stream", "cancel/nothing_else", "cancel/late",
				"server/ended", "server/disconnected", "server/dies", "concurrent/cancel_one", "concurrent/wait"),
		)},
		{internalErrors, conform.InProcess, []string{"read_only/insert", "plan/explain_attacks", "plan/validate_attacks"}},
		{hides, conform.InProcess, []string{"describe/capabilities"}},
		{leaksGoroutine, conform.InProcess, []string{"leak/goroutines"}},
		{runsToExplain, conform.InProcess, []string{"plan/explain_attacks", "plan/validate_attacks"}},
		{acceptsAnyone, conform.InProcess, []string{"open/wrong_secret"}},
		{unknownKeys, conform.InProcess, []string{"config/missing", "config/unknown", "config/wrong_type", "config/secret_in_the_open"}},
		{survivesClose, conform.InProcess, []string{"open/closed_session"}},
		{panics, conform.InProcess, []string{
			"stream/order", "stream/batch_bytes", "stream/receiver_fails", "limits/rows", "limits/bytes", "limits/stops_reading",
			"cancel/stream", "cancel/nothing_else", "cancel/late",
			"concurrent/streams", "concurrent/calls", "concurrent/cancel_one", "leak/goroutines", "leak/files",
		}},
		{fallingProgress, conform.InProcess, []string{
			"stream/order", "stream/batch_bytes", "limits/rows", "cancel/stream", "cancel/late",
			"concurrent/streams", "concurrent/cancel_one", "leak/goroutines", "leak/files",
		}},
		{hitsNext, conform.InProcess, []string{"cancel/stream", "cancel/nothing_else"}},
		{ordersLate, conform.InProcess, []string{"cancel/late"}},
		{keepsDead, conform.InProcess, []string{"server/disconnected", "server/idle", "concurrent/wait"}},
		{overbooks, conform.InProcess, []string{"concurrent/wait"}},
		{losesSlow, conform.InProcess, []string{"concurrent/wait"}},
		{losesSlowTwice, conform.InProcess, nil},

		{guardOpen, conform.InProcess, []string{"guard/attacks"}},
		{guardDeaf, conform.InProcess, []string{"guard/harmless", "guard/statements"}},

		{wrongTrunc, conform.InProcess, []string{"dialect/trunc"}},
		{wrongAdd, conform.InProcess, []string{"dialect/add"}},
		{wrongSpine, conform.InProcess, []string{"dialect/spine"}},
		{wrongOrder, conform.InProcess, []string{"dialect/order"}},
		{wrongType, conform.InProcess, []string{"dialect/type_float64", "dialect/cast", "dialect/union"}},
		{wrongDivision, conform.InProcess, []string{"dialect/arithmetic"}},
		{wrongSearch, conform.InProcess, []string{"dialect/search"}},
		{wrongLike, conform.InProcess, []string{"dialect/like"}},
		{wrongSum, conform.InProcess, []string{"dialect/sum"}},
		{wrongEqual, conform.InProcess, []string{"dialect/equal_text"}},
		{wrongNull, conform.InProcess, []string{"dialect/function_text"}},
		{wrongRange, conform.InProcess, []string{"dialect/function_domain"}},
		{wrongFunction, conform.InProcess, []string{"dialect/function_time"}},
		{brokenForm, conform.InProcess, []string{"dialect/stored_time"}},
		{refusedForm, conform.InProcess, []string{"dialect/now"}},

		{none, conform.Wire, nil},
		{lies, conform.Wire, []string{
			"describe/capabilities", "profile/people", "profile/columns", "profile/missing_table", "plan/explain",
			"plan/explain_runs_nothing", "plan/explain_errors", "plan/validate_columns", "plan/validate_runs_nothing",
			"plan/validate_errors", "query_log/entries", "concurrent/calls",
		}},
		{leaksSecret, conform.Wire, nil}, // the server takes secrets out of errors
		{losesRow, conform.Wire, []string{"stream/order", "stream/batch_bytes", "limits/rows", "concurrent/streams", "concurrent/cancel_one"}},

		{prints, conform.Binary, []string{"process/stdout"}},
	} {
		t.Run(fmt.Sprintf("%s_%s", tt.mode, tt.flaw), func(t *testing.T) {
			target := newToy(tt.flaw).target(t)
			target.Modes, target.Pace = []conform.Mode{tt.mode}, quickPace
			switch tt.flaw {
			case forgetsEngine, ignoresTimeout:
				target.Pace = hurriedPace
			case overbooks, swallowsErrors: // on a busy machine no answer comes in 30 ms, and no statement begins
				target.Pace = conform.Pace{Deadline: 2 * time.Second, Settle: 3 * time.Second}
			}
			if tt.mode == conform.Binary {
				target.Binary = program(t, tt.flaw)
			}
			if diff := cmp.Diff(tt.want, failures(t, target)); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s", diff)
			}
		})
	}
}

// Refused attacks share a look at the data: what one of many writes is found all the same, and named.
func TestAWriteAmongRefusalsIsFound(t *testing.T) {
	target := newToy(writes).target(t)
	target.Modes, target.Pace = []conform.Mode{conform.InProcess}, quickPace
	refused := target.Attacks[0]
	refused.SQL = "DENIED"
	var attacks []conform.Attack
	for i := range 30 {
		refused.Name = fmt.Sprintf("denied_%d", i)
		attacks = append(attacks, refused)
	}
	target.Attacks = slices.Concat(attacks[:27], target.Attacks[:1], attacks[27:], target.Attacks[1:])
	var reasons []string
	for _, r := range conform.Examine(t.Context(), target, conform.Options{Select: func(group, _ string) bool { return group == "read_only" }}) {
		if r.Outcome == conform.Failed {
			reasons = append(reasons, r.Reason)
		}
	}
	if len(reasons) != 1 || !strings.Contains(reasons[0], "the data changed") || !strings.Contains(reasons[0], "insert, insert, denied_27") {
		t.Errorf("got %q", reasons)
	}
}

// What never ends fails the checks about ending, and the run goes on.
func TestAConnectorThatHangsDoesNotHangTheKit(t *testing.T) {
	target := newToy(ignoresCancel).target(t)
	target.Modes, target.Pace = []conform.Mode{conform.InProcess}, hurriedPace
	got := failures(t, target)
	for _, want := range []string{"limits/time", "cancel/cancel", "cancel/deadline", "cancel/engine", "cancel/close", "concurrent/cancel_one", "leak/goroutines"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s passes; failed: %q", want, got)
		}
	}
}

// dropping is a server that loses one kind of event on its way.
type dropping struct {
	grpc.ServerStream
	event protoreflect.Name
}

func (d dropping) SendMsg(m any) error {
	message := m.(proto.Message).ProtoReflect()
	if event := message.Descriptor().Oneofs().ByName("event"); event != nil {
		if field := message.WhichOneof(event); field != nil && field.Name() == d.event {
			return nil
		}
	}
	return d.ServerStream.SendMsg(m)
}

func lose(event protoreflect.Name) grpc.ServerOption {
	return grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return handler(srv, dropping{stream, event})
	})
}

// A stream that breaks its grammar is no result.
func TestBrokenStreamsAreFound(t *testing.T) {
	for _, tt := range []struct {
		event protoreflect.Name
		want  []string
	}{
		{"summary", []string{"stream/order", "stream/no_rows", "limits/rows", "profile/people", "concurrent/streams"}},
		{"schema", []string{"stream/order", "stream/no_rows", "profile/people"}},
		{"batch", []string{"stream/order", "limits/rows", "concurrent/streams"}},
		{"done", []string{"scan/tables", "scan/summary", "query_log/entries"}},
		{"stats", []string{"profile/people"}},
		{"table", []string{"scan/tables", "scan/summary"}},
	} {
		t.Run(string(tt.event), func(t *testing.T) {
			target := newToy(none).target(t)
			target.Modes, target.Pace = []conform.Mode{conform.Wire}, quickPace
			target.ServerOptions = []grpc.ServerOption{lose(tt.event)}
			got := failures(t, target)
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s passes without %s events; failed: %q", want, tt.event, got)
				}
			}
		})
	}
}
