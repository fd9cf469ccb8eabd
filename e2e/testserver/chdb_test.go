package testserver_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// chCall is a request to the HTTP interface.
type chCall struct {
	method, user, query, body string
	header                    map[string]string
}

// chAnswer is what came back.
type chAnswer struct {
	status int
	code   string // X-ClickHouse-Exception-Code
	body   string
	header http.Header
}

func (c chCall) do(t *testing.T, s *testserver.ClickHouseServer) chAnswer {
	t.Helper()
	address := s.URL(cmp.Or(c.user, testserver.ClickHouseAdmin), c.query)
	if c.user == "none" {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		u.User = nil
		address = u.String()
	}
	req, err := http.NewRequestWithContext(t.Context(), cmp.Or(c.method, http.MethodPost), address, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return chAnswer{resp.StatusCode, resp.Header.Get("X-ClickHouse-Exception-Code"), string(body), resp.Header}
}

func TestClickHouseAnswersAsItsHTTPInterface(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t, "CREATE TABLE t (a UInt32, b String) ENGINE = MergeTree ORDER BY a",
		"INSERT INTO t VALUES (1, 'x'), (2, 'y')")
	in := "database=" + db.Name
	const zip = "gzip"
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, writeErr := w.Write([]byte("SELECT 7"))
	if err := cmp.Or(writeErr, w.Close()); err != nil {
		t.Fatal(err)
	}
	basic := map[string]string{"X-ClickHouse-User": testserver.ClickHouseReader, "X-ClickHouse-Key": testserver.ClickHousePassword}
	for name, c := range map[string]struct {
		chCall
		status int
		want   string // the body of a success; a pattern of an error's, with its code
		code   string
	}{
		"body":                {chCall: chCall{query: in, body: "SELECT a, b FROM t ORDER BY a"}, want: "1\tx\n2\ty\n"},
		"GET":                 {chCall: chCall{method: "GET", query: in + "&query=SELECT+count()+FROM+t"}, want: "2\n"},
		"URL then body":       {chCall: chCall{query: in + "&query=SELECT+count()", body: "FROM t"}, want: "2\n"},
		"default_format":      {chCall: chCall{query: "default_format=JSONCompactEachRow", body: "SELECT 1, 'x'"}, want: "[1, \"x\"]\n"},
		"format header":       {chCall: chCall{header: map[string]string{"X-ClickHouse-Format": "CSV"}, body: "SELECT 1, 'x'"}, want: "1,\"x\"\n"},
		"format clause":       {chCall: chCall{query: "default_format=Native", body: "SELECT 1 FORMAT TSV"}, want: "1\n"},
		"headers log in":      {chCall: chCall{user: "none", header: basic, body: "SELECT 1"}, want: "1\n"},
		"setting":             {chCall: chCall{query: "max_threads=3", body: "SELECT getSetting('max_threads')"}, want: "3\n"},
		"parameter":           {chCall: chCall{query: "param_x=4&param_s=it's", body: "SELECT {x:UInt8} + 1, {s:String}"}, want: "5\tit\\'s\n"},
		"gzip body":           {chCall: chCall{header: map[string]string{"Content-Encoding": zip}, body: zipped.String()}, want: "7\n"},
		"empty answer":        {chCall: chCall{query: in, body: "SELECT * FROM t WHERE a = 9"}, want: ""},
		"explain":             {chCall: chCall{body: "EXPLAIN AST SELECT 1 FORMAT Null"}, want: ""},
		"the admin may":       {chCall: chCall{query: in, body: "CREATE TABLE IF NOT EXISTS t (a UInt32) ENGINE = Memory"}, want: ""},
		"the writer may":      {chCall: chCall{user: testserver.ClickHouseWriter, query: in, body: "INSERT INTO t SELECT 0, '' FROM numbers(0)"}, want: ""},
		"readonly 2 sets":     {chCall: chCall{user: testserver.ClickHouseSettings, query: "max_block_size=5", body: "SELECT 1"}, want: "1\n"},
		"readonly 1 repeats":  {chCall: chCall{user: testserver.ClickHouseReader, query: "readonly=1", body: "SELECT 1"}, want: "1\n"},
		"no statement":        {chCall: chCall{body: " "}, status: 400, code: "62", want: "Syntax error.*Empty query"},
		"two statements":      {chCall: chCall{body: "SELECT 1; SELECT 2"}, status: 400, code: "62", want: "Multi-statements are not allowed"},
		"syntax":              {chCall: chCall{body: "SELEC 1"}, status: 400, code: "62", want: `Syntax error: failed at position 1 \(SELEC\)`},
		"unknown table":       {chCall: chCall{body: "SELECT * FROM nope"}, status: 404, code: "60", want: "Unknown table expression identifier 'nope'"},
		"unknown column":      {chCall: chCall{query: in, body: "SELECT nope FROM t"}, status: 404, code: "47", want: "Unknown expression identifier"},
		"unknown database":    {chCall: chCall{query: "database=nope", body: "SELECT 1"}, status: 404, code: "81", want: "Database nope does not exist"},
		"unknown setting":     {chCall: chCall{query: "foo=1", body: "SELECT 1"}, status: 404, code: "115", want: "Unknown setting 'foo'"},
		"bad setting":         {chCall: chCall{query: "max_threads=x", body: "SELECT 1"}, status: 400, code: "27", want: "Cannot parse input"},
		"wrong password":      {chCall: chCall{user: "none", header: map[string]string{"X-ClickHouse-User": "loam_admin", "X-ClickHouse-Key": "no"}, body: "SELECT 1"}, status: 403, code: "516", want: "loam_admin: Authentication failed"},
		"unknown account":     {chCall: chCall{user: "nobody", body: "SELECT 1"}, status: 403, code: "516", want: "nobody: Authentication failed"},
		"no account":          {chCall: chCall{user: "none", body: "SELECT 1"}, status: 403, code: "516", want: "default: Authentication failed"},
		"time":                {chCall: chCall{query: "max_execution_time=1", body: endless}, status: 408, code: "159", want: "Timeout exceeded"},
		"memory":              {chCall: chCall{query: "max_memory_usage=10000000", body: "SELECT groupArray(number) FROM numbers(100000000)"}, status: 500, code: "241", want: "memory limit exceeded"},
		"rows to read":        {chCall: chCall{query: "max_rows_to_read=10", body: "SELECT count() FROM numbers(100000)"}, status: 500, code: "158", want: "Limit for rows"},
		"outfile":             {chCall: chCall{body: "SELECT 1 INTO OUTFILE '" + filepath.Join(t.TempDir(), "f") + "'"}, status: 500, code: "358", want: "INTO OUTFILE is not allowed"},
		"readonly by request": {chCall: chCall{query: in + "&readonly=1&max_execution_time=9", body: "INSERT INTO t VALUES (3, '')"}, status: 500, code: "164", want: "loam_admin: Cannot execute query in readonly mode"},
		"readonly by GET":     {chCall: chCall{method: "GET", query: in + "&query=DROP+TABLE+t"}, status: 500, code: "164", want: "readonly mode"},
		"readonly in SQL":     {chCall: chCall{query: "readonly=1", body: "SELECT 1 SETTINGS max_block_size = 5"}, status: 500, code: "164", want: "Cannot modify 'max_block_size' setting in readonly mode"},
		"readonly 1 sets":     {chCall: chCall{user: testserver.ClickHouseReader, query: "max_block_size=5", body: "SELECT 1"}, status: 500, code: "164", want: "Cannot modify 'max_block_size' setting in readonly mode"},
		"readonly 2 inserts":  {chCall: chCall{user: testserver.ClickHouseSettings, query: in, body: "INSERT INTO t VALUES (3, '')"}, status: 403, code: "497", want: "loam_settings: Not enough privileges"},
		"the writer drops":    {chCall: chCall{user: testserver.ClickHouseWriter, query: in, body: "DROP TABLE t"}, status: 403, code: "497", want: "loam_writer: Not enough privileges"},
		"sees default alone":  {chCall: chCall{user: testserver.ClickHouseLimited, query: "default_format=TSV", body: "SELECT count() FROM " + db.Name + ".t"}, status: 403, code: "497", want: "Not enough privileges"},
		"session":             {chCall: chCall{query: "session_id=a", body: "SELECT 1"}, status: 501, code: "48", want: "no session_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.do(t, db.ClickHouseServer)
			if got.status != cmp.Or(c.status, 200) || got.code != c.code {
				t.Fatalf("status %d, code %q, want %d, %q: %s", got.status, got.code, cmp.Or(c.status, 200), c.code, got.body)
			}
			if c.code == "" {
				if diff := gocmp.Diff(c.want, got.body); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
				return
			}
			pattern := `^Code: ` + c.code + `\. DB::Exception: .*` + c.want + `.* \([A-Z_0-9]+\) \(version ` + db.Version + ` \(official build\)\)\n$`
			if !regexp.MustCompile(`(?s)` + pattern).MatchString(got.body) {
				t.Errorf("%q does not match %s", got.body, pattern)
			}
		})
	}
}

