package clickhouse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
)

// Every value comes back as it was bound, whatever is in it.
func TestParametersComeBack(t *testing.T) {
	t.Parallel()
	db := today(t)
	s := db.openAs(t, testserver.ClickHouseReader)
	texts := []string{
		"", "it's", `\`, `\N`, `\\N`, "'; DROP TABLE t --", "a\tb\nc\rd", "\x00", "\b\f\a\v", "naïve €", "{_loam_1:Identifier}", "@p1", "%27 + &param__loam_1=x", strings.Repeat("x", 60_000),
	}
	for _, text := range texts {
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT @p1 AS v, length(@p1) AS n", Params: []sdk.Value{text}})
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if r.Rows[0][0] != text || fmt.Sprint(r.Rows[0][1]) != fmt.Sprint(len(text)) {
			t.Errorf("%.40q came back as %.40q", text, r.Rows[0])
		}
	}
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{
		SQL:    "SELECT @p1 + 1, @p2, @p3, @p4, @p5 IS NULL, '@p1', @p6 -- @p9",
		Params: []sdk.Value{int64(-9007199254740993), true, 0.1, []byte{0, 255}, nil, int64(7)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{int64(-9007199254740992), true, 0.1, "\x00\xff", int64(1), "@p1", int64(7)}, r.Rows[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A value matches the rows that the literal would match.
func TestParametersMatchRows(t *testing.T) {
	t.Parallel()
	db := today(t,
		"CREATE TABLE p (id Int32, s String, d Date, d32 Date32, at DateTime('UTC'), at6 DateTime64(6, 'UTC'), u UUID, x Decimal(20, 5), f Float64, b Bool, n Nullable(Int64)) ENGINE = MergeTree ORDER BY id",
		"INSERT INTO p VALUES (1, 'it''s', '2024-02-29', '1925-02-28', '2024-02-29 12:00:00', '2024-02-29 12:00:00.5', '123e4567-e89b-12d3-a456-426614174000', 1.5, 0.1, true, 7)",
		"INSERT INTO p VALUES (2, 'x', '2023-01-01', '2023-01-01', '2023-01-01 00:00:00', '2023-01-01 00:00:00', '00000000-0000-0000-0000-000000000000', 2, 2, false, NULL)")
	s := db.openAs(t, testserver.ClickHouseReader)
	for where, value := range map[string]sdk.Value{
		"s = @p1": "it's", "d = @p1": "2024-02-29", "d = CAST(@p1 AS Nullable(Date32))": "2024-02-29", "d32 = CAST(@p1 AS Nullable(Date32))": "1925-02-28",
		"at = CAST(@p1 AS Nullable(DateTime64(6, 'UTC')))": "2024-02-29 12:00:00", "at6 = CAST(@p1 AS Nullable(DateTime64(6, 'UTC')))": "2024-02-29 12:00:00.5",
		"u = @p1": "123e4567-e89b-12d3-a456-426614174000", "x = CAST(toString(@p1) AS Nullable(Decimal(38, 10)))": "1.5", "f = @p1": 0.1, "b = @p1": true, "n = @p1": int64(7),
		"id IN (@p1, 99)": int64(1), "s LIKE @p1": "it%",
	} {
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM p WHERE " + where, Params: []sdk.Value{value}})
		if err != nil || len(r.Rows) != 1 || fmt.Sprint(r.Rows[0][0]) != "1" {
			t.Errorf("%s: %v, %v", where, err, r.Rows)
		}
	}
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM p ORDER BY id DESC LIMIT @p1", Params: []sdk.Value{int64(1)}})
	if err != nil || len(r.Rows) != 1 {
		t.Errorf("a limit: %v, %v", err, r.Rows)
	}
}

func TestParametersThatCannotBe(t *testing.T) {
	t.Parallel()
	db := today(t)
	s := db.openAs(t, testserver.ClickHouseReader)
	for _, c := range []struct {
		name, sql string
		params    []sdk.Value
		kind      sdk.Kind
	}{
		{"too few", "SELECT @p1, @p2", []sdk.Value{int64(1)}, sdk.KindInvalid},
		{"too many", "SELECT @p1", []sdk.Value{int64(1), int64(2)}, sdk.KindInvalid},
		{"none", "SELECT @p1", nil, sdk.KindInvalid},
		{"too much", "SELECT @p1", []sdk.Value{strings.Repeat("x", 300<<10)}, sdk.KindLimit},
		{"a table by a parameter", "SELECT * FROM {_loam_1:Identifier} WHERE @p1 != ''", []sdk.Value{"system.one"}, sdk.KindNotReadOnly},
		{"a table as a value", "SELECT * FROM @p1", []sdk.Value{"system.one"}, sdk.KindSyntax},
		{"a function that leaves the server", "SELECT * FROM url(@p1)", []sdk.Value{"http://127.0.0.1:1/"}, sdk.KindNotReadOnly},
	} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql, Params: c.params})
		t.Log(err)
		wantKind(t, err, c.kind)
	}
	_, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT @p1"})
	wantKind(t, err, sdk.KindUnsupported)
	plan, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: " SELECT number FROM numbers(9) WHERE number = @p1 -- here", Params: []sdk.Value{int64(7)}})
	if err != nil || plan.Text == "" {
		t.Errorf("a plan: %v", err)
	}
	// The place of an error is that in the caller's text.
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT @p1,\n @p2 x y", Params: []sdk.Value{int64(1), "x"}})
	if e := wantKind(t, err, sdk.KindSyntax); e.Pos.Line != 2 || e.Pos.Column != 8 {
		t.Errorf("line %d, column %d", e.Pos.Line, e.Pos.Column)
	}
}

// Servers before 21.3 bind none and say so.
func TestParametersOfOldServers(t *testing.T) {
	t.Parallel()
	s := old(t).openAs(t, testserver.ClickHouseReader)
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1", Params: []sdk.Value{int64(1)}})
	wantKind(t, err, sdk.KindInvalid)
	if clickhouse.Dialects()[1].Parameter != "none" {
		t.Error("the old dialect has placeholders")
	}
}
