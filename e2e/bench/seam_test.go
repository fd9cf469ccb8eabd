// Package bench measures what the way between host and connector costs, each
// figure beside the same work without it, in one run: `make bench`.
package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/loam-data/loam/e2e/bench/rows"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

// remote starts the made-up rows as a connector process, checked as a host's.
func remote(b testing.TB) sdk.Session {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "rows")
	if out, err := exec.Command("go", "build", "-o", binary, "./connector").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	// A connector ends when its standard input does, and go-plugin hands it ours.
	in, hold, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = in
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: wire.Handshake, VersionedPlugins: wire.Plugins(nil), Cmd: exec.Command(binary),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, AutoMTLS: !peer.Supported, Logger: hclog.NewNullLogger(),
		GRPCDialOptions: wire.DialOptions(),
	})
	b.Cleanup(func() {
		client.Kill()
		os.Stdin = stdin
		_ = hold.Close()
	})
	protocol, err := client.Client()
	if err != nil {
		b.Fatal(err)
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		b.Fatal(err)
	}
	c := raw.(*wire.Client)
	if _, err := c.Describe(b.Context(), wire.HostInfo{}); err != nil {
		b.Fatal(err)
	}
	session, err := c.Open(b.Context(), sdk.OpenRequest{ConnectionID: "rows"})
	if err != nil {
		b.Fatal(err)
	}
	return session
}

func local(b testing.TB) sdk.Session {
	b.Helper()
	session, err := rows.Connector().Open(b.Context(), sdk.OpenRequest{ConnectionID: "rows"})
	if err != nil {
		b.Fatal(err)
	}
	return session
}

// discard reads every cell of a batch's first column and counts rows.
type discard struct{ rows int }

func (*discard) Started(string) error       { return nil }
func (*discard) Columns([]sdk.Column) error { return nil }
func (d *discard) Batch(b *sdk.Batch) error { d.rows += b.Rows; return nil }
func (*discard) Progress(sdk.Progress)      {}
func (*discard) Notice(sdk.Warning)         {}

func fetch(b testing.TB, s sdk.Session, count int) {
	b.Helper()
	sink := &discard{}
	w := sdk.NewRowWriter(sink, sdk.Limits{})
	if err := s.Execute(b.Context(), sdk.ExecuteRequest{SQL: strconv.Itoa(count)}, w); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	if sink.rows != count {
		b.Fatalf("%d rows of %d arrived", sink.rows, count)
	}
}

// BenchmarkSeamRows carries a million rows of ten columns.
func BenchmarkSeamRows(b *testing.B) {
	const count = 1_000_000
	there, here := remote(b), local(b)
	var seam, process time.Duration
	for b.Loop() {
		started := time.Now()
		fetch(b, here, count)
		process += time.Since(started)
		started = time.Now()
		fetch(b, there, count)
		seam += time.Since(started)
	}
	b.ReportMetric(float64(count*b.N)/seam.Seconds()/1000, "krows/s")
	b.ReportMetric(seam.Seconds()/process.Seconds(), "x-in-process")
}

// BenchmarkSeamCall runs the smallest statement, in turns with and without the
// seam, and reports the difference of the medians.
func BenchmarkSeamCall(b *testing.B) {
	there, here := remote(b), local(b)
	var with, without []time.Duration
	for b.Loop() {
		without = append(without, timed(func() { fetch(b, here, 1) }))
		with = append(with, timed(func() { fetch(b, there, 1) }))
	}
	b.ReportMetric(float64((median(with) - median(without)).Microseconds()), "µs-added-p50")
	b.ReportMetric(float64(quantile(with, 0.99).Microseconds()), "µs-p99")
}

func timed(f func()) time.Duration {
	started := time.Now()
	f()
	return time.Since(started)
}

func median(d []time.Duration) time.Duration { return quantile(d, 0.5) }

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))]
}

// TestSeamMemoryIsConstant: the host's allocations do not grow with the result.
func TestSeamMemoryIsConstant(t *testing.T) {
	there := remote(t)
	fetch(t, there, 1000)
	perRow := func(count int) float64 {
		bytes := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fetch(b, there, count)
			}
		}).AllocsPerOp()
		return float64(bytes) / float64(count)
	}
	small, large := perRow(20_000), perRow(200_000)
	if large > 1 || large > 2*small {
		t.Errorf("%.3f allocations per row of 200,000, %.3f of 20,000", large, small)
	}
}