func TestClickHouseHeaders(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	got := chCall{query: "query_id=my-id&default_format=JSON", body: "SELECT number FROM numbers(10)"}.do(t, s)
	for name, want := range map[string]string{
		"X-ClickHouse-Query-Id": "^my-id$", "X-ClickHouse-Format": "^JSON$", "X-ClickHouse-Timezone": "^.+$",
		"X-ClickHouse-Summary":       `^\{"read_rows":"10","read_bytes":"80",.*"result_rows":"10",.*"elapsed_ns":"\d+"\}$`,
		"X-ClickHouse-Exception-Tag": "^[a-z0-9]{16}$", "Content-Type": "^application/json; charset=UTF-8$",
	} {
		if !regexp.MustCompile(want).MatchString(got.header.Get(name)) {
			t.Errorf("%s: %q, want %s", name, got.header.Get(name), want)
		}
	}
	got = chCall{header: map[string]string{"Accept-Encoding": "gzip"}, body: "SELECT 1"}.do(t, s)
	if got.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("the answer is not gzip: %v", got.header)
	}
	r, err := gzip.NewReader(strings.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "1\n" {
		t.Errorf("%q, %v", text, err)
	}
	if got := (chCall{method: "GET"}).do(t, s); got.body != "Ok.\n" {
		t.Errorf("/ says %q", got.body)
	}
}

