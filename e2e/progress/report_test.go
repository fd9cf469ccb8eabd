package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A run in which a test passes, one is skipped for want of a server, two leave something to
// make ci, one fails in a subtest, a package does not compile and one is ended in a test.
const events = `
{"Action":"start","Package":"github.com/loam-data/loam/a"}
{"Action":"run","Package":"github.com/loam-data/loam/a","Test":"TestPass"}
{"Action":"output","Package":"github.com/loam-data/loam/a","Test":"TestPass","Output":"    a_test.go:3: -short: 900 of 1,000 cases\n"}
{"Action":"output","Package":"github.com/loam-data/loam/a","Test":"TestPass","Output":"    a_test.go:4: not shown\n"}
{"Action":"pass","Package":"github.com/loam-data/loam/a","Test":"TestPass","Elapsed":0.1}
{"Action":"output","Package":"github.com/loam-data/loam/a","Test":"TestSkip","Output":"    a_test.go:5: no MariaDB: run scripts/setup\n"}
{"Action":"skip","Package":"github.com/loam-data/loam/a","Test":"TestSkip","Elapsed":0}
{"Action":"output","Package":"github.com/loam-data/loam/a","Test":"TestHeavy","Output":"    a_test.go:6: -short: 100,000 tables\n"}
{"Action":"skip","Package":"github.com/loam-data/loam/a","Test":"TestHeavy","Elapsed":0}
{"Action":"output","Package":"github.com/loam-data/loam/a","Output":"ok  \tgithub.com/loam-data/loam/a\t0.5s\n"}
{"Action":"pass","Package":"github.com/loam-data/loam/a","Elapsed":0.5}
{"Action":"start","Package":"github.com/loam-data/loam/b"}
{"Action":"output","Package":"github.com/loam-data/loam/b","Test":"TestFail","Output":"=== RUN   TestFail\n"}
{"Action":"output","Package":"github.com/loam-data/loam/b","Test":"TestFail/sub","Output":"    b_test.go:7: got 1, want 2\n"}
{"Action":"fail","Package":"github.com/loam-data/loam/b","Test":"TestFail/sub","Elapsed":0}
{"Action":"fail","Package":"github.com/loam-data/loam/b","Test":"TestFail","Elapsed":0}
{"Action":"output","Package":"github.com/loam-data/loam/b","Output":"FAIL\n"}
{"Action":"fail","Package":"github.com/loam-data/loam/b","Elapsed":1.5}
{"ImportPath":"github.com/loam-data/loam/c","Action":"build-output","Output":"c/c.go:1:1: expected package\n"}
{"ImportPath":"github.com/loam-data/loam/c","Action":"build-fail"}
{"Action":"start","Package":"github.com/loam-data/loam/c"}
{"Action":"output","Package":"github.com/loam-data/loam/c","Output":"FAIL\tgithub.com/loam-data/loam/c [build failed]\n"}
{"Action":"fail","Package":"github.com/loam-data/loam/c","Elapsed":0,"FailedBuild":"github.com/loam-data/loam/c"}
{"Action":"skip","Package":"github.com/loam-data/loam/none","Elapsed":0}
go: some trouble of its own
{"Action":"start","Package":"github.com/loam-data/loam/d"}
{"Action":"output","Package":"github.com/loam-data/loam/d","Test":"TestHang","Output":"panic: test timed out after 1s\n"}
`

const reported = `test: go test ./...
test: 4 packages; compiling first, which takes minutes without a build cache
test:   0:00  ok    a                                       0.5 s  1 passed, 0 failed, 2 skipped
test:   0:00  FAIL  b                                       1.5 s  0 passed, 2 failed, 0 skipped
    FAIL
    === RUN   TestFail
        b_test.go:7: got 1, want 2
c/c.go:1:1: expected package
test:   0:00  FAIL  c                                       0.0 s  0 passed, 0 failed, 0 skipped
    FAIL	github.com/loam-data/loam/c [build failed]
go: some trouble of its own
    panic: test timed out after 1s
test: skipped:
test:   a TestSkip: no MariaDB: run scripts/setup
test: left to make ci:
test:   a TestPass: 900 of 1,000 cases
test:   a TestHeavy: 100,000 tables
test: failed: b TestFail/sub
test: failed: b TestFail
test: failed: c
test: failed: d (did not end)
test: 1 passed, 2 failed, 2 skipped in 3 packages, 0:00
`

func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out, func() time.Time { return time.Unix(0, 0) })
	r.expect("./...", map[string]string{"a": "", "b": "", "c": "", "d": ""})
	lines := make(chan line)
	go func() {
		defer close(lines)
		for text := range strings.Lines(strings.TrimSpace(events)) {
			lines <- line{text: []byte(text)}
		}
	}()
	r.tick = time.Hour
	r.events(lines)
	r.summary()
	if diff := cmp.Diff(reported, out.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if !r.failed() {
		t.Error("the run did not fail")
	}
}

// TestHeartbeat reports what runs.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	r := newReport(&out, func() time.Time { return now })
	r.heartbeat()
	const e2e = "github.com/loam-data/loam/e2e"
	for _, e := range []event{
		{Action: "start"},
		{Action: "run", Test: "TestParallel"},
		{Action: "pause", Test: "TestParallel"},
		{Action: "run", Test: "TestOne"},
		{Action: "pass", Test: "TestOne"},
		{Action: "run", Test: "TestScan"},
		{Action: "run", Test: "TestScan/small"},
		{Action: "run", Test: "TestScan/large"},
	} {
		e.Package = e2e
		r.event(e)
	}
	now = now.Add(75 * time.Second)
	r.heartbeat()
	for _, test := range []string{"TestParallel", "TestA", "TestB"} {
		r.event(event{Action: "cont", Package: e2e, Test: test})
	}
	now = now.Add(5 * time.Second)
	r.heartbeat()
	const want = `test:   0:00  ...   compiling; 0 of 0 packages done
test:   1:15  ...   running e2e (75 s, 1 passed; TestScan 75 s at large); 0 of 0 packages done
test:   1:20  ...   running e2e (80 s, 1 passed; TestScan 80 s at large, TestA 5 s, 2 more); 0 of 0 packages done
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("heartbeats (-want +got):\n%s", diff)
	}
}

// The summary names the tests that ran longest.
func TestLongest(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out, func() time.Time { return time.Unix(0, 0) })
	for i := range 12 {
		name := string(rune('A' + i))
		r.event(event{Action: "pass", Package: module + "e2e", Test: "Test" + name, Elapsed: float64(i * 7 % 12)})
		r.event(event{Action: "pass", Package: module + "e2e", Test: "Test" + name + "/sub", Elapsed: 100})
	}
	r.summary()
	want := "test: longest:\n"
	for i, name := range []string{"F", "K", "D", "I", "B", "G", "L", "E", "J", "C"} {
		want += fmt.Sprintf("test:   %4d.0 s  e2e Test%s\n", 11-i, name)
	}
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("%s\nwant the beginning:\n%s", &out, want)
	}
}
