package finding_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/demo"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/relationship/corpus"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/oracle/tpch"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// messy are the warehouses without declared keys, by their place in the corpus.
var messy = map[connection.ID]int{"star": 0, "sap": 1, "german": 2, "japanese": 3, "chance": 7, "archive": 8, "mixed": 9}

// project is the sample project, scanned by its connector, and warehouses of the corpus of
// relationships, whose keys were inferred.
type project struct {
	*finding.Service
	dir         string
	catalogs    *catalog.Set
	connections []connection.Connection
	dialects    map[connection.ID][]dialect.Dialect
	sqlite      sdk.Description
	sessions    map[connection.ID]sdk.Session
	semantic    *semanticquery.Service
	uses        []history.Use
	read        int // of the history
}

var (
	sample     *project
	sampleErr  error
	sampleOnce sync.Once
	sampleDir  string
)

// open returns the project, which tests share and do not change.
func open(t testing.TB) *project {
	t.Helper()
	sampleOnce.Do(func() {
		if sampleDir, sampleErr = os.MkdirTemp("", "finding"); sampleErr == nil {
			sample, sampleErr = build(context.Background(), sampleDir)
		}
	})
	if sampleErr != nil {
		t.Fatal(sampleErr)
	}
	return sample
}

func build(ctx context.Context, dir string) (*project, error) {
	if _, err := demo.Build(ctx, dir, write); err != nil {
		return nil, err
	}
	p := &project{dir: dir, dialects: map[connection.ID][]dialect.Dialect{}, sessions: map[connection.ID]sdk.Session{}, uses: recorded}
	plugin := sqlite.Connector()
	p.sqlite = plugin.Describe()
	if err := write(ctx, filepath.Join(dir, "data", "tpch.db"), benchmark()); err != nil {
		return nil, err
	}
	for _, id := range []connection.ID{"shop", "crm", "tpch"} {
		config := map[string]any{"path": filepath.Join(dir, "data", string(id)+".db")}
		c := connection.Connection{ID: id, Connector: "sqlite", Config: config}
		if id == "shop" {
			c.Scan.WithholdValues = []string{"customers.name"}
		}
		p.connections, p.dialects[id] = append(p.connections, c), p.sqlite.Dialects
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		if p.sessions[id], err = plugin.Open(ctx, sdk.OpenRequest{ConnectionID: string(id), Config: sdk.Config{JSON: text}}); err != nil {
			return nil, err
		}
	}
	postgres, err := recordedDialects("postgres")
	if err != nil {
		return nil, err
	}
	for id := range messy {
		p.connections, p.dialects[id] = append(p.connections, connection.Connection{ID: id, Connector: "postgres"}), postgres
	}
	p.serve()
	return p, p.scan(ctx)
}

// benchmark yields the statements that make the tables of TPC-H, without keys.
func benchmark() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range tpch.Generate(0.001, 1) {
			var columns []string
			for _, c := range t.Columns {
				columns = append(columns, c.Name+" "+c.Type)
			}
			if !yield("CREATE TABLE " + t.Name + " (" + strings.Join(columns, ", ") + ")") {
				return
			}
			for _, row := range t.Rows {
				var values []string
				for _, v := range row {
					values = append(values, "'"+strings.ReplaceAll(fmt.Sprint(v), "'", "''")+"'")
				}
				if !yield("INSERT INTO " + t.Name + " VALUES (" + strings.Join(values, ", ") + ")") {
					return
				}
			}
		}
	}
}

func recordedDialects(engine string) (all []dialect.Dialect, err error) {
	content, err := os.ReadFile("../../../sdk/dialect/testdata/" + engine + ".json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, err
	}
	return all[len(all)-1:], nil
}

// write makes a database of the sample.
func write(ctx context.Context, path string, statements iter.Seq[string]) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// serve makes the services of the project.
func (p *project) serve() {
	log := slog.New(slog.DiscardHandler)
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) { return connection.New(p.connections) }, p, log)
	p.catalogs = catalog.NewSet(filepath.Join(p.dir, "catalog"))
	keys := foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(p.dir, string(id)+".json") })
	sources := layer.New(layer.Config{Dir: filepath.Join(p.dir, "semantic-layer"), Cache: filepath.Join(p.dir, "cache"), Catalogs: p.catalogs, Keys: keys, Logger: log})
	p.semantic = semanticquery.New(semanticquery.Config{
		Warehouses: warehouses, Layer: sources, Query: query.New(warehouses, "project"), Now: func() time.Time { return now },
	})
	p.Service = finding.New(finding.Config{
		Warehouses: warehouses, Catalogs: p.catalogs, Keys: keys, Layer: sources, Logger: log, Now: func() time.Time { return now },
		Uses: func(context.Context) ([]history.Use, error) {
			p.read++
			return p.uses, nil
		},
		Try: func(ctx context.Context, id connection.ID, request json.RawMessage) error {
			_, err := p.semantic.Compile(ctx, semanticquery.Request{Connection: id, Body: request})
			return err
		},
	})
}

