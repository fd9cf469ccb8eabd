package wire

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func manifest(seed uint64) Manifest {
	m := Manifest{
		Targets: map[string]Target{
			"linux_amd64":  {Path: "bin/foodb", SHA256: strings.Repeat("0a", 32), Size: 13160713},
			"darwin_arm64": {Path: "plugin.py", SHA256: strings.Repeat("ff", 32), Size: 1, Argv: []string{"python3", "plugin.py"}},
		},
		Files:    map[string]string{"LICENSE": strings.Repeat("00", 32)},
		Homepage: "https://foodb.example/loam", Source: "https://git.foodb.example/loam", Publisher: "Acme",
		Requires: []string{"python3>=3.10", "java"},
		Checked:  &Checked{Level: "reads", Kit: "loam 0.1.0", Server: "real FooDB 4.2", SHA256: strings.Repeat("ab", 32)},
	}
	newRandom(seed, false).of(&m.Description)
	m.Description.ID, m.Description.Version = "acme/foodb", "0.3.1-rc.1"
	m.Description.EnvPassthrough = []string{"FOODB_PROXY"}
	return m
}

func TestManifestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		sent := manifest(seed)
		raw, err := EncodeManifest(sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeManifest(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, got, same); diff != "" {
			t.Fatalf("seed %d (-sent +got):\n%s", seed, diff)
		}
		again, err := EncodeManifest(got)
		if err != nil || string(again) != string(raw) {
			t.Fatalf("seed %d: the same manifest is written in two ways (%v):\n%s", seed, err, cmp.Diff(string(raw), string(again)))
		}
	}
}

// TestManifestEqualsDescribe: what the host compares at the first start.
func TestManifestEqualsDescribe(t *testing.T) {
	t.Parallel()
	type shape struct {
		Host string     `json:"host" doc:"Host <name> & port." required:"true"`
		Key  sdk.Secret `json:"key" doc:"Key."`
	}
	f := &fake{connector: sdk.Connector{ID: "fake", Version: "1.0.0", Config: sdk.ConfigOf[shape](), Capabilities: everything()}}
	raw, err := EncodeManifest(Manifest{Description: f.connector.Describe(), Targets: manifest(1).Targets})
	if err != nil {
		t.Fatal(err)
	}
	fromFile, err := DecodeManifest(raw)
	if err != nil {
		t.Fatal(err)
	}
	told, err := serveFake(t, f).Describe(t.Context(), HostInfo{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromFile.Description, told); diff != "" {
		t.Errorf("(-manifest +describe):\n%s", diff)
	}
}

func TestManifestIsCheckedStrictly(t *testing.T) {
	t.Parallel()
	target := func(m map[string]any) map[string]any {
		return m["targets"].(map[string]any)["linux_amd64"].(map[string]any)
	}
	for _, tc := range []struct {
		name  string
		spoil func(map[string]any)
		want  string
	}{
		{"needs more than it speaks", func(m map[string]any) {
			m["protocol"] = map[string]any{"major": 1, "min_minor": -1, "minor": m["protocol"].(map[string]any)["minor"]}
		}, "protocol.min_minor is -1"},
		{"old version", func(m map[string]any) { m["manifest_version"] = 0 }, "manifest_version is 0"},
		{"major 0", func(m map[string]any) {
			m["protocol"] = map[string]any{"minor": m["protocol"].(map[string]any)["minor"]}
		}, "protocol.major is 0"},
		{"other minor", func(m map[string]any) { m["protocol"] = map[string]any{"major": 1, "minor": 0} }, "protocol.minor is 0"},
		{"bad id", func(m map[string]any) { m["id"] = "../foodb" }, `id "../foodb"`},
		{"bad version", func(m map[string]any) { m["version"] = "v1" }, `version "v1"`},
		{"other id", func(m map[string]any) { m["id"] = "acme/bardb" }, "but describe says acme/foodb"},
		{"other name", func(m map[string]any) { m["display_name"] = "BarDB" }, "differs from describe"},
		{"no targets", func(m map[string]any) { m["targets"] = map[string]any{} }, "targets is empty"},
		{"bad platform", func(m map[string]any) { m["targets"] = map[string]any{"linux/amd64": target(m)} }, `"linux/amd64" is no platform`},
		{"path outside", func(m map[string]any) { target(m)["path"] = "../../bin/sh" }, "does not lie in the manifest's folder"},
		{"absolute path", func(m map[string]any) { target(m)["path"] = "/bin/sh" }, "does not lie in the manifest's folder"},
		{"windows path", func(m map[string]any) { target(m)["path"] = `..\sh` }, "does not lie in the manifest's folder"},
		{"drive", func(m map[string]any) { target(m)["path"] = `c:sh` }, "does not lie in the manifest's folder"},
		{"no path", func(m map[string]any) { target(m)["path"] = "" }, "does not lie in the manifest's folder"},
		{"short sum", func(m map[string]any) { target(m)["sha256"] = "00" }, "64 lower-case hexadecimal digits"},
		{"no size", func(m map[string]any) { target(m)["size"] = 0 }, "size is 0"},
		{"bad file sum", func(m map[string]any) { m["files"] = map[string]any{"a": "b"} }, "sha256 of a"},
		{"describe is missing", func(m map[string]any) { delete(m, "describe") }, "describe"},
		{"describe is no description", func(m map[string]any) { m["describe"] = map[string]any{"id": 5} }, "describe"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			raw, err := EncodeManifest(manifest(1))
			if err != nil {
				t.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			tc.spoil(m)
			raw, err = json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			_, err = DecodeManifest(raw)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Msg, tc.want) || e.Hint == "" {
				t.Errorf("got %v, want kind invalid with %q", err, tc.want)
			}
		})
	}
}

