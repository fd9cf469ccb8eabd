package bigquery

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/googleapi"

	"github.com/loam-data/loam/sdk"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	got := describe("c", "ARRAY<STRUCT<at TIMESTAMP, price NUMERIC(10, 2), tags ARRAY<STRING(5)>, inner STRUCT<`odd name` BOOL>>>")
	comment(got.Fields, "c", map[string]string{"c.price": "in euros", "c.inner.odd name": "odd", "price": "another"})
	want := sdk.Column{
		Name: "c", Type: sdk.TypeNestedJSON, NativeType: got.NativeType, Repeated: true,
		Fields: []sdk.Column{
			{Name: "at", Type: sdk.TypeTimestampTZ, NativeType: "TIMESTAMP", Nullable: true},
			{Name: "price", Type: sdk.TypeDecimal, NativeType: "NUMERIC(10, 2)", Nullable: true, Precision: 10, Scale: 2, Comment: "in euros"},
			{
				Name: "tags", Type: sdk.TypeNestedJSON, NativeType: "ARRAY<STRING(5)>", Repeated: true,
				Fields: []sdk.Column{{Type: sdk.TypeText, NativeType: "STRING(5)", Nullable: true}},
			},
			{
				Name: "inner", Type: sdk.TypeNestedJSON, NativeType: "STRUCT<`odd name` BOOL>", Nullable: true,
				Fields: []sdk.Column{{Name: "odd name", Type: sdk.TypeBool, NativeType: "BOOL", Nullable: true, Comment: "odd"}},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("column (-want +got):\n%s", diff)
	}
}

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status          int
		reason, message string
		kind            sdk.Kind
		retry           bool
		pos             sdk.Position
		text            string
	}{
		{400, "invalidQuery", "Syntax error: Unexpected identifier \"FORM\" at [1:10]", sdk.KindSyntax, false, sdk.Position{Line: 1, Column: 10}, "Syntax error: Unexpected identifier \"FORM\""},
		{400, "invalidQuery", "Unrecognized name: totl; Did you mean total? at [2:8]", sdk.KindNotFound, false, sdk.Position{Line: 2, Column: 8}, "Unrecognized name: totl; Did you mean total?"},
		{400, "invalidQuery", "Division by zero", sdk.KindInvalid, false, sdk.Position{}, "Division by zero"},
		{404, "notFound", "Not found: Table p:d.t was not found in location EU", sdk.KindNotFound, false, sdk.Position{}, "Not found: Table p:d.t was not found in location EU"},
		{403, "accessDenied", "Access Denied: Table p:d.t", sdk.KindDenied, false, sdk.Position{}, ""},
		{403, "quotaExceeded", "Quota exceeded: queries per day", sdk.KindRateLimited, false, sdk.Position{}, ""},
		{403, "rateLimitExceeded", "Exceeded rate limits", sdk.KindRateLimited, true, sdk.Position{}, ""},
		{400, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed: 1", sdk.KindLimit, false, sdk.Position{}, ""},
		{400, "stopped", "Job execution was cancelled: User requested cancellation", sdk.KindCanceled, true, sdk.Position{}, ""},
		{400, "stopped", "Job timed out after 1000 ms", sdk.KindTimeout, true, sdk.Position{}, ""},
		{503, "", "Service unavailable", sdk.KindUnavailable, true, sdk.Position{}, ""},
		{401, "newReason", "Request had invalid authentication credentials", sdk.KindUnauthenticated, false, sdk.Position{}, ""},
		{418, "newReason", "I am a teapot", sdk.KindInvalid, false, sdk.Position{}, ""},
	} {
		e := nativeError(&googleapi.Error{Code: c.status, Message: c.message, Errors: []googleapi.ErrorItem{{Reason: c.reason, Message: c.message}}})
		if e.Kind != c.kind || e.Retry != c.retry || e.Pos != c.pos || e.Hint == "" || c.text != "" && e.Msg != c.text {
			t.Errorf("%d %s %q: got %s, retry %v, at %v, %q", c.status, c.reason, c.message, e.Kind, e.Retry, e.Pos, e.Msg)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Shop EU": "shop_eu", "": "x", "9lives": "x9lives", "_a": "x_a", "a-b_c": "a-b_c", "käse": "k_se", strings.Repeat("a", 70): strings.Repeat("a", 63),
	} {
		if got := label(text); got != want {
			t.Errorf("label(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCatalogueQueriesAreAsManyAsHundredsOfDatasets(t *testing.T) {
	t.Parallel()
	for sql := range catalogue {
		got := over(sql, "p", []string{"a", "b"})
		if strings.Contains(got, "{d}") || !strings.Contains(got, "`p`.`a`.INFORMATION_SCHEMA") || !strings.Contains(got, "`p`.`b`.INFORMATION_SCHEMA") || strings.Count(got, "ORDER BY") != 1 {
			t.Errorf("one statement over two datasets:\n%s", got)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		`{"project": "p"}`:                           "",
		`{"project": " "}`:                           "project",
		"{\"project\": \"p\", \"dataset\": \"a`b\"}": "dataset",
		`{"project": "p", "datasets": [""]}`:         "datasets",
		`{"project": "p", "location": "EU/x"}`:       "location",
		`{"project": "p", "endpoint": "example"}`:    "endpoint",
	} {
		found := Connector().Diagnose(sdk.Config{JSON: json.RawMessage(text)})
		if path == "" && len(found) > 0 || path != "" && (len(found) == 0 || found[0].Path != path) {
			t.Errorf("%s: %v, want a problem of %q", text, found, path)
		}
	}
}