func TestClickHouseWritesNoFiles(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	path := filepath.Join(t.TempDir(), "f")
	for _, sql := range []string{"SELECT 1 INTO OUTFILE '" + path + "'", "SELECT 1 into /* x */ outfile '" + path + "' FORMAT CSV"} {
		if got := (chCall{body: sql}).do(t, s); got.code != "358" {
			t.Errorf("%s: %s", sql, got.body)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was written")
	}
}

func TestClickHouseFailsInTheMiddleAsTheServerDoes(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	const sql = "SELECT number, throwIf(number = 900000, 'here') FROM numbers(1000000) SETTINGS max_threads = 1"
	got := chCall{body: sql}.do(t, s)
	tag := got.header.Get("X-ClickHouse-Exception-Tag")
	frame := regexp.MustCompile(`\r\n__exception__\r\n` + tag + `\r\n(Code: 395\. DB::Exception: here.*\n)(\d+) ` + tag + `\r\n__exception__\r\n$`)
	m := frame.FindStringSubmatch(got.body)
	if got.status != http.StatusOK || m == nil {
		t.Fatalf("status %d, body ends %q", got.status, got.body[max(0, len(got.body)-300):])
	}
	got = chCall{query: "wait_end_of_query=1", body: sql}.do(t, s)
	if got.status != http.StatusInternalServerError || got.code != "395" || strings.Contains(got.body, "\t") {
		t.Errorf("held back: status %d, code %s, %d bytes", got.status, got.code, len(got.body))
	}
}

func TestClickHouseHidesForbiddenRows(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	db := s.Forbidden(t, "CREATE TABLE t (a Int32) ENGINE = Memory")
	for _, user := range []string{testserver.ClickHouseReader, testserver.ClickHouseSettings, testserver.ClickHouseWriter} {
		if got := (chCall{user: user, query: "database=" + db.Name, body: "SELECT * FROM t"}).do(t, s); got.code != "497" {
			t.Errorf("%s: %s", user, got.body)
		}
		if got := (chCall{user: user, body: "SELECT name FROM system.tables WHERE database = '" + db.Name + "'"}).do(t, s); got.body != "t\n" {
			t.Errorf("%s sees %q", user, got.body)
		}
	}
}
