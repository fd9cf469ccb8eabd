package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	cmdcatalog "github.com/loam-data/loam/host/internal/cli/catalog"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	cmdproject "github.com/loam-data/loam/host/internal/cli/project"
	cmdquery "github.com/loam-data/loam/host/internal/cli/query"
	"github.com/loam-data/loam/host/internal/cli/search"
	cmdtrust "github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/sdk/dialect"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/host/internal/usage"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// folder is a project on disk that commands can be run on.
type folder struct {
	dir      string
	agents   func() (*agents.Agents, error)
	services *Services
}

// newFolder makes a project with connections that are configured and were never
// scanned. Their connector is not installed.
func newFolder(t *testing.T, ids ...string) *folder {
	t.Helper()
	f := &folder{dir: t.TempDir()}
	text := "version: 1\nconnections:\n"
	for _, id := range ids {
		text += "  " + id + ": {connector: none}\n"
	}
	f.put(t, "loam.yaml", text)
	pages, err := wiki.Open(project.WikiPath(f.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	clients := agents.New(agents.Config{
		Machine: agents.Machine{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, LookPath: func(string) (string, error) { return "", fs.ErrNotExist }},
		Project: f.dir, State: string(project.StateFolder(f.dir)), Command: "loam", Now: time.Now,
	})
	f.agents = func() (*agents.Agents, error) { return clients, nil }
	log := slog.New(slog.DiscardHandler)
	source, found, state := project.NewSource(f.dir, time.Now), connector.NewRegistry(nil), store.NewLazy(project.StateFolder(f.dir).Database())
	snapshots, background := catalog.NewSet(project.StateFolder(f.dir).Catalog()), daemon.New(string(project.StateFolder(f.dir)))
	trusted := cmdtrust.Services{
		Project: source, Connectors: found,
		Trust: trust.New(trust.Config{Dir: f.dir, File: filepath.Join(t.TempDir(), "trust.json"), Now: time.Now}),
	}
	keys := foreignkey.NewSet(f.decisions)
	decided := review.New(review.Config{
		Keys: keys, Now: time.Now, Lock: func(ctx context.Context) (func() error, error) { return project.Lock(ctx, f.dir) },
	})
	sources := layer.New(layer.Config{Dir: project.SemanticPath(f.dir), Cache: project.StateFolder(f.dir).SemanticCache(), Catalogs: snapshots, Keys: keys, Logger: log})
	index := indexer.New(indexer.Config{
		Dir: project.StateFolder(f.dir).Index(), Connections: source.Connections, Catalogs: snapshots, Semantic: sources, Wiki: pages, Logger: log,
	})
	warehouses := warehouse.New(source.Connections, uninstalled{}, log)
	semantic := semanticquery.New(semanticquery.Config{
		Warehouses: warehouses, Layer: sources, Now: time.Now,
	})
	discovered := discover.New(discover.Config{
		Warehouses: warehouses, Catalogs: snapshots,
		Index: index, Wiki: pages, Keys: keys, Logger: log, Now: time.Now,
	})
	checked := health.New(health.Config{
		Version: "1.2.3", Endpoint: transport.Endpoint, Project: source, State: state, Catalogs: snapshots, Review: decided, Layer: sources, Semantic: semantic, Wiki: pages,
		DeadSLRefs: discovered.DeadSLRefs, Index: index, Memory: memory.New(memory.Config{Store: state, Engine: change.New(change.Config{Dir: f.dir, Store: state})}), Trust: trusted.Trust, Daemon: background, Agents: func() (*agents.Agents, error) { return f.agents() },
		Test: func(context.Context, connection.Connection, func(sdk.TestStep)) error {
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector none is not installed").WithHint("install it")
		},
		Connections: source.Connections, Describe: uninstalled{}.Describe,
		Known: func(context.Context, connection.Connection) (connection.State, error) { return connection.State{}, nil },
	})
	t.Cleanup(func() {
		if err := errors.Join(index.Close(), state.Close()); err != nil {
			t.Error(err)
		}
	})
	f.services = &Services{
		Catalog: cmdcatalog.Services{
			Project: source, Catalogs: snapshots, Review: decided,
			Dialect: func(context.Context, connection.Connection) *dialect.Dialect { return nil },
		},
		Query:  cmdquery.Services{Project: source, Catalogs: snapshots, Semantic: semantic},
		Search: search.Services{Discover: discovered, Wiki: pages, CheckWiki: checked.CheckWiki},
		MCP: mcp.Services{
			Project: source, Daemon: background, State: state, Health: checked, Usage: usage.New(usage.Config{State: state, Settings: defaults, Now: time.Now}), Trust: &trusted,
			Agents: func() (*agents.Agents, error) { return f.agents() },
		},
		Trust: trusted,
		Project: cmdproject.Services{
			Project: source, Connectors: found, Catalogs: snapshots, Health: checked, Trust: &trusted,
		},
		Close: func(context.Context) error { return nil },
	}
	return f
}

func (f *folder) decisions(id connection.ID) string { return project.DecisionsPath(f.dir, string(id)) }

// defaults are the settings of a history that is not configured.
func defaults(context.Context) (history.Settings, error) { return history.Default(), nil }

// uninstalled knows no connector.
type uninstalled struct{}

func (uninstalled) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "not installed")
}

