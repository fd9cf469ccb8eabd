package note

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`relation "ordrs" does not exist (line 12)`:                               "relation <value> does not exist (line <n>)",
		"job 550e8400-e29b-41d4-a716-446655440000 failed at 2026-05-01T12:00:00Z": "job <id> failed at <time>",
		"cannot open /srv/app/data/orders.csv: can't read":                        "cannot open orders.csv: can't read",
		`C:\Users\ada\loam\main.go:17: boom`:                                      "main.go:<n>: boom",
		"segfault at 0xDEADbeef in worker-17":                                     "segfault at <address> in worker-<n>",
		"dial tcp 10.0.0.7:5432: connection refused":                              "dial tcp <address>: connection refused",
		"GET https://api.example.com/v1/x?id=3 timed out":                         "get <address> timed out",
		"unknown column 'o.totl' in 'field list'":                                 "unknown column <value> in <value>",
		"commit 3f2a9c1b7 is gone; it took 1,204.5 ms":                            "commit <id> is gone; it took <n> ms",
		"zero\u200bwidth \u202egnp\x07":                                           "zero width gnp",
		"run 01KE7ZYXW9V8T7S6R5Q4P3N2M1":                                          "run <id>",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

// report writes one error as it could be reported at any time and on any machine.
func report(r *rand.Rand) (message, trace string) {
	hex := func(n int) (s string) {
		for range n {
			s += string("0123456789abcdef"[r.IntN(16)])
		}
		return s
	}
	dir := []string{"/home/ada/", "/srv/app/releases/42/", `C:\work\`, "/tmp/x-y_z.1/"}[r.IntN(4)]
	id := fmt.Sprintf("%s-%s-%s-%s-%s", hex(8), hex(4), hex(4), hex(4), hex(12))
	message = fmt.Sprintf("worker %d at 0x%s: run %s of '%s' ended 2026-%02d-%02d %02d:%02d:%02d after %d ms, host 10.%d.%d.%d:%d",
		r.IntN(99999), hex(8), id, hex(5), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e6), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(65536))
	trace = fmt.Sprintf("Traceback (most recent call last):\n  File \"%sload.py\", line %d, in load\n    row = rows[%d]\n  File \"%srows.py\", line %d, in __getitem__\nIndexError: %d",
		dir, r.IntN(900), r.IntN(9), dir, r.IntN(900), r.IntN(9))
	return message, trace
}

// Two reports of one error have one signature, whatever the numbers, paths, times, ids and addresses; a normalised text
// stays as it is.
func TestReportsOfOneErrorHaveOneSignature(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	message, trace := report(r)
	for range 300 {
		other, otherTrace := report(r)
		if a, b := Normalize(message), Normalize(other); a != b || Normalize(b) != b {
			t.Fatalf("%q\n%q\nof %q, and again %q", a, b, other, Normalize(b))
		}
		if !bytes.Equal(Signature("IndexError", message, trace), Signature("indexerror", other, otherTrace)) {
			t.Fatalf("frames %q and %q", Frames(trace), Frames(otherTrace))
		}
		if !bytes.Equal(Signature("E", message, ""), Signature("E", other, "")) {
			t.Fatal("without a trace the signatures differ")
		}
	}
	for _, other := range [][]byte{Signature("KeyError", message, trace), Signature("IndexError", message, ""), Signature("IndexError", message, "at other (a.js:1:2)")} {
		if bytes.Equal(other, Signature("IndexError", message, trace)) {
			t.Error("another class or trace has the same signature")
		}
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("a '1' /x/y.go:12 0x1f 2026-01-01T00:00:00Z")
	f.Add("<n> <id> “x” 1.2.3.4:5 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalize(s)
		if strings.ContainsAny(once, "\n\t\x00\u202e") {
			t.Errorf("%q has control characters", once)
		}
		_ = Signature(s, s, s)
	})
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for trace, want := range map[string][]string{
		"goroutine 7 [running]:\nmain.load(0xc000)\n\t/home/a/main.go:12 +0x1d\n": {"main.go:<n> +<address>"},
		"Error: x\n    at load (/srv/a.js:1:2)\n    at com.b.C.run(C.java:40)":    {"at load (a.js:<n>:<n>)", "at com.b.c.run(c.java:<n>)"},
		"just words\nand 2 more": {"just words", "and <n> more"},
		" \n":                    nil,
	} {
		if got := Frames(trace); !slices.Equal(got, want) {
			t.Errorf("Frames(%q) = %q, want %q", trace, got, want)
		}
	}
	if n := len(Frames(strings.Repeat("at a (b.js:1:1)\n", 1000))); n != maxFrames {
		t.Errorf("%d frames count", n)
	}
}