// A key that this host does not know is one of a later minor, or a stranger's note.
func TestManifestKeysOfALaterMinor(t *testing.T) {
	t.Parallel()
	raw, err := EncodeManifest(manifest(1))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	m["maintainer"] = "acme"
	m["targets"].(map[string]any)["linux_amd64"].(map[string]any)["sha512"] = "later"
	m["protocol"].(map[string]any)["features"] = []string{"later"}
	raw, err = json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeManifest(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manifest(1), got, same); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a connector needs of its host is told before anything else of its manifest.
func TestManifestThatNeedsALaterMinor(t *testing.T) {
	t.Parallel()
	raw := fmt.Sprintf(`{"manifest_version": 1, "id": "acme/foodb", "version": "2.0.0",
		"protocol": {"major": 1, "min_minor": %[1]d, "minor": %[1]d}, "describe": {"unheard": "of"}}`, sdk.ContractMinor+1)
	_, err := DecodeManifest([]byte(raw))
	e := sdk.AsError(err, sdk.SourceHost)
	want := fmt.Sprintf("connector acme/foodb 2.0.0 needs contract 1.%d", sdk.ContractMinor+1)
	if e == nil || e.Kind != sdk.KindUnsupported || !strings.Contains(e.Msg, want) || !strings.Contains(e.Hint, "upgrade loam") {
		t.Errorf("got %v", err)
	}
}

func TestManifestOfAnotherMajorVersion(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"manifest_version": 1, "id": "acme/foodb", "version": "2.0.0", "protocol": {"major": 2, "minor": 1}, "describe": {"unheard": "of"}}`,
		`{"manifest_version": 2, "id": "acme/foodb", "version": "2.0.0", "shape": "another"}`,
	} {
		_, err := DecodeManifest([]byte(raw))
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindUnsupported || !strings.Contains(e.Msg, "acme/foodb 2.0.0") || !strings.Contains(e.Hint, "upgrade loam") {
			t.Errorf("got %v", err)
		}
	}
}

func TestManifestGarbage(t *testing.T) {
	t.Parallel()
	whole, err := EncodeManifest(manifest(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"empty": "", "no JSON": "\x7fELF", "a list": "[]", "null": "null", "cut": string(whole[:len(whole)/2]), "doubled": string(whole) + string(whole),
	} {
		if _, err := DecodeManifest([]byte(raw)); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s: got %v, want kind invalid", name, err)
		}
	}
}

func TestDescriptionOfALaterMinorVersionIsRead(t *testing.T) {
	t.Parallel()
	raw, err := EncodeManifest(manifest(1))
	if err != nil {
		t.Fatal(err)
	}
	later := strings.Replace(string(raw), `"describe": {`, `"describe": {"added_later": {"x": 1}, `, 1)
	if _, err := DecodeManifest([]byte(later)); err != nil {
		t.Error(err)
	}
}

func TestReattach(t *testing.T) {
	t.Parallel()
	sent := map[string]Reattach{
		"acme/foodb": {Protocol: 1, PID: 12, Network: "unix", Address: "/tmp/x.sock"},
		"other":      {Protocol: 1, PID: 13, Network: "tcp", Address: "127.0.0.1:5000"},
	}
	value, err := EncodeReattach(sent)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeReattach(value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
	config, err := got["acme/foodb"].Config()
	if err != nil || config.Addr.String() != "/tmp/x.sock" || config.Pid != 12 || !config.Test {
		t.Errorf("config %+v, %v", config, err)
	}
	if config, err := got["other"].Config(); err != nil || config.Addr.(*net.TCPAddr).Port != 5000 {
		t.Errorf("config %+v, %v", config, err)
	}
	if _, err := (Reattach{Network: "tcp", Address: "nowhere"}).Config(); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("an address that is none: %v", err)
	}
	if none, err := DecodeReattach(""); none != nil || err != nil {
		t.Errorf("no value gave %v, %v", none, err)
	}
	if _, err := DecodeReattach("{"); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("garbage gave %v", err)
	}
}