func (uninstalled) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *folder) put(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// scan commits a snapshot that was made three hours ago.
func (f *folder) scan(t *testing.T, id, syncID string, fill func(*catalog.Writer) error, warnings ...sdk.Warning) {
	t.Helper()
	f.commit(t, id, catalog.Identity{
		SyncID: syncID, ExtractedAt: time.Now().Add(-3*time.Hour - time.Minute), Mode: catalog.Enriched,
		Coverage: catalog.Coverage{SampledRows: 10_000, ValuesPerColumn: 1000, Warnings: warnings},
	}, fill)
}

func (f *folder) commit(t *testing.T, id string, as catalog.Identity, fill func(*catalog.Writer) error) {
	t.Helper()
	w, err := f.services.Catalog.Catalogs.Of(id).Begin(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), as); err != nil {
		t.Fatal(err)
	}
}

// loam runs a command on the project.
func (f *folder) loam(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	program := Program{Version: "1.2.3", Open: func(context.Context, string, *slog.Logger) (*Services, error) { return f.services, nil }}
	code = Run(t.Context(), program, args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// changing is what is not the same in every run, or with every version of a
// library: moments, digests, what exactly is broken of a damaged file.
var changing = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?( UTC|Z)`), "MOMENT"},
	{regexp.MustCompile(`MOMENT by [^\s:]+`), "MOMENT by SOMEBODY"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b|\b[0-9a-f]{11}…`), "DIGEST"},
	{regexp.MustCompile(`the file is damaged.*`), "the file is damaged"},
}

// session runs commands and compares what a person sees with
// testdata/<name>.txt: each command with its output, its errors and, unless it
// is 0, its exit code.
func (f *folder) session(t *testing.T, name string, commands ...[]string) {
	t.Helper()
	var got strings.Builder
	for _, args := range commands {
		shell := make([]string, len(args))
		for i, arg := range args {
			shell[i] = text.ShellWord(arg)
		}
		fmt.Fprintf(&got, "$ loam %s\n", strings.Join(shell, " "))
		code, stdout, stderr := f.loam(t, args...)
		got.WriteString(stdout)
		for line := range strings.Lines(stderr) {
			got.WriteString("! " + line)
		}
		if code != 0 {
			fmt.Fprintf(&got, "exit %d\n", code)
		}
		got.WriteString("\n")
	}
	text := strings.ReplaceAll(got.String(), f.dir, "PROJECT")
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.instead)
	}
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("%s (-want +got), -update accepts:\n%s", path, diff)
	}
}

func words(line string) []string { return strings.Fields(line) }

func ref(name string) sdk.TableRef { return sdk.TableRef{Schema: "main", Name: name} }

func column(name, native string, typ sdk.Type) sdk.Column {
	return sdk.Column{Name: name, NativeType: native, Type: typ, Nullable: true}
}

