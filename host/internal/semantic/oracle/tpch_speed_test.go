package oracle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle/tpch"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

var (
	speed        = flag.String("tpch.speed", "", "engines on which statements are timed beside the standard SQL of TPC-H, separated by commas")
	speedRounds  = flag.Int("tpch.rounds", 5, "how often each statement is timed")
	speedQueries = flag.String("tpch.queries", "", "the queries that are timed, separated by commas; all where empty")
)

// statistics are what engines plan with, taken as someone does who minds the time.
var statistics = map[string]string{
	"sqlite": "ANALYZE", "duckdb": "ANALYZE", "postgres": "ANALYZE",
	"mariadb": "ANALYZE TABLE lineitem, orders, customer, part, supplier, partsupp, nation, region",
}

// How long compiled statements take beside the standard SQL, in one run: the best of
// some rounds of each, in turn. Of an engine in this process, and of ClickHouse, it is the
// processor's time, which other programs change little. make bench-tpch asks; nothing is asserted.
func TestBenchmarkSpeed(t *testing.T) {
	if *speed == "" {
		t.Skip("-tpch.speed names no engine: make bench-tpch times them")
	}
	b := loadBenchmark(t)
	measured := &measurement{Scale: *scale, Dates: map[string]string{}, Engines: map[string]speeds{}}
	if last, err := lastMeasurement(); err == nil && last.Scale == *scale {
		measured = last // what is not measured now stays
	}
	tables := tpch.Generate(*scale, *seed)
	for _, name := range strings.Split(*speed, ",") {
		t.Run(name, func(t *testing.T) {
			db := engines[name](t)
			db.declares = db.keys
			world := b.world(t, db, tables)
			m := world.Model(db.dialect)
			db.table = strings.Replace(db.table, "ENGINE = MEMORY", "ENGINE = InnoDB", 1)
			if err := db.loadFiles(t.Context(), world, t.TempDir()); err != nil {
				t.Fatal(err)
			}
			if db.keys {
				if err := db.exec(t.Context(), benchmarkIndexes...); err != nil {
					t.Fatal(err)
				}
			}
			if sql := statistics[name]; sql != "" {
				if err := db.exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			took := speeds{}
			for _, q := range b.Queries {
				if *speedQueries != "" && !slices.Contains(strings.Split(*speedQueries, ","), q.ID) {
					continue
				}
				raw, standard := q.forms(t, db)
				r, _, err := request.Normalise(json.RawMessage(raw))
				if err != nil {
					t.Fatal(err)
				}
				compiled, err := compile.Compile(m, db.dialect, r, compile.Options{})
				if err != nil {
					t.Fatal(err)
				}
				a, s := fastest(t, db, compiled.SQL, standard)
				ratio := a.Seconds() / s.Seconds()
				took[q.ID] = math.Round(ratio*100) / 100
				t.Logf("%-4s %5.2f  compiled %8.1f ms, standard %8.1f ms", q.ID, ratio, a.Seconds()*1000, s.Seconds()*1000)
				if ratio > 1.5 {
					t.Logf("%s", compiled.SQL)
				}
			}
			t.Logf("%s at scale %v: geometric mean %.2f, worst %.2f, %d queries", name, *scale, took.mean(), slices.Max(slices.Collect(maps.Values(took))), len(took))
			engine, _, _ := strings.Cut(name, "-")
			measured.Engines[engine], measured.Dates[engine] = took, time.Now().Format(time.DateOnly)
		})
	}
	if *update && *speedQueries == "" && !t.Failed() {
		if err := measured.write(); err != nil {
			t.Fatal(err)
		}
	}
}

// speeds are times of compiled statements by query, those of the standard SQL being 1.
type speeds map[string]float64

// mean is the geometric one.
func (s speeds) mean() float64 {
	sum := 0.0
	for _, ratio := range s {
		sum += math.Log(ratio)
	}
	return math.Exp(sum / float64(len(s)))
}

// measurement is the last run on each engine.
type measurement struct {
	Scale   float64
	Dates   map[string]string // by engine
	Engines map[string]speeds
}

var measurementPath = filepath.Join("tpch", "testdata", "speed.json")

func lastMeasurement() (*measurement, error) {
	text, err := os.ReadFile(measurementPath)
	if err != nil {
		return nil, err
	}
	m := &measurement{}
	return m, json.Unmarshal(text, m)
}

func (m *measurement) write() error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(measurementPath, append(text, '\n'), 0o644)
}

// days are the engines, each with the day of its run.
func (m *measurement) days() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m.Dates)) {
		all = append(all, name+" on "+m.Dates[name])
	}
	return strings.Join(all, ", ")
}

// table is the ratios by query and engine.
func (m *measurement) table(queries []benchmarkQuery) string {
	var out strings.Builder
	engines := slices.Sorted(maps.Keys(m.Engines))
	fmt.Fprintf(&out, "| query | %s |\n|---|%s\n", strings.Join(engines, " | "), strings.Repeat("---|", len(engines)))
	row := func(id string, of func(speeds) float64) {
		out.WriteString("| " + id)
		for _, name := range engines {
			fmt.Fprintf(&out, " | %.2f", of(m.Engines[name]))
		}
		out.WriteString(" |\n")
	}
	for _, q := range queries {
		row(q.ID, func(s speeds) float64 { return s[q.ID] })
	}
	row("geometric mean", speeds.mean)
	return out.String()
}

// fastest are the best times of two statements that are run in turn: of the processor
// where the engine tells it, else on the clock.
func fastest(t *testing.T, db *engine, statements ...string) (a, b time.Duration) {
	t.Helper()
	started := time.Now()
	clock := func() time.Duration { return time.Since(started) }
	switch {
	case db.inside:
		clock = func() time.Duration { return processorTime(t) }
	case db.used != nil:
		clock = func() time.Duration {
			used, err := db.used(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return used
		}
	}
	took := func(run func()) time.Duration {
		before := clock()
		run()
		return clock() - before
	}
	asking := took(func() {}) // a server that tells its processor time uses some for that
	for range 5 {
		asking = min(asking, took(func() {}))
	}
	best := make([]time.Duration, len(statements))
	for round := range *speedRounds {
		for i, sql := range statements {
			now := took(func() {
				if _, err := db.ask(t.Context(), sql); err != nil {
					t.Fatalf("%v\n%s", err, sql)
				}
			}) - asking
			if round == 0 || now < best[i] {
				best[i] = now
			}
		}
		if best[0]+best[1] > 4*time.Second && round >= 1 {
			break
		}
	}
	return best[0], best[1]
}
