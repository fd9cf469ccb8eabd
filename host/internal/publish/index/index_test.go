package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/publish/signature"
	"github.com/loam-data/loam/sdk"
)

var now = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)

func sample(t *testing.T) *Index {
	t.Helper()
	signer, err := signature.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	release := func(minor, least int, yanked string, platforms ...string) Release {
		r := Release{Protocol: Protocol{1, minor, least}, Level: "reads", Released: now, Yanked: yanked, Targets: map[string]Target{}}
		for _, p := range platforms {
			r.Targets[p] = Target{URL: "foodb/x/" + p + ".tar.gz", Size: 1, SHA256: strings.Repeat("a", 64), Tree: "h1:x"}
		}
		return r
	}
	const linux, mac = "linux_amd64", "darwin_arm64"
	return &Index{
		Version: 1, Name: "acme", Serial: 4, Created: now, Expires: now.AddDate(0, 3, 0), Keys: map[string][]signature.Key{"acme/*": {signer.Key()}},
		Connectors: map[string]Connector{"acme/foodb": {DisplayName: "FooDB", Versions: map[string]Release{
			"0.2.9": release(0, 0, "", linux, mac), "0.3.0": release(1, 0, "", linux, mac), "0.3.1": release(1, 0, "it lost rows", linux, mac),
			"0.4.0": release(1, 1, "", mac), "0.10.0": release(3, 2, "", linux, mac), "1.0.0-rc.1": release(1, 0, "", linux),
		}}},
	}
}

// A file is read as it was written, and every broken rule has its sentence.
func TestParse(t *testing.T) {
	t.Parallel()
	text, err := sample(t).Text()
	if err != nil {
		t.Fatal(err)
	}
	x, err := Parse(append([]byte(`{"unknown": 1,`), text[1:]...))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := x.Text(); err != nil || string(again) != string(text) {
		t.Errorf("%v\n%s", err, cmp.Diff(string(text), string(again)))
	}
	target := func(change func(*Target)) func(*Index) {
		return func(x *Index) {
			one := x.Connectors["acme/foodb"].Versions["0.3.0"].Targets["linux_amd64"]
			change(&one)
			x.Connectors["acme/foodb"].Versions["0.3.0"].Targets["linux_amd64"] = one
		}
	}
	for says, change := range map[string]func(*Index){
		"another namespace":    func(x *Index) { x.Connectors["other/foodb"] = Connector{} },
		"no id of a connector": func(x *Index) { x.Connectors["../foodb"] = Connector{} },
		"is none":              func(x *Index) { x.Keys["acme/*"] = []signature.Key{"RWx"} },
		"neither of a":         func(x *Index) { x.Keys["*"] = nil },
		"are needed":           func(x *Index) { x.Serial = 0 },
		"which is none":        func(x *Index) { x.Connectors["acme/foodb"].Versions["latest"] = Release{} },
		"not below the index":  target(func(t *Target) { t.URL = "https://elsewhere.example/a" }),
		"below the index":      target(func(t *Target) { t.URL = "a/../../b" }),
		"the index":            target(func(t *Target) { t.URL = "//elsewhere.example/a" }),
		"size and checksums":   target(func(t *Target) { t.SHA256 = "x" }),
	} {
		x := sample(t)
		change(x)
		text, err := x.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("want %q: %v", says, err)
		}
	}
	if _, err := Parse([]byte(`{"index_version": 2}`)); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Errorf("a later format: %v", err)
	}
	if _, err := Parse(make([]byte, MaxBytes+1)); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a large file: %v", err)
	}
}

// An older index in place of a newer one, and one that is held back, are refused.
func TestFresh(t *testing.T) {
	t.Parallel()
	x := sample(t)
	for _, c := range []struct {
		seen int64
		at   time.Time
		says string
	}{{0, now, ""}, {4, now, ""}, {5, now, "older one"}, {0, now.AddDate(1, 0, 0), "expired on 2027-02-28"}} {
		err := x.Fresh(c.seen, c.at)
		if c.says == "" && err != nil || c.says != "" && (sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// The newest version that fits is chosen: in the range, not withdrawn, for the platform and the contract.
func TestChoose(t *testing.T) {
	t.Parallel()
	x := sample(t)
	for _, c := range []struct {
		constraint, platform, locked string
		minor                        int
		want                         string // a version, or a part of the error
	}{
		{"", "linux_amd64", "", 1, "0.3.0"},
		{"", "linux_amd64", "0.3.1", 1, "0.3.1"},
		{"", "linux_amd64", "", 2, "0.10.0"},
		{"", "darwin_arm64", "", 1, "0.4.0"},
		{"~> 0.2", "linux_amd64", "", 1, "0.2.9"},
		{"0.3.0", "linux_amd64", "", 1, "0.3.0"},
		{"1.0.0-rc.1", "linux_amd64", "", 1, "1.0.0-rc.1"},
		{">=0.3, <0.4", "linux_amd64", "", 1, "0.3.0"},
		{"0.3.1", "linux_amd64", "", 1, "0.3.1 was withdrawn: it lost rows"},
		{"0.10.0", "linux_amd64", "", 1, "0.10.0 needs contract 1.2, and this Loam speaks 1.1"},
		{"", "windows_amd64", "", 1, "0.4.0 has no archive for windows_amd64"},
		{"~> 7", "linux_amd64", "", 1, "no version of acme/foodb is in ~> 7"},
		{"latest", "linux_amd64", "", 1, "is no version"},
	} {
		version, _, target, err := x.Choose(Wanted{"acme/foodb", c.constraint, c.platform, 1, c.minor, c.locked})
		if err != nil {
			version = err.Error()
		} else if !strings.Contains(target.URL, c.platform) {
			t.Errorf("%+v: %s", c, target.URL)
		}
		if version != c.want && (err == nil || !strings.Contains(version, c.want)) {
			t.Errorf("%+v: %s", c, version)
		}
	}
	if _, _, _, err := x.Choose(Wanted{ID: "acme/bardb"}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Error(err)
	}
	if _, _, _, err := x.Choose(Wanted{ID: "acme/foodb", Platform: "linux_amd64", Major: 2}); sdk.KindOf(err) != sdk.KindUnsupported {
		t.Error(err)
	}
}
