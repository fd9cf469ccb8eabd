package wire

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// trip is one type of the vocabulary on its way to the wire and back.
type trip struct {
	name string
	run  func(random) (sent, got any, err error)
}

// through encodes, marshals, unmarshals and decodes a random A.
func through[A any, M proto.Message](name string, encode func(A) (M, error), decode func(M) (A, error)) trip {
	return trip{name, func(r random) (any, any, error) {
		var sent, none A
		r.of(&sent)
		message, err := encode(sent)
		if err != nil {
			return sent, none, err
		}
		raw, err := proto.Marshal(message)
		if err != nil {
			return sent, none, err
		}
		back := message.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(raw, back); err != nil {
			return sent, none, err
		}
		got, err := decode(back.(M))
		return sent, got, err
	}}
}

func easy[A any, M proto.Message](encode func(A) M) func(A) (M, error) {
	return func(a A) (M, error) { return encode(a), nil }
}

func plain[A any, M proto.Message](decode func(M) A) func(M) (A, error) {
	return func(m M) (A, error) { return decode(m), nil }
}

func withID[A, M any](encode func(string, A) (M, error)) func(A) (M, error) {
	return func(a A) (M, error) { return encode("c", a) }
}

func easyWithID[A, M any](encode func(string, A) M) func(A) (M, error) {
	return func(a A) (M, error) { return encode("c", a), nil }
}

func trips() []trip {
	return []trip{
		through("description", encodeDescription, decodeDescription),
		through("config", easy(encodeConfig), plain(decodeConfig)),
		through("open", easy(encodeOpen), plain(decodeOpen)),
		through("server info", easy(encodeServerInfo), plain(decodeServerInfo)),
		through("diagnostic", easy(encodeDiagnostic), plain(decodeDiagnostic)),
		through("test step", easy(encodeTestStep), plain(decodeTestStep)),
		through("scan", easyWithID(encodeScan), plain(decodeScan)),
		through("table", easy(encodeTable), plain(decodeTable)),
		through("column", easy(encodeColumn), plain(decodeColumn)),
		through("scan summary", easy(encodeScanSummary), plain(decodeScanSummary)),
		through("progress", easy(encodeProgress), plain(decodeProgress)),
		through("warning", easy(encodeWarning), plain(decodeWarning)),
		through("execute", withID(encodeExecute), plain(decodeExecute)),
		through("summary", easy(encodeSummary), plain(decodeSummary)),
		through("profile", easyWithID(encodeProfile), plain(decodeProfile)),
		through("stats", easy(encodeStats), plain(decodeStats)),
		through("explain", withID(encodeExplain), plain(decodeExplain)),
		through("explanation", easy(encodeExplanation), plain(decodeExplanation)),
		through("validate", withID(encodeValidate), plain(decodeValidate)),
		through("validation", easy(encodeValidation), plain(decodeValidation)),
		through("prompt", easy(encodePrompt), plain(decodePrompt)),
		through("credentials", easy(encodeCredentials), plain(decodeCredentials)),
		through("query log", easyWithID(encodeQueryLog), plain(decodeQueryLog)),
		through("log entry", easy(encodeLogEntry), plain(decodeLogEntry)),
		through("error", easy(encodeErrorInfo), plain(decodeErrorInfo)),
		{"batch", func(r random) (any, any, error) {
			columns, sent := r.batch()
			raw, err := proto.Marshal((&batchEncoder{}).encode(sent))
			if err != nil {
				return sent, nil, err
			}
			back := &pb.Batch{}
			if err := proto.Unmarshal(raw, back); err != nil {
				return sent, nil, err
			}
			got := decodeBatch(back)
			return sent, got, got.Check(columns)
		}},
	}
}

var same = cmp.Options{cmpopts.EquateEmpty(), cmp.AllowUnexported(sdk.Secret{}), cmpopts.IgnoreFields(sdk.Error{}, "Err")}

func TestRoundTripIsTheIdentity(t *testing.T) {
	t.Parallel()
	for _, trip := range trips() {
		t.Run(trip.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(50) {
				sent, got, err := trip.run(newRandom(seed, false))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if diff := cmp.Diff(sent, got, same); diff != "" {
					t.Fatalf("seed %d (-sent +got):\n%s", seed, diff)
				}
			}
		})
	}
}

// The test above is worth what its values are: none may be left empty.
func TestEveryFieldIsFilled(t *testing.T) {
	t.Parallel()
	var d sdk.Description
	newRandom(1, false).of(&d)
	if reflect.ValueOf(d.Dialects[0]).IsZero() || len(d.Dialects[0].Forms) == 0 || d.Dialects[0].Guard.Statements == nil {
		t.Errorf("the random description is not full: %+v", d)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1), true)
	f.Add(uint64(2), false)
	f.Fuzz(func(t *testing.T, seed uint64, sparse bool) {
		for _, trip := range trips() {
			sent, got, err := trip.run(newRandom(seed, sparse))
			if err != nil {
				t.Fatalf("%s: %v", trip.name, err)
			}
			if diff := cmp.Diff(sent, got, same, zeroes); diff != "" {
				t.Fatalf("%s (-sent +got):\n%s", trip.name, diff)
			}
		}
	})
}

