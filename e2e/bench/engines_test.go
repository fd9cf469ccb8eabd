package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
)

// engines are the configurations of one connection per connector, to a real
// server or file; a missing server skips its benchmark.
var engines = map[string]func(testing.TB) map[string]any{
	"sqlite": func(b testing.TB) map[string]any {
		_, dir := product(b)
		return map[string]any{"path": filepath.Join(dir, "data", "shop.db")}
	},
	"postgres": func(b testing.TB) map[string]any {
		db := testserver.Postgres(b).Database(b, "")
		return map[string]any{
			"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.PostgresReader,
			"password": testserver.PostgresPassword, "sslrootcert": db.CAFile,
		}
	},
	"mysql": func(b testing.TB) map[string]any {
		db := testserver.MariaDB(b).Database(b, "")
		return map[string]any{
			"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.MariaDBReader,
			"password": testserver.MariaDBPassword, "sslrootcert": db.CAFile,
		}
	},
	"clickhouse": func(b testing.TB) map[string]any {
		db := testserver.ClickHouse18(b).Database(b)
		return map[string]any{
			"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.ClickHouseReader,
			"password": testserver.ClickHousePassword,
		}
	},
	"duckdb": func(b testing.TB) map[string]any {
		folder := b.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "regions.csv"), []byte("id,name\n1,North\n2,South\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		return map[string]any{"folders": []string{folder}}
	},
}

// envSecret is where the password of a connection is.
const envSecret = "LOAM_BENCH_SECRET"

// BenchmarkConnectorStart measures, for each connector, the first answer of a
// connection that was not open: the program starts, connects, looks at the
// account and runs a statement; by itself, and through the product, where the
// host checks the program's sum first. Then what the idle program holds in memory.
func BenchmarkConnectorStart(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		b.Run(name, func(b *testing.B) { connectorStart(b, name, engines[name](b)) })
	}
}

func connectorStart(b *testing.B, name string, config map[string]any) {
	b.Setenv("LOAM_TRUST", "1")
	binary, _ := product(b)
	program := filepath.Join(filepath.Dir(binary), "loam-connector-"+name)
	if password, ok := config["password"]; ok {
		b.Setenv(envSecret, password.(string))
		config["password"] = "env:" + envSecret
	}
	alone, err := json.Marshal(config)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	yaml, err := json.Marshal(map[string]any{"version": 1, "connections": map[string]any{"shop": map[string]any{"connector": name, "config": config}}})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), yaml, 0o600); err != nil { // JSON is YAML
		b.Fatal(err)
	}
	params := toolCall("SELECT 1 AS n", 100)
	var took, itself []time.Duration
	var rss int
	for b.Loop() {
		itself = append(itself, timed(func() {
			if out, err := exec.Command(program, "query", "--config", string(alone), "SELECT 1 AS n").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}))
		p := open(b, binary, dir)
		took = append(took, timed(func() { mustAnswer(b, p.call(b, "tools/call", params)) }))
		mustAnswer(b, p.call(b, "tools/call", params))
		rss = resident(b, child(b, p.cmd.Process.Pid, name))
		p.close()
	}
	b.ReportMetric(float64(median(itself).Microseconds())/1000, "ms-alone-p50")
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-product-p50")
	b.ReportMetric(float64(rss)/1024, "MiB-resident")
	size, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(size.Size())/1e6, "MB-binary")
}

// child returns the connector that a host started.
func child(b testing.TB, host int, name string) int {
	b.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", host))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range lists {
		list, err := os.ReadFile(path)
		if err != nil {
			continue // a thread that ended
		}
		for _, text := range strings.Fields(string(list)) {
			command, err := os.ReadFile("/proc/" + text + "/cmdline")
			if err != nil || !strings.Contains(string(command), "loam-connector-"+name) {
				continue
			}
			pid, err := strconv.Atoi(text)
			if err != nil {
				b.Fatal(err)
			}
			return pid
		}
	}
	b.Skipf("no child of process %d is the connector: no /proc here?", host)
	return 0
}
