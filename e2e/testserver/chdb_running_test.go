package testserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// endless runs until it is ended, asleep for most of the time.
const endless = "SELECT count() FROM system.numbers WHERE sleep(0.02) = 1"

// chRunning waits until the statement with the id runs, or until it does not.
func chRunning(t *testing.T, s *testserver.ClickHouseServer, id string, want bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s runs: %v", id, want), func() bool {
		got := chCall{body: "SELECT count() FROM system.processes WHERE query_id = '" + id + "'"}.do(t, s)
		return got.body == map[bool]string{true: "1\n", false: "0\n"}[want]
	})
}

func TestClickHouseEndsAStatementByItsID(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	for _, mode := range []string{"ASYNC", "SYNC"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			id := "kill-" + mode
			var ended sync.WaitGroup
			ended.Go(func() {
				got := chCall{user: testserver.ClickHouseReader, query: "query_id=" + id, body: endless}.do(t, s)
				if got.code != "394" {
					t.Errorf("%d %s", got.status, got.body)
				}
			})
			chRunning(t, s, id, true)
			listed := chCall{body: "SELECT user, initial_query_id, query, read_rows > 0 FROM system.processes WHERE query_id = '" + id + "'"}.do(t, s)
			if want := testserver.ClickHouseReader + "\t" + id + "\t" + endless + "\t1\n"; listed.body != want {
				t.Errorf("processes %q, want %q", listed.body, want)
			}
			if shown := (chCall{query: "default_format=TSV", body: "SHOW PROCESSLIST"}).do(t, s); !strings.Contains(shown.body, id) {
				t.Errorf("SHOW PROCESSLIST: %s", shown.body)
			}
			if again := (chCall{query: "query_id=" + id, body: "SELECT 1"}).do(t, s); again.code != "216" {
				t.Errorf("the id twice: %s", again.body)
			}
			killed := chCall{body: "KILL QUERY WHERE query_id = '" + id + "' " + mode}.do(t, s)
			if killed.status != http.StatusOK {
				t.Error(killed.body)
			}
			ended.Wait()
			chRunning(t, s, id, false)
		})
	}
}

func TestClickHouseEndsWhatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	for name, c := range map[string]chCall{
		"before the first row": {query: "query_id=gone-1&readonly=1&cancel_http_readonly_queries_on_client_close=1", body: endless},
		"while rows come":      {query: "query_id=gone-2", body: "SELECT number FROM numbers(100000000000000)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL(testserver.ClickHouseAdmin, c.query), strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			var done sync.WaitGroup
			done.Go(func() {
				resp, err := http.DefaultClient.Do(req)
				if err == nil {
					_, err = resp.Body.Read(make([]byte, 1)) // some of it comes
					defer resp.Body.Close()
					<-ctx.Done()
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			id := req.URL.Query().Get("query_id")
			chRunning(t, s, id, true)
			cancel()
			done.Wait()
			chRunning(t, s, id, false)
		})
	}
}

func TestClickHouseLogsStatements(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t, "CREATE TABLE t (a Int32) ENGINE = Memory")
	in := "database=" + db.Name
	for _, c := range []chCall{
		{user: testserver.ClickHouseReader, query: in + "&query_id=log-1", body: "SELECT 'it''s',\n\t1 FROM numbers(5)"},
		{query: in + "&query_id=log-2&log_comment=note", body: "INSERT INTO t VALUES (1), (2)"},
		{user: testserver.ClickHouseReader, query: in + "&query_id=log-3", body: "DROP TABLE t"},
		{query: in + "&query_id=log-4&max_execution_time=1", body: endless},
	} {
		c.do(t, db.ClickHouseServer)
	}
	got := chCall{user: testserver.ClickHouseReader, body: `SELECT query_id, type, user, query_kind, current_database,
		read_rows > 0, written_rows, result_rows, exception_code, log_comment, query LIKE '%\n\t1%', normalized_query_hash > 0,
		query_duration_ms BETWEEN 0 AND 60000 FROM system.query_log
		WHERE query_id LIKE 'log-_' AND current_database = '` + db.Name + `' ORDER BY query_id`}.do(t, db.ClickHouseServer)
	want := "log-1\tQueryFinish\tloam_reader\tSelect\tDB\t1\t0\t5\t0\t\t1\t1\t1\n" +
		"log-2\tQueryFinish\tloam_admin\tInsert\tDB\t1\t2\t0\t0\tnote\t0\t1\t1\n" +
		"log-3\tExceptionBeforeStart\tloam_reader\tDrop\tDB\t0\t0\t0\t497\t\t0\t1\t1\n" +
		"log-4\tExceptionWhileProcessing\tloam_admin\tSelect\tDB\t0\t0\t0\t159\t\t0\t1\t1\n"
	if diff := gocmp.Diff(strings.ReplaceAll(want, "DB", db.Name), got.body); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestClickHouseRunsRequestsSideBySide(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	const n = 20
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			got := chCall{query: "max_threads=" + strconv.Itoa(i+1), body: "SELECT count(), getSetting('max_threads') FROM numbers(3000000) WHERE sipHash64(number) % 2 < 2"}.do(t, s)
			if want := fmt.Sprintf("3000000\t%d\n", i+1); got.body != want {
				t.Errorf("%q, want %q", got.body, want)
			}
		})
	}
	all.Wait()
	// They wait for each other: all run at once.
	for i := range n {
		all.Go(func() {
			id := fmt.Sprintf("beside-%d", i)
			if got := (chCall{query: "query_id=" + id, body: endless}).do(t, s); got.code != "394" {
				t.Errorf("%s: %s", id, got.body)
			}
		})
	}
	eventually(t, "20 statements run at once", func() bool {
		return chCall{body: "SELECT count() FROM system.processes WHERE startsWith(query_id, 'beside-')"}.do(t, s).body == "20\n"
	})
	if got := (chCall{body: "KILL QUERY WHERE startsWith(query_id, 'beside-') ASYNC FORMAT Null"}).do(t, s); got.status != http.StatusOK {
		t.Error(got.body)
	}
	all.Wait()
}

func TestClickHouseEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	if os.Getenv(childEnv) != "" { // this is the process that is killed
		fmt.Printf("%d %s\n", s.Port, s.CAFile)
		select {}
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childEnv+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var port int
	var path string
	if _, err := fmt.Sscanf(line, "%d %s", &port, &path); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	eventually(t, "the folder goes", func() bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	})
	if conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
}