// zeroes evens out the zero values that a receiver reads as something else, as
// the contract says: an unspecified type is text, a severity an error, a kind
// internal and a source the connector.
var zeroes = cmp.Options{
	cmp.Transformer("type", func(t sdk.Type) string {
		if t == sdk.TypeUnspecified {
			t = sdk.TypeText
		}
		return t.String()
	}),
	cmp.Transformer("severity", func(s sdk.Severity) int { return int(max(s, sdk.SeverityError)) }),
	cmp.Transformer("kind", func(k sdk.Kind) string {
		if k == "" {
			k = sdk.KindInternal
		}
		return string(k)
	}),
	cmp.Transformer("source", func(s sdk.Source) string {
		if s == "" {
			s = sdk.SourceConnector
		}
		return string(s)
	}),
}

func TestInvalidTextIsMadeValid(t *testing.T) {
	t.Parallel()
	const bad = "caf\xe9"
	table := &sdk.Table{
		TableRef: sdk.TableRef{Schema: bad, Name: bad}, Comment: bad, Definition: bad,
		Columns: []sdk.Column{{Name: bad, NativeType: bad, Comment: bad, Properties: map[string]string{bad: bad}}},
		Keys:    []sdk.Key{{Name: bad, Columns: []string{bad}}},
	}
	for name, message := range map[string]proto.Message{
		"table":      encodeTable(table),
		"warning":    encodeWarning(sdk.Warning{Object: bad, Code: bad, Message: bad}),
		"stats":      encodeStats(sdk.ColumnStats{Column: bad, Min: new(bad), Quantiles: []string{bad}, Values: []string{bad}}),
		"log entry":  encodeLogEntry(sdk.QueryLogEntry{SQL: bad, User: bad}),
		"error":      encodeErrorInfo(&sdk.Error{Msg: bad, Hint: bad, Code: bad, Candidates: []string{bad}}),
		"info":       encodeServerInfo(sdk.ServerInfo{CurrentUser: bad, Database: bad}),
		"test step":  encodeTestStep(sdk.TestStep{Detail: bad, Statements: []string{bad}}),
		"validation": encodeValidation(sdk.Validation{Columns: table.Columns}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := proto.Marshal(message); err != nil {
				t.Error(err)
			}
		})
	}
	if got := text(bad); got != "caf\uFFFD" {
		t.Errorf("text(%q) = %q", bad, got)
	}
	if got := decodeLogEntry(encodeLogEntry(sdk.QueryLogEntry{SQL: bad})).SQL; got != bad {
		t.Errorf("logged SQL changed to %q", got)
	}
}

func TestStatementsAreRefusedRatherThanChanged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		sql    string
		params []sdk.Value
		want   sdk.Kind
	}{
		{"sql is not UTF-8", "select '\xff'", nil, sdk.KindInvalid},
		{"parameter is not UTF-8", "select ?", []sdk.Value{"\xff"}, sdk.KindInvalid},
		{"parameter of a strange type", "select ?", []sdk.Value{time.Now()}, sdk.KindInvalid},
		{"sql is too long", strings.Repeat(" ", MaxMessageBytes/2+1), nil, sdk.KindLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := encodeExecute("c", sdk.ExecuteRequest{SQL: tc.sql, Params: tc.params})
			if got := sdk.KindOf(err); got != tc.want {
				t.Errorf("kind %q (%v), want %q", got, err, tc.want)
			}
		})
	}
}

func TestUnknownEnumsOfALaterMinorVersion(t *testing.T) {
	t.Parallel()
	if got := decodeColumn(&pb.Column{Type: 99}).Type; got != sdk.TypeText {
		t.Errorf("type 99 is %s, want text", got)
	}
	if got := decodeReadOnly(99); got != sdk.ReadOnlyUnspecified {
		t.Errorf("read-only level 99 is %s, want unspecified", got)
	}
	if got := decodeKey(&pb.Key{Kind: 99}).Kind; got != 0 {
		t.Errorf("key kind 99 is %d, want 0", got)
	}
	if got := decodeErrorInfo(&pb.ErrorInfo{Kind: 99}).Kind; got != sdk.KindInternal {
		t.Errorf("error kind 99 is %s, want internal", got)
	}
}

func TestDurationsNeverBecomeNoLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		given time.Duration
		want  uint32
	}{{0, 0}, {-time.Second, 0}, {1, 1}, {time.Millisecond, 1}, {1500 * time.Microsecond, 2}, {1 << 62, 1<<32 - 1}} {
		if got := millis(tc.given); got != tc.want {
			t.Errorf("millis(%d) = %d, want %d", tc.given, got, tc.want)
		}
	}
}

func TestBatchesShareTheirMemory(t *testing.T) { // not parallel: it counts allocations
	batch := &sdk.Batch{Rows: 2, Columns: []sdk.Vector{{I64: []int64{1, 2}}, {Offsets: []uint32{0, 1, 2}, Data: []byte("ab")}}}
	message := (&batchEncoder{}).encode(batch)
	back := decodeBatch(message)
	if &back.Columns[0].I64[0] != &batch.Columns[0].I64[0] || &back.Columns[1].Data[0] != &batch.Columns[1].Data[0] {
		t.Error("a vector was copied")
	}
	encoder := &batchEncoder{}
	encoder.encode(batch)
	if n := testing.AllocsPerRun(100, func() { encoder.encode(batch) }); n != 0 {
		t.Errorf("encoding the second batch allocates %v times, want 0", n)
	}
}
