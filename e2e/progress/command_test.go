package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]command{
		"-short ./...":                   {args: []string{"-short", "./..."}},
		"-race ./a":                      {args: []string{"-race", "./a"}, label: " -race"},
		"-C examples/csv -count=1 ./...": {args: []string{"-count=1", "./..."}, folder: "examples/csv", environment: []string{"GOWORK=off"}},
		"CGO_CFLAGS=-O0 A=b -C x ./...":  {args: []string{"./..."}, folder: "x", environment: []string{"CGO_CFLAGS=-O0", "A=b", "GOWORK=off"}},
		"-run A=b ./a":                   {args: []string{"-run", "A=b", "./a"}},
	} {
		if diff := cmp.Diff(want, parse(text), cmp.AllowUnexported(command{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// The command's variables reach go test, and its folder is where the packages are.
func TestGoTool(t *testing.T) {
	t.Parallel()
	c := parse("GOFLAGS=-tags=some -C ../../proto ./...")
	out, err := c.goTool(t.Context(), "env", "GOFLAGS", "GOWORK", "GOMOD").Output()
	if got := strings.Fields(string(out)); err != nil || len(got) != 3 || got[0] != "-tags=some" || got[1] != "off" || !strings.HasSuffix(got[2], "/proto/go.mod") {
		t.Errorf("go env: %q, %v", got, err)
	}
}

// A package that runs with and without the race detector at the same time has two lines, and
// only the run that failed is named as failed.
func TestSamePackageTwice(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out, func() time.Time { return time.Unix(0, 0) })
	r.expect("-short ./a", map[string]string{"a": "/a"})
	r.expect("-race ./a", map[string]string{"a -race": "/a"})
	lines := make(chan line)
	go func() {
		defer close(lines)
		for _, e := range []struct{ label, text string }{
			{"", `{"Action":"run","Package":"a","Test":"TestA"}`},
			{" -race", `{"Action":"run","Package":"a","Test":"TestA"}`},
			{"", `{"Action":"pass","Package":"a","Test":"TestA","Elapsed":0.1}`},
			{"", `{"Action":"pass","Package":"a","Elapsed":0.1}`},
			{" -race", `{"Action":"output","Package":"a","Test":"TestA","Output":"DATA RACE\n"}`},
			{" -race", `{"Action":"fail","Package":"a","Test":"TestA","Elapsed":0.2}`},
			{" -race", `{"Action":"fail","Package":"a","Elapsed":0.2}`},
		} {
			lines <- line{e.label, []byte(e.text)}
		}
	}()
	r.events(lines)
	r.summary()
	const want = `test:   0:00  ok    a                                       0.1 s  1 passed, 0 failed, 0 skipped
test:   0:00  FAIL  a -race                                 0.2 s  0 passed, 1 failed, 0 skipped
    DATA RACE
test: failed: a -race TestA
test: 1 passed, 1 failed, 0 skipped in 2 packages, 0:00
`
	if _, got, _ := strings.Cut(out.String(), "-race ./a\ntest: 1 packages; compiling first, which takes minutes without a build cache\n"); got != want {
		t.Errorf("report (-want +got):\n%s", cmp.Diff(want, got))
	}
}
