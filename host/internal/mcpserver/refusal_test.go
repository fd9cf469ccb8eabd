package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// The compiler's tests have a model in which everything goes wrong, and one file
// per refusal with the request that provokes it.
const compileData = "../semantic/compile/testdata"

// market is that model as the semantic layer of the only connection.
type market struct {
	*world
	dialects []dialect.Dialect
	model    *model.Model
}

func newMarket(t *testing.T) *market {
	t.Helper()
	m := &market{world: newWorld()}
	content, err := os.ReadFile("../../../sdk/dialect/testdata/sqlite.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &m.dialects); err != nil {
		t.Fatal(err)
	}
	m.dialects = m.dialects[:1]
	in := model.Input{Dialect: &m.dialects[0]}
	for _, file := range filesOf(t, compileData, "market", "*.yaml") {
		in.Files = append(in.Files, model.Parse(filepath.Base(file), read(t, file)))
	}
	m.model = model.Build(in)
	return m
}

func (m *market) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: m.dialects}, nil
}

func (*market) Learn(context.Context, connection.ID, *layer.State, []*model.Query) error { return nil }

func (*market) Strangers(context.Context, []connection.ID) ([]string, error) { return nil, nil }

func (m *market) Current(context.Context, connection.ID, *dialect.Dialect) (*layer.State, error) {
	return &layer.State{Model: m.model, Files: &layer.Files{}}, nil
}

// config answers from the market with the use case as it is.
func (m *market) config() Config {
	c := m.world.config()
	c.Warehouses = warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "foodb"}})
	}, m, slog.New(slog.DiscardHandler))
	c.Semantic = semanticquery.New(semanticquery.Config{
		Warehouses: c.Warehouses, Layer: m,
		Now:        func() time.Time { return time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC) },
		FiscalYear: func(context.Context) (time.Month, error) { return time.October, nil },
	})
	return c
}

func filesOf(t *testing.T, parts ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(parts...))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %d files, %v", parts, len(files), err)
	}
	return files
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

var incidents = regexp.MustCompile(`\b[A-Z0-9]{10}\b`)

// Every refusal of the compiler as an agent sees it: the text, and the structured
// content. A code without a golden file fails, and so does a file without a use.
func TestRefusalsAsAnAgentSeesThem(t *testing.T) {
	t.Parallel()
	c := connect(t, lines[0], newMarket(t).config(), nil)
	golden := map[string]bool{}
	codes := map[refusal.Code]bool{}
	check := func(name string, result string, code refusal.Code) {
		path := filepath.Join("testdata", "refusals", name)
		golden[path], codes[code] = true, true
		checkGolden(t, path, result)
	}
	for _, file := range filesOf(t, compileData, "errors", "*.golden") {
		request, ok := bytes.CutPrefix(read(t, file), []byte("request:\n"))
		if !ok {
			continue
		}
		request, _, _ = bytes.Cut(request, []byte("\n\n"))
		result := checked(t, c, "sl_query", object(t, string(request)))
		if !result.IsError {
			t.Fatalf("%s is not refused", request)
		}
		var seen struct {
			Code     sdk.Kind
			Category sdk.Source
			Details  struct{ Code refusal.Code }
		}
		if err := json.Unmarshal([]byte(compact(t, result.StructuredContent)), &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Category != sdk.SourceCaller || seen.Code == sdk.KindInternal {
			t.Errorf("%s: %+v", filepath.Base(file), seen)
		}
		check(filepath.Base(file), shown(t, textOf(t, result), result.StructuredContent), seen.Details.Code)
	}

	// What is a fault of Loam is not told.
	secret := &refusal.Error{Code: refusal.CodeInternal, Message: "a path between sources that are not in the model", Fix: "report it"}
	broken := &metrics{world: newWorld(), refusal: secret}
	result := checked(t, connect(t, lines[0], broken.config(), nil), "sl_query", map[string]any{"measures": []any{"a.b"}})
	told := incidents.ReplaceAllString(shown(t, textOf(t, result), result.StructuredContent), "INCIDENT")
	if strings.Contains(told, "path") {
		t.Errorf("an internal error is told: %s", told)
	}
	check("internal.golden", told, refusal.CodeInternal)

	for _, code := range refusal.Codes() {
		if !codes[code] {
			t.Errorf("no golden file shows %s", code)
		}
	}
	for _, file := range filesOf(t, "testdata", "refusals", "*") {
		if !golden[file] {
			t.Errorf("no test uses %s", file)
		}
	}
}

// shown is what an agent gets to see, with the text as it is.
func shown(t *testing.T, text string, structured any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(structured); err != nil {
		t.Fatal(err)
	}
	return "text:\n" + text + "\n\nstructured content:\n" + b.String()
}

// Texts that try to be more than a condition are refused in every place that
// takes an expression, and nothing runs: the market has nothing to run it with.
func TestHostileTextIsRefused(t *testing.T) {
	t.Parallel()
	c := connect(t, lines[0], newMarket(t).config(), nil)
	for name, text := range map[string]string{
		"a second statement":  "orders.id = 1; DROP TABLE orders",
		"a subselect":         "orders.id IN (SELECT id FROM customers)",
		"a comment":           "orders.id = 1 -- AND hidden",
		"a comment inside":    "orders.id = 1 /* x */ OR TRUE",
		"a quote":             "orders.status = 'a' OR '1'='1' ' ",
		"NUL":                 "orders.status = 'a\x00b'",
		"more than a text":    "orders.status = '" + strings.Repeat("a", 100_000) + "'",
		"parentheses":         strings.Repeat("(", 10_000) + "TRUE" + strings.Repeat(")", 10_000),
		"letters like quotes": "orders.status = ‘paid’",
	} {
		for place, args := range map[string]map[string]any{
			"filter":     {"measures": []any{"orders.revenue"}, "filters": []any{text}},
			"inner":      {"measures": []any{"orders.revenue"}, "filters": []any{map[string]any{"or": []any{"orders.id = 1", map[string]any{"not": text}}}}},
			"of measure": {"measures": []any{map[string]any{"measure": "orders.revenue", "filters": []any{text}}}},
			"measure":    {"measures": []any{map[string]any{"expr": text}}},
			"dimension":  {"measures": []any{"orders.revenue"}, "dimensions": []any{text}},
			"order":      {"measures": []any{"orders.revenue"}, "order_by": []any{text}},
		} {
			result := callTool(t, c, "sl_query", args)
			content, _ := result.StructuredContent.(map[string]any)
			text := textOf(t, result)
			if !result.IsError || content["category"] != "caller" || len(text) > 2000 || strings.Count(text, "\n") > 24 {
				t.Errorf("%s as %s: %v %.3000s", name, place, content["code"], text)
			}
		}
	}
	tooLong := map[string]any{"measures": []any{"orders.revenue"}, "filters": []any{"orders.status = '" + strings.Repeat("a", 1<<20) + "'"}}
	if text := textOf(t, callTool(t, c, "sl_query", tooLong)); !strings.HasPrefix(text, "invalid_request: request: it has 1048") {
		t.Errorf("a mebibyte: %.300s", text)
	}
}
