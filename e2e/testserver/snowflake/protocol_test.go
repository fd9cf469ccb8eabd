package snowflake_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

// count returns how many requests of a kind came.
func count(s *snowflake.Server, kind string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Kind == kind {
			n++
		}
	}
	return n
}

// waitFor polls a condition until it holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("waited in vain until " + what)
		}
	}
}

func status(s *snowflake.Server, text string) string {
	for _, x := range s.Statements() {
		if strings.Contains(x.Text, text) {
			return x.Status
		}
	}
	return ""
}

func TestAnExpiredTokenIsRenewedAndAnExpiredLoginIsNot(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s))
	db.SetMaxOpenConns(1)
	read(t, db, "SELECT 1")
	s.ExpireSessions()
	read(t, db, "SELECT 2")
	if n := count(s, snowflake.KindRenew); n != 1 {
		t.Errorf("the token was renewed %d times", n)
	}
	s.ExpireLogins()
	if _, err := db.QueryContext(t.Context(), "SELECT 3"); number(err) != 390114 {
		t.Errorf("an expired login: %v, want 390114", err)
	}
}

func TestALongStatementIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t, snowflake.Hold(time.Millisecond))
	until := make(chan struct{})
	s.Plant(snowflake.Plant{Contains: "LONG", Until: until})
	done := make(chan [][]string, 1)
	go func() { done <- read(t, open(t, config(s)), "SELECT 1 AS LONG") }()
	waitFor(t, "the client asks again", func() bool { return count(s, snowflake.KindResult) > 2 })
	close(until)
	if diff := cmp.Diff([][]string{{"1"}}, <-done); diff != "" {
		t.Error(diff)
	}
}

func TestAnAsynchronousResultIsReadByItsID(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	until := make(chan struct{})
	s.Plant(snowflake.Plant{Contains: "LATER", Until: until})
	db := open(t, config(s))
	ids := make(chan string, 1)
	rows, err := db.QueryContext(gosnowflake.WithQueryIDChan(gosnowflake.WithAsyncMode(t.Context()), ids), "SELECT 7 AS LATER")
	if err != nil {
		t.Fatal(err)
	}
	close(until)
	id := <-ids
	if !rows.Next() {
		t.Errorf("there is no row: %v", rows.Err())
	}
	_ = rows.Close()
	again, err := db.QueryContext(gosnowflake.WithFetchResultByID(t.Context(), id), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	var v int
	if !again.Next() || again.Scan(&v) != nil || v != 7 {
		t.Errorf("the result by its id is %d: %v", v, again.Err())
	}
	if count(s, snowflake.KindMonitor) != 1 {
		t.Error("the state was not asked for")
	}
}

func TestAStatementIsCanceledByItsID(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Plant(snowflake.Plant{Contains: "ENDLESS", Until: make(chan struct{})})
	done := make(chan error, 1)
	go func() {
		_, err := open(t, config(s)).QueryContext(t.Context(), "SELECT 1 AS ENDLESS")
		done <- err
	}()
	waitFor(t, "the statement runs", func() bool { return status(s, "ENDLESS") == "RUNNING" })
	id := s.Statements()[0].QueryID
	db := open(t, config(s))
	described, err := db.QueryContext(gosnowflake.WithDescribeOnly(t.Context()), "SELECT SYSTEM$CANCEL_QUERY('"+id+"')")
	if err != nil {
		t.Fatal(err)
	}
	_ = described.Close()
	if got := status(s, "ENDLESS"); got != "RUNNING" {
		t.Errorf("a description made the statement %s", got)
	}
	if got := read(t, db, "SELECT SYSTEM$CANCEL_QUERY('"+id+"')"); !strings.Contains(got[0][0], "terminated") {
		t.Errorf("the answer is %q", got[0][0])
	}
	if err := <-done; number(err) != 604 {
		t.Errorf("the statement: %v, want 000604", err)
	}
	if got := read(t, db, "SELECT SYSTEM$CANCEL_QUERY('"+id+"')"); strings.Contains(got[0][0], "terminated") {
		t.Errorf("the second answer is %q", got[0][0])
	}
}

func TestTheServicesOwnTimeLimit(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s, func(c *gosnowflake.Config) {
		one := "1"
		c.Params = map[string]*string{"STATEMENT_TIMEOUT_IN_SECONDS": &one}
	}))
	if _, err := db.QueryContext(t.Context(), "SELECT count(*) FROM range(100000000000) a(x) WHERE x % 7 = hash(x)"); number(err) != 630 {
		t.Errorf("the statement: %v, want 000630", err)
	}
}

