package console

import (
	"database/sql"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var full = flag.Bool("console.full", false, "TestFigures with 100,000 tables and 50 people, as make bench-console does")

// The most bytes of a page and of all assets, and the most memory of 50 people at once.
const (
	maxPage, maxAssets = 60 << 10, 32 << 10
	maxGrowth          = 40 << 20
)

// amounts are how much a project has.
type amounts struct{ changes, calls, tables, people, repeats int }

const consoleSecret = "the-token-of-the-console-0123456789"

// bigProject is a project with much of everything. Changes and calls are written into the state store, the catalogue is
// scanned.
func bigProject(t *testing.T, n amounts) string {
	t.Helper()
	dir := project(t)
	exec := func(name string, statements ...string) {
		db, err := sql.Open("sqlite", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		for _, s := range statements {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%.200s: %v", s, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	numbers := func(most int) string {
		return fmt.Sprintf("WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i WHERE k < %d) ", most)
	}
	exec(".loam/state.db", "PRAGMA synchronous = off", "BEGIN",
		"INSERT INTO memory_change (id, run, seq, kind, connection, target, path, source, actor, signature, state, version, created_at, applied_at, undoes, problem, before_hash, after_hash, proposal, proposed_by) "+
			numbers(n.changes)+"SELECT printf('%010x', k * 7919), run, k, kind, connection, target || '_' || k, path, 'source ' || (k % 50), 'agent ' || (k % 20), randomblob(32), 'pending', 1, created_at + k, NULL, '', '', before_hash, after_hash, proposal, proposed_by "+
			"FROM i, (SELECT * FROM memory_change WHERE kind = 'measure' AND state = 'pending' LIMIT 1)",
		"INSERT INTO tool_call (request, started_at, duration, tool, connection, outcome, incident, rows, bytes, client, client_version, transport, principal, session, arguments, arguments_bytes) "+
			numbers(n.calls)+fmt.Sprintf("SELECT 'R' || k, %d + k * 600, 1000000 * (k %% 700), CASE k %% 3 WHEN 0 THEN 'sql_execution' WHEN 1 THEN 'discover_data' ELSE 'sl_query' END, 'shop', "+
			"CASE k %% 11 WHEN 0 THEN 'timeout' ELSE 'ok' END, '', 5, 1000, 'client ' || (k %% 30), '1', 'http', '', 's', '{\"sql\":\"select ' || k || '\"}', 20 FROM i", time.Now().Add(-24*time.Hour).UnixMilli()),
		"COMMIT")
	// CREATE TABLE reads the whole schema: 100,000 of them take an hour. All of these tables share their rows.
	exec("data/big.db", "CREATE TABLE fact_000000 (id INTEGER PRIMARY KEY, customer_id INTEGER, amount NUMERIC, created_at TEXT)", "PRAGMA writable_schema = on",
		"INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) "+numbers(n.tables-1)+"SELECT 'table', printf('fact_%06d', k), printf('fact_%06d', k), rootpage, "+
			"replace(sql, 'fact_000000', printf('fact_%06d', k)) FROM i, (SELECT rootpage, sql FROM sqlite_schema)", "PRAGMA writable_schema = reset")
	settings := strings.Replace(read(t, dir, "loam.yaml"), "connections:\n", "console: {token: 'env:LOAM_CONSOLE_TOKEN'}\nconnections:\n  big: {connector: sqlite, config: {path: data/big.db}, scan: {mode: structural}}\n", 1)
	write(t, dir, "loam.yaml", settings)
	loam(t, dir, "scan", "big")
	return dir
}

// Pages stay small however much there is. With -console.full the times of first bytes and the memory of 50 people are
// printed; no time fails the test.
func TestFigures(t *testing.T) {
	n := amounts{changes: 10_000, calls: 20_000, tables: 1_000, people: 10, repeats: 10}
	switch {
	case *full:
		n = amounts{changes: 10_000, calls: 100_000, tables: 100_000, people: 50, repeats: 200}
	case testing.Short():
		t.Skip("-short: pages of 10,000 waiting changes, 20,000 calls and 1,000 tables")
	}
	t.Setenv("LOAM_CONSOLE_TOKEN", consoleSecret)
	dir := bigProject(t, n)
	waiting := n.changes
	if source, err := prepared(); err == nil {
		waiting += len(changes(t, source, "pending"))
	}
	s := open(t, dir, "0")
	before := resident(t, s.pid)
	p := s.withToken(t, "Ada")

	var inbox struct{ Pager struct{ Total, Shown int } }
	if p.document("/console/?state=pending", &inbox); inbox.Pager.Total != waiting || inbox.Pager.Shown > 200 {
		t.Errorf("the inbox: %+v, want %d in all", inbox, waiting)
	}
	var calls struct{ Pager struct{ Total, Shown int } }
	if p.document("/console/history?show=calls", &calls); calls.Pager.Shown == 0 || calls.Pager.Shown > 200 {
		t.Errorf("the history: %+v", calls)
	}
	pages := []string{
		"/console/", "/console/?state=pending&group=run", "/console/?state=pending&source=source+7", "/console/change/" + fmt.Sprintf("%010x", 7919*77),
		"/console/history", "/console/history?show=calls&outcome=timeout", "/console/catalog", "/console/catalog/big", "/console/catalog/big?q=fact_0009", "/console/catalog/big/table/main.fact_000500",
		"/console/semantic", "/console/semantic/big", "/console/wiki", "/console/search?q=fact", "/console/health", "/console/query", "/console/queries",
	}
	for _, start := range []string{"/console/?state=pending", "/console/history", "/console/catalog/big"} {
		if next := nextPage.FindStringSubmatch(p.get(start).body); next != nil {
			pages = append(pages, strings.ReplaceAll(next[1], "&amp;", "&"))
		} else {
			t.Errorf("%s has no further page", start)
		}
	}
	for _, path := range pages {
		a := p.get(path)
		if a.status != http.StatusOK || len(a.body) > maxPage {
			t.Errorf("%s: %d, %d bytes, the most is %d", path, a.status, len(a.body), maxPage)
		}
		took := p.firstBytes(path, n.repeats)
		t.Logf("%-50s %6d bytes, first byte p50 %5.1f ms, p95 %5.1f ms", tail(path, 50), len(a.body), ms(took[len(took)/2]), ms(took[len(took)*95/100]))
	}
	assets := 0
	for _, m := range assetLink.FindAllStringSubmatch(p.get("/console/").body, -1) {
		a := p.get(m[1])
		assets += len(a.body)
		if a.status != http.StatusOK || !strings.Contains(a.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d, %s", m[1], a.status, a.header.Get("Cache-Control"))
		}
	}
	if assets == 0 || assets > maxAssets {
		t.Errorf("the assets have %d bytes, the most is %d", assets, maxAssets)
	}
	one := resident(t, s.pid)
	crowd(t, s, n.people, pages)
	after := resident(t, s.pid)
	t.Logf("resident: %.1f MiB before the first page, %.1f after one person, %.1f after %d at once; assets %d bytes", mib(before), mib(one), mib(after), n.people, assets)
	if *full && after-one > maxGrowth {
		t.Errorf("%d people took %.1f MiB more", n.people, mib(after-one))
	}
}

var (
	nextPage  = regexp.MustCompile(`rel="next" href="([^"]+)"`)
	assetLink = regexp.MustCompile(`(?:href|src)="(/console/asset/[^"]+)"`)
)

// withToken signs in with the console's token.
func (s *site) withToken(t testing.TB, name string) *person {
	t.Helper()
	p := s.stranger(t)
	if a := p.send(http.MethodPost, "/console/login", url.Values{"secret": {consoleSecret}, "name": {name}}); a.status != http.StatusSeeOther {
		t.Fatalf("the login: %d %.300s", a.status, a.body)
	}
	return p
}

// firstBytes returns the sorted times until the first byte of a page; fewer than repeats of a page that takes long.
func (p *person) firstBytes(path string, repeats int) []time.Duration {
	p.t.Helper()
	took := make([]time.Duration, 0, repeats)
	for began := time.Now(); len(took) < repeats && (len(took) < 10 || time.Since(began) < 3*time.Second); {
		var first time.Duration
		p.send(http.MethodGet, path, nil, func(r *http.Request) {
			var wrote time.Time
			trace := &httptrace.ClientTrace{
				WroteRequest:         func(httptrace.WroteRequestInfo) { wrote = time.Now() },
				GotFirstResponseByte: func() { first = time.Since(wrote) },
			}
			*r = *r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
		})
		took = append(took, first)
	}
	slices.Sort(took)
	return took
}

// crowd has people look at pages at once.
func crowd(t *testing.T, s *site, people int, pages []string) {
	t.Helper()
	var all sync.WaitGroup
	for i := range people {
		p := s.withToken(t, fmt.Sprintf("Person %d", i))
		all.Go(func() {
			for _, path := range pages {
				if a, err := p.try(http.MethodGet, path, nil); err != nil || a.status != http.StatusOK {
					t.Errorf("person %d: %s: %d, %v", i, path, a.status, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// resident is the memory of a process; 0 where /proc does not say it.
func resident(t testing.TB, pid int) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