// scan fills the catalogs.
func (p *project) scan(ctx context.Context) error {
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) { return connection.New(p.connections) }, p, slog.New(slog.DiscardHandler))
	service := scan.New(scan.Config{
		Warehouses: warehouses, Catalogs: p.catalogs, Index: p, Decisions: func(id connection.ID) string { return filepath.Join(p.dir, string(id)+".json") },
		Tags: query.New(warehouses, "project").Tags, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	})
	for id, session := range p.sessions {
		if _, err := service.Run(ctx, scan.Request{Connection: id}); err != nil {
			return err
		}
		if err := session.Close(ctx); err != nil {
			return err
		}
	}
	all := corpus.Warehouses(1)
	for id, at := range messy {
		if err := p.commit(ctx, id, all[at]); err != nil {
			return err
		}
	}
	return nil
}

// commit writes the snapshot of a warehouse of the corpus, with what is inferred of it.
func (p *project) commit(ctx context.Context, id connection.ID, w *corpus.Warehouse) error {
	request := w.Request()
	result, err := relationship.Infer(ctx, request)
	if err != nil {
		return err
	}
	attachment, err := result.Encode()
	if err != nil {
		return err
	}
	out, err := p.catalogs.Of(string(id)).Begin(ctx, true)
	if err != nil {
		return err
	}
	for t, err := range w.Request().Tables {
		if err != nil {
			return err
		}
		for i, c := range w.Tables[slices.IndexFunc(w.Tables, func(o *corpus.Table) bool { return o.TableRef == t.TableRef })].Columns {
			list(&t.Stats[i], c.Values)
		}
		t.Table.RowEstimate, t.Table.ByteEstimate = -1, -1
		if err := out.Table(t.Table); err != nil {
			return err
		}
		if err := out.Profile(t.TableRef, &catalog.Profile{At: now, Stats: t.Stats}); err != nil {
			return err
		}
	}
	out.Attach(attachment)
	_, err = out.Commit(ctx, catalog.Identity{SyncID: string(id), ScanRunID: string(id), ExtractedAt: now, Mode: catalog.Enriched,
		Coverage: catalog.Coverage{SampledRows: 100_000, ValuesPerColumn: 100, ProfiledAt: now}})
	return err
}

// list adds the values of a column as a scan keeps them: all, if they are few.
func list(stats *sdk.ColumnStats, values []string) {
	counts := map[string]int64{}
	for _, v := range values {
		if v != "" {
			counts[v]++
		}
	}
	if len(counts) > 100 {
		return
	}
	stats.Complete, stats.ValuesComplete = true, true
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		stats.Values, stats.Counts = append(stats.Values, v), append(stats.Counts, counts[v])
	}
}

func (p *project) Refresh(context.Context, func(sdk.Progress)) error { return nil }

func (p *project) Describe(c connection.Connection) (sdk.Description, error) {
	if c.Connector == "sqlite" {
		return p.sqlite, nil
	}
	return sdk.Description{Dialects: p.dialects[c.ID]}, nil
}

func (*project) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (p *project) Lease(_ context.Context, c connection.Connection) (sdk.Session, func(), error) {
	return p.sessions[c.ID], func() {}, nil
}

// codes returns the codes of findings, in their order.
func codes(all []finding.Finding) string {
	var names []string
	for _, f := range all {
		names = append(names, string(f.Code))
	}
	return strings.Join(names, " ")
}

// texts returns findings as they are shown.
func texts(all []finding.Finding) string {
	var lines []string
	for i, note := range finding.Notes(all) {
		lines = append(lines, string(all[i].Code)+": "+note)
	}
	return strings.Join(lines, "\n")
}

// recorded are the statements that the history has: most of those about prices ask for the
// valid ones, most of those about orders of the German warehouse leave drafts out.
var recorded = slices.Concat(
	used("shop",
		"SELECT avg(price_cents) FROM product_prices WHERE valid_to IS NULL",
		"SELECT max(price_cents) FROM product_prices WHERE valid_to IS NULL",
		"SELECT product_id, price_cents FROM product_prices WHERE valid_to IS NULL AND price_cents > ?",
		"SELECT p.name, c.price_cents FROM products p JOIN product_prices c ON c.product_id = p.id WHERE c.valid_to IS NULL",
		"SELECT count(*) FROM product_prices pp WHERE pp.valid_to IS NULL AND pp.price_cents BETWEEN ? AND ?",
		"SELECT product_id FROM product_prices WHERE price_cents = ? AND valid_to IS NULL LIMIT ?",
		"SELECT * FROM product_prices WHERE valid_from > ?",
		"SELECT p.sku, t.tag_id FROM products p JOIN product_tags t ON t.product_id = p.id"),
	used("german",
		"SELECT count(*) FROM vertrieb.auftraege WHERE status <> ?",
		"SELECT kunden_nr, count(*) FROM vertrieb.auftraege WHERE status <> ? GROUP BY kunden_nr",
		"SELECT a.auftrag_id FROM vertrieb.auftraege a WHERE a.status <> ? AND a.kunden_nr = ?",
		"SELECT max(auftrag_id) FROM vertrieb.auftraege WHERE NOT status IN (?, ?)",
		"SELECT min(auftrag_id) FROM vertrieb.auftraege WHERE status NOT IN (?, ?)",
		"SELECT status FROM vertrieb.auftraege WHERE status != ?"),
)

func used(id string, statements ...string) (all []history.Use) {
	for i, s := range statements {
		all = append(all, history.Use{Connection: id, Day: int64(20000 + i), SQL: s})
	}
	return all
}