func TestWarehouses(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, "CREATE TABLE t (id INT)")
	db := open(t, config(s))
	const look = "SELECT count(*) FROM t"
	s.Suspend(snowflake.DefaultWarehouse, true)
	for _, free := range []string{"SELECT 1", "SHOW TABLES", "SELECT CURRENT_VERSION()"} {
		rows, err := db.QueryContext(t.Context(), free)
		if err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
	described, err := db.QueryContext(gosnowflake.WithDescribeOnly(t.Context()), look)
	if err != nil {
		t.Fatal(err)
	}
	_ = described.Close()
	if state := s.WarehouseState(snowflake.DefaultWarehouse); state != snowflake.Suspended {
		t.Errorf("the warehouse is %s before a table is read", state)
	}
	read(t, db, look)
	if state := s.WarehouseState(snowflake.DefaultWarehouse); state != snowflake.Started {
		t.Errorf("the warehouse is %s after a table was read", state)
	}
	ready := s.Resume(snowflake.DefaultWarehouse)
	done := make(chan [][]string, 1)
	go func() { done <- read(t, db, look+" AS waits") }()
	waitFor(t, "the statement waits", func() bool { return status(s, "waits") == "RESUMING_WAREHOUSE" })
	ready()
	<-done
	s.Suspend(snowflake.DefaultWarehouse, false)
	if _, err := db.QueryContext(t.Context(), look); number(err) != 606 {
		t.Errorf("suspended: %v, want 000606", err)
	}
	s.UseQuota(snowflake.DefaultWarehouse)
	if _, err := db.QueryContext(t.Context(), look); number(err) != 90073 {
		t.Errorf("over quota: %v, want 090073", err)
	}
	none := open(t, config(s, func(c *gosnowflake.Config) { c.Warehouse = "" }))
	if _, err := none.QueryContext(t.Context(), look); number(err) != 606 {
		t.Errorf("no warehouse: %v, want 000606", err)
	}
}

func TestPlantsAnswerInTheServersPlace(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s))
	s.Plant(snowflake.Plant{Contains: "SELECT 1", Code: "000603", State: "XX000", Message: "SQL execution internal error", Times: 1})
	if _, err := db.QueryContext(t.Context(), "SELECT 1"); number(err) != 603 {
		t.Errorf("the planted error: %v", err)
	}
	read(t, db, "SELECT 1")
	s.Plant(snowflake.Plant{Contains: "SELECT 2", Describe: true, TypeID: 0x3100})
	rows, err := db.QueryContext(gosnowflake.WithDescribeOnly(t.Context()), "SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	_ = rows.Close()
	all := s.Statements()
	if last := all[len(all)-1]; last.TypeID != 0x3100 || !last.Describe {
		t.Errorf("the type is %#x", last.TypeID)
	}
}

func TestStatementsHaveTheServicesTypes(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, "CREATE TABLE t (id INT)")
	db := open(t, config(s, admin))
	db.SetMaxOpenConns(1)
	for sql, want := range map[string]int64{
		"SELECT id FROM t": 0x1000, "WITH a AS (SELECT 1) SELECT * FROM a": 0x1000, "(SELECT 1) UNION ALL (SELECT 2)": 0x1000, "VALUES (1)": 0x1000,
		"INSERT INTO t VALUES (1)": 0x3100, "UPDATE t SET id = 2": 0x3200, "DELETE FROM t": 0x3300,
		"CREATE TABLE u (id INT)": 0x6000, "DROP TABLE t": 0x6000, "ALTER TABLE t ADD COLUMN b INT": 0x6000, "CREATE VIEW v AS SELECT 1 AS a": 0x6000,
		"ALTER SESSION SET QUERY_TAG = 'x'": 0x4100, "USE ROLE reader": 0x4300, "USE DATABASE analytics": 0x4301, "USE SCHEMA public": 0x4302,
		"USE WAREHOUSE compute_wh": 0x4303, "SHOW TABLES": 0x4400, "DESC TABLE t": 0x4500,
	} {
		rows, err := db.QueryContext(gosnowflake.WithDescribeOnly(t.Context()), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		_ = rows.Close()
		all := s.Statements()
		if got := all[len(all)-1].TypeID; got != want {
			t.Errorf("%s is of type %#x, want %#x", sql, got, want)
		}
	}
	if got := read(t, db, "SELECT CURRENT_ROLE(), count(*) FROM t"); got[0][0] != snowflake.Admin {
		t.Errorf("the role is %s after descriptions", got[0][0])
	}
}