// shop is a snapshot's content: orders refer to customers by a declared key and
// to regions by an inferred one.
func shop(w *catalog.Writer) error {
	id := sdk.Column{Name: "id", NativeType: "INTEGER", Type: sdk.TypeInt64}
	status := column("status", "TEXT", sdk.TypeText)
	status.Comment, status.Default = "where the order stands", "'pending'"
	primary := sdk.Key{Kind: sdk.KeyPrimary, Columns: []string{"id"}, Enforced: true}
	orders := &sdk.Table{
		TableRef: ref("orders"), Kind: sdk.TableBase, Comment: "one row per order", RowEstimate: 6000, ByteEstimate: -1,
		Columns: []sdk.Column{id, column("customer_id", "INTEGER", sdk.TypeInt64), column("region", "INTEGER", sdk.TypeInt64), status},
		Keys: []sdk.Key{primary, {
			Kind: sdk.KeyForeign, Name: "orders_customer", Columns: []string{"customer_id"},
			Ref: sdk.TableRef{Name: "customers"}, RefColumns: []string{"id"},
		}},
	}
	customers := &sdk.Table{
		TableRef: ref("customers"), Kind: sdk.TableBase, RowEstimate: 900, ByteEstimate: 1 << 16,
		Columns: []sdk.Column{id, column("email", "TEXT", sdk.TypeText)}, Keys: []sdk.Key{primary},
	}
	regions := &sdk.Table{TableRef: ref("regions"), Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: -1, Columns: []sdk.Column{id}, Keys: []sdk.Key{primary}}
	totals := &sdk.Table{
		TableRef: ref("order_totals"), Kind: sdk.TableView, RowEstimate: -1, ByteEstimate: -1,
		Columns: []sdk.Column{column("order_id", "", sdk.TypeInt64)}, Definition: "SELECT id AS order_id\nFROM orders",
	}
	for _, t := range []*sdk.Table{orders, customers, regions, totals} {
		if err := w.Table(t); err != nil {
			return err
		}
	}
	low, high := "1", "6000"
	at := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	if err := w.Profile(orders.TableRef, &catalog.Profile{At: at, Stats: []sdk.ColumnStats{
		{Column: "id", Rows: 6000, Complete: true, Distinct: 6000, Min: &low, Max: &high, Quantiles: []string{"1500", "3000", "4500"}, MinLength: -1, MaxLength: -1},
		{Column: "region", Rows: 1000, Distinct: 12, DistinctApprox: true, MinLength: -1, MaxLength: -1, Values: []string{"3", "1"}, Counts: []int64{200, 100}},
		{
			Column: "status", Rows: 6000, Complete: true, Distinct: 3, MinLength: 4, MaxLength: 9, AvgLength: 6.5,
			Values: []string{"shipped", "paid", "on hold"}, Counts: []int64{4000, 1500, 500}, ValuesComplete: true,
		},
	}}); err != nil {
		return err
	}
	if err := w.Profile(customers.TableRef, &catalog.Profile{At: at, Stats: []sdk.ColumnStats{
		{Column: "email", Rows: 900, Complete: true, Nulls: 36, Distinct: 864, MinLength: 10, MaxLength: 30},
	}, Withheld: []catalog.Withheld{{Column: "email", Reason: "its name looks like that of an e-mail address"}}}); err != nil {
		return err
	}
	found := relationship.Result{Relationships: []relationship.Relationship{{
		Link:   relationship.Link{From: ref("orders"), Columns: []string{"region"}, To: ref("regions"), ToColumns: []string{"id"}},
		Origin: relationship.Inferred, Status: relationship.Review, Score: 0.71,
		Evidence: relationship.Evidence{Name: 0.9, Key: 1, Containment: 0.9, Surprise: -1, Coverage: 1, Checked: 12, Missing: 1, ValidatedAt: at, Reason: "some values are not in the table it would refer to"},
	}}, Refuted: []relationship.Relationship{{
		Link:   relationship.Link{From: ref("orders"), Columns: []string{"status"}, To: ref("customers"), ToColumns: []string{"email"}},
		Origin: relationship.Inferred, Status: relationship.Rejected, Score: 0.3,
		Evidence: relationship.Evidence{Name: 0.2, Key: 1, Containment: 0, Surprise: -1, Coverage: -1, Checked: 3, Missing: 3, ValidatedAt: at, Reason: "most values are not in the table it would refer to"},
	}}}
	attached, err := found.Encode()
	w.Attach(attached)
	return err
}

// changedShop is what a later scan found: a column more, a type that changed, a
// key less, a table more and one less.
func changedShop(w *catalog.Writer) error {
	id := sdk.Column{Name: "id", NativeType: "INTEGER", Type: sdk.TypeInt64}
	status := column("status", "VARCHAR(20)", sdk.TypeText)
	status.Comment, status.Default = "where the order stands", "'pending'"
	for _, t := range []*sdk.Table{
		{
			TableRef: ref("orders"), Kind: sdk.TableBase, Comment: "one row per order and currency", RowEstimate: 7000, ByteEstimate: -1,
			Columns: []sdk.Column{id, column("customer_id", "INTEGER", sdk.TypeInt64), status, column("coupon", "TEXT", sdk.TypeText)},
			Keys:    []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}, Enforced: true}},
		},
		{TableRef: ref("customers"), Kind: sdk.TableBase, RowEstimate: 901, ByteEstimate: 1 << 16, Columns: []sdk.Column{id, column("email", "TEXT", sdk.TypeText)}, Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}, Enforced: true}}},
		{TableRef: ref("coupons"), Kind: sdk.TableBase, RowEstimate: 3, ByteEstimate: -1, Columns: []sdk.Column{id}},
		{TableRef: ref("order_totals"), Kind: sdk.TableView, RowEstimate: -1, ByteEstimate: -1, Columns: []sdk.Column{column("order_id", "", sdk.TypeInt64)}, Definition: "SELECT id AS order_id\nFROM orders"},
	} {
		if err := w.Table(t); err != nil {
			return err
		}
	}
	return nil
}

func (uninstalled) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "not installed")
}
