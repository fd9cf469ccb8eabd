package wire

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// A host of contract 1.0 reads microseconds, and is told once for each column what it
// does not see; a host of today reads everything.
func TestDigitsThatAHostDoesNotRead(t *testing.T) {
	t.Parallel()
	f := &fake{execute: func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		columns := []sdk.Column{
			{Name: "at", Type: sdk.TypeTimestamp, TimeDigits: 9}, {Name: "whole", Type: sdk.TypeTimestamp, TimeDigits: 7}, {Name: "n", Type: sdk.TypeInt64},
		}
		if err := w.Columns(columns...); err != nil {
			return err
		}
		for range 2 * sdk.FirstBatchRows { // two batches
			if err := w.Row(time.Unix(0, 1), time.Unix(1, 0), 7); err != nil {
				return err
			}
		}
		return nil
	}}
	client := serveFake(t, f)
	for minor, want := range map[int][]sdk.Warning{
		minorNanos: nil,
		0: {{
			Object: "at", Code: CodeTimeCut,
			Message: `times of column "at" have 9 digits of a second in the warehouse; 6 are shown, the rest is cut off: update loam`,
		}},
	} {
		if _, err := client.Describe(t.Context(), HostInfo{ContractMinor: minor}); err != nil {
			t.Fatal(err)
		}
		sink := &keep{}
		w := sdk.NewRowWriter(sink, sdk.Limits{})
		if err := openFake(t, client).Execute(t.Context(), sdk.ExecuteRequest{}, w); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, sink.notices); diff != "" {
			t.Errorf("minor %d: notices (-want +got):\n%s", minor, diff)
		}
		if len(sink.batches) < 2 || sink.batches[1].Columns[0].Nano(0) != 1 || sink.batches[1].Columns[1].Nanos != nil {
			t.Errorf("minor %d: batches %+v", minor, sink.batches)
		}
	}
}

func TestStateAndCancelOfAStatementByItsID(t *testing.T) {
	t.Parallel()
	f := &fake{
		ping: func(context.Context) error { return nil }, state: sdk.StateSuspended, running: map[string]bool{"q1": true},
	}
	session := openFake(t, serveFake(t, f))
	if state, err := session.(sdk.StateReporter).State(t.Context()); state != sdk.StateSuspended || err != nil {
		t.Errorf("state %q, %v", state, err)
	}
	for _, want := range []bool{true, false} {
		if ran, err := session.(sdk.QueryCanceler).CancelQuery(t.Context(), "q1"); ran != want || err != nil {
			t.Errorf("canceled %v, %v; want %v", ran, err, want)
		}
	}
	_, old := serveScript(t, script{})
	if _, err := old.(sdk.QueryCanceler).CancelQuery(t.Context(), "q1"); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("a connector of 1.0 answers %v", err)
	}
}

func TestAuthenticateCrosses(t *testing.T) {
	t.Parallel()
	scrubber := &Scrubber{}
	prompt := sdk.Prompt{URL: "https://idp.example/device", Code: "ABCD-EFGH", Expires: time.UnixMicro(1_800_000_000_000_000).UTC()}
	done := sdk.Credentials{Secrets: map[string]sdk.Secret{"oauth.token": sdk.NewSecret("tok-12345")}, User: "ada"}
	given := sdk.Config{JSON: []byte(`{"account":"x"}`)}
	f := &fake{connector: sdk.Connector{
		ID: "fake", Version: "1.0.0", Config: sdk.ConfigOf[struct{}](),
		Authenticate: func(_ context.Context, r sdk.OpenRequest, say func(sdk.Prompt) error) (sdk.Credentials, error) {
			if diff := cmp.Diff(given, r.Config, same); diff != "" {
				return sdk.Credentials{}, errors.New(diff)
			}
			return done, say(prompt)
		},
	}}
	client := serveFake(t, f, WithScrubber(scrubber))
	var said []sdk.Prompt
	got, err := client.Authenticate(t.Context(), sdk.OpenRequest{Config: given}, func(p sdk.Prompt) error {
		said = append(said, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(done, got, same); diff != "" {
		t.Errorf("credentials (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]sdk.Prompt{prompt}, said); diff != "" {
		t.Errorf("prompts (-want +got):\n%s", diff)
	}
	if got := scrubber.Scrub("token tok-12345"); got != "token "+scrubbed {
		t.Errorf("the new secret stays in %q", got)
	}
	f.connector.Authenticate = nil
	if _, err := client.Authenticate(t.Context(), sdk.OpenRequest{}, nil); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("without the ability: %v", err)
	}
}