func TestSessionsKeepWhatTheySet(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, "CREATE SCHEMA other; CREATE TABLE other.here (id INT)")
	db := open(t, config(s))
	db.SetMaxOpenConns(1)
	for _, sql := range []string{"USE SECONDARY ROLES NONE", "USE ROLE admin", "USE SCHEMA other", "ALTER SESSION SET TIMEZONE = 'Asia/Tokyo', QUERY_TAG = 'loam'"} {
		rows, err := db.QueryContext(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		_ = rows.Close()
	}
	got := read(t, db, "SELECT CURRENT_USER(), CURRENT_ROLE(), CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_WAREHOUSE(), CURRENT_SECONDARY_ROLES(), '2024-01-01'::TIMESTAMP_LTZ::VARCHAR")
	want := [][]string{{"LOAM", "ADMIN", "ANALYTICS", "OTHER", "COMPUTE_WH", `{"roles":"","value":""}`, "2024-01-01 00:00:00.000 +0900"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the session (-want +got)\n%s", diff)
	}
	read(t, db, "SELECT count(*) FROM here")
	all := s.Statements()
	if last := all[len(all)-1]; last.Tag != "loam" {
		t.Errorf("the tag is %q", last.Tag)
	}
	if _, err := db.QueryContext(t.Context(), "ALTER SESSION SET NOPE = 1"); number(err) != 1420 {
		t.Errorf("an unknown parameter: %v, want 001420", err)
	}
	if _, err := db.QueryContext(t.Context(), "BEGIN"); number(err) != 2 {
		t.Errorf("a transaction: %v, want 000002", err)
	}
	tagged := gosnowflake.WithQueryTag(t.Context(), "one")
	if rows, err := db.QueryContext(tagged, "SELECT 'tagged'"); err != nil {
		t.Error(err)
	} else {
		_ = rows.Close()
	}
	all = s.Statements()
	if last := all[len(all)-1]; last.Tag != "one" {
		t.Errorf("the tag of the statement is %q", last.Tag)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s))
	read(t, db, "SELECT 1")
	if s.Sessions() != 1 {
		t.Errorf("%d sessions are open", s.Sessions())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Sessions() != 0 || count(s, snowflake.KindClose) != 1 {
		t.Errorf("%d sessions are open after the close", s.Sessions())
	}
	if n := count(s, snowflake.KindTelemetry); n != 0 {
		t.Errorf("telemetry came %d times", n)
	}
}

// The driver opens the system's browser itself, so that this test asks as it does.
func TestTheBrowserComesBackWithAToken(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t, snowflake.Users(snowflake.User{Name: "LOAM", Browser: true, Roles: []string{snowflake.Reader}}))
	tokens := make(chan string, 1)
	back := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { tokens <- r.URL.Query().Get("token") }))
	defer back.Close()
	post := func(path string, data map[string]any) map[string]any {
		body, err := json.Marshal(map[string]any{"data": data})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var answer map[string]any
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	port := back.URL[strings.LastIndexByte(back.URL, ':')+1:]
	first := post("/session/authenticator-request", map[string]any{
		"ACCOUNT_NAME": snowflake.DefaultAccount, "LOGIN_NAME": "LOAM", "AUTHENTICATOR": "EXTERNALBROWSER", "BROWSER_MODE_REDIRECT_PORT": port,
	})["data"].(map[string]any)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(first["ssoUrl"].(string), "localhost", "127.0.0.1", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	token := <-tokens
	login := func(proof any) string {
		answer := post("/session/v1/login-request", map[string]any{"ACCOUNT_NAME": snowflake.DefaultAccount, "LOGIN_NAME": "LOAM",
			"AUTHENTICATOR": "EXTERNALBROWSER", "TOKEN": token, "PROOF_KEY": proof})
		if answer["success"] == true {
			return ""
		}
		return answer["code"].(string)
	}
	got := []string{login("another"), login(first["proofKey"]), login(first["proofKey"])}
	if want := []string{"390191", "", "390191"}; !slices.Equal(got, want) { // a token serves once
		t.Errorf("the logins are answered %q, want %q", got, want)
	}
}

func TestCloseEndsStatements(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Plant(snowflake.Plant{Contains: "ENDLESS", Until: make(chan struct{})})
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		_, err := open(t, config(s)).QueryContext(ctx, "SELECT 1 AS ENDLESS")
		done <- err
	}()
	waitFor(t, "the statement runs", func() bool { return status(s, "ENDLESS") == "RUNNING" })
	s.Close()
	if status(s, "ENDLESS") != "ABORTED" {
		t.Errorf("the statement is %s", status(s, "ENDLESS"))
	}
	cancel()
	<-done
}
