package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk"
)

// ManifestName is the file beside a connector's binary.
const ManifestName = "connector.json"

const manifestVersion = 1

// MaxManifestBytes bounds a manifest.
const MaxManifestBytes = 16 << 20

// Manifest describes a connector in a file of its folder, so that the host need not
// run the binary for that.
type Manifest struct {
	// Description is the description that Describe must return.
	Description sdk.Description
	// Targets by platform, as PlatformName writes it.
	Targets map[string]Target
	// Files are the checksums (SHA-256, hex) of further files of the program, by path
	// relative to the manifest.
	Files map[string]string
	// MinMinor is the lowest minor of the contract with which a host can run the
	// connector.
	MinMinor int
	// Homepage and Source are addresses for people, Publisher a name; "" = none.
	Homepage, Source, Publisher string
	// Requires lists the programs that the connector needs on the machine:
	// "python3", "python3>=3.10".
	Requires []string
	// Checked is what a check of the connector reached; nil = the manifest was not packaged.
	Checked *Checked
}

// Checked is the result of a check, by the author of the connector.
type Checked struct {
	// Level is the level that was reached, or Unchecked.
	Level string `json:"level"`
	// Kit is the program that checked, and Server what the connector was checked with.
	Kit    string `json:"kit,omitempty"`
	Server string `json:"server,omitempty"`
	// SHA256 is that of the report, check.json.
	SHA256 string `json:"sha256,omitempty"`
}

// Unchecked is the level of a connector that was packaged without a check.
const Unchecked = "unchecked"

// Target is the program for one platform.
type Target struct {
	// Path is relative to the manifest, with slashes.
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // in hexadecimal
	Size   int64  `json:"size"`   // in bytes
	// Argv is the command line where another program runs this one ("python3",
	// "plugin.py"); empty = Path itself without arguments.
	Argv []string `json:"argv,omitempty"`
}

// PlatformName is the key of a target: "linux_amd64".
func PlatformName(goos, goarch string) string { return goos + "_" + goarch }

// manifestFile is connector.json. What it repeats of the description is for
// readers without protojson; both must agree.
type manifestFile struct {
	ManifestVersion int               `json:"manifest_version"`          // 1
	ID              string            `json:"id"`                        // namespace/name
	Version         string            `json:"version"`                   // of the connector
	DisplayName     string            `json:"display_name"`              // for people
	License         string            `json:"license"`                   // by its SPDX identifier
	Homepage        string            `json:"homepage,omitempty"`        // of the connector
	Source          string            `json:"source,omitempty"`          // where its source is
	Publisher       string            `json:"publisher,omitempty"`       // who releases it
	Protocol        protocolRange     `json:"protocol"`                  // the versions of the contract
	Requires        *requirements     `json:"requires,omitempty"`        // what the machine must have
	Checked         *Checked          `json:"checked,omitempty"`         // by loam connector check
	Targets         map[string]Target `json:"targets"`                   // the program, by platform
	Files           map[string]string `json:"files,omitempty"`           // the SHA-256 of further files that run, by path
	EnvPassthrough  []string          `json:"env_passthrough,omitempty"` // variables that the program gets beyond the common ones
	Describe        json.RawMessage   `json:"describe"`                  // what Describe must return
}

type requirements struct {
	Programs []string `json:"programs,omitempty"`
}

type protocolRange struct {
	Major    int `json:"major"`               // 1
	MinMinor int `json:"min_minor,omitempty"` // the lowest of a host that can run the connector
	Minor    int `json:"minor"`               // of the connector
}

// EncodeManifest returns the content of connector.json: indented, keys in a
// fixed order, a newline at the end.
// Errors: KindInvalid for a manifest that DecodeManifest would refuse.
func EncodeManifest(m Manifest) ([]byte, error) {
	message, err := encodeDescription(m.Description)
	if err != nil {
		return nil, err
	}
	describe, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the description cannot be written as JSON: %w", err)
	}
	d := m.Description
	file := manifestFile{
		ManifestVersion: manifestVersion, ID: d.ID, Version: d.Version, DisplayName: d.DisplayName, License: d.License,
		Protocol: protocolRange{Major: ProtocolVersion, MinMinor: m.MinMinor, Minor: d.ContractMinor},
		Homepage: m.Homepage, Source: m.Source, Publisher: m.Publisher, Checked: m.Checked,
		Targets: m.Targets, Files: m.Files, EnvPassthrough: d.EnvPassthrough,
		Describe: describe, // protojson varies its white space; encoding it again settles that
	}
	if len(m.Requires) > 0 {
		file.Requires = &requirements{m.Requires}
	}
	if err := file.check(d); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the manifest cannot be written as JSON: %w", err)
	}
	return out.Bytes(), nil
}

// DecodeManifest reads connector.json.
// Errors: KindInvalid; KindUnsupported for a connector of another major version of
// the contract.
func DecodeManifest(content []byte) (Manifest, error) {
	if len(content) > MaxManifestBytes {
		return Manifest{}, malformed("it is larger than %d MiB", MaxManifestBytes>>20)
	}
	var version struct {
		ManifestVersion int           `json:"manifest_version"`
		ID              string        `json:"id"`
		Version         string        `json:"version"`
		Protocol        protocolRange `json:"protocol"`
	}
	if err := json.Unmarshal(content, &version); err != nil {
		return Manifest{}, malformed("it is not the JSON of a manifest: %w", err)
	}
	if version.ManifestVersion > manifestVersion || version.Protocol.Major > ProtocolVersion {
		return Manifest{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost,
			"connector %s %s speaks contract %d.%d and this Loam speaks contract %d", version.ID, version.Version,
			version.Protocol.Major, version.Protocol.Minor, ProtocolVersion).
			WithHint("upgrade loam, or install an older version of connector %s", version.ID)
	}
	if least := version.Protocol.MinMinor; version.Protocol.Major == ProtocolVersion && least > sdk.ContractMinor {
		return Manifest{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost,
			"connector %s %s needs contract %d.%d and this Loam speaks contract %d.%d", version.ID, version.Version,
			ProtocolVersion, least, ProtocolVersion, sdk.ContractMinor).
			WithHint("upgrade loam, or install an older version of connector %s", version.ID)
	}
	// A key of a later minor is ignored: what a host must know is in min_minor.
	decoder := json.NewDecoder(bytes.NewReader(content))
	var file manifestFile
	if err := decoder.Decode(&file); err != nil {
		return Manifest{}, malformed("%w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Manifest{}, malformed("something follows its JSON object")
	}
	message := &pb.DescribeResponse{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(file.Describe, message); err != nil {
		return Manifest{}, malformed("describe: %w", err)
	}
	description, err := decodeDescription(message)
	if err != nil {
		return Manifest{}, err
	}
	if err := file.check(description); err != nil {
		return Manifest{}, err
	}
	m := Manifest{
		Description: description, Targets: file.Targets, Files: file.Files, MinMinor: file.Protocol.MinMinor,
		Homepage: file.Homepage, Source: file.Source, Publisher: file.Publisher, Checked: file.Checked,
	}
	if file.Requires != nil {
		m.Requires = file.Requires.Programs
	}
	return m, nil
}

func malformed(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceConnector, "%s is not valid: %w", ManifestName, fmt.Errorf(format, args...)).
		WithHint("write it anew with the connector's own command: <binary> manifest --output %s", ManifestName)
}

// pattern compiles an expression when it is first used: a connector that serves reads
// no manifest.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	idPattern       = pattern(`^[a-z0-9][a-z0-9_-]{0,63}(/[a-z0-9][a-z0-9_-]{0,63})?$`)
	versionPattern  = pattern(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	platformPattern = pattern(`^[a-z0-9]+_[a-z0-9]+$`)
	envPattern      = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
	programPattern  = pattern(`^[A-Za-z0-9][A-Za-z0-9._+-]*(>=\d+(\.\d+)*)?$`)
)

// check reports the first thing that is wrong.
func (f *manifestFile) check(d sdk.Description) error {
	switch {
	case f.ManifestVersion != manifestVersion:
		return malformed("manifest_version is %d, not %d", f.ManifestVersion, manifestVersion)
	case f.Protocol.Major != ProtocolVersion:
		return malformed("protocol.major is %d, not %d", f.Protocol.Major, ProtocolVersion)
	case f.Protocol.Minor < 0 || f.Protocol.Minor != d.ContractMinor:
		return malformed("protocol.minor is %d, but describe says %d", f.Protocol.Minor, d.ContractMinor)
	case f.Protocol.MinMinor < 0 || f.Protocol.MinMinor > f.Protocol.Minor:
		return malformed("protocol.min_minor is %d and protocol.minor is %d", f.Protocol.MinMinor, f.Protocol.Minor)
	case !idPattern().MatchString(f.ID):
		return malformed("id %q is neither a name nor source/name in lower case", f.ID)
	case !versionPattern().MatchString(f.Version):
		return malformed("version %q is no semantic version without \"v\"", f.Version)
	case f.ID != d.ID || f.Version != d.Version:
		return malformed("it is for %s %s, but describe says %s %s", f.ID, f.Version, d.ID, d.Version)
	case f.DisplayName != d.DisplayName || f.License != d.License || !slices.Equal(f.EnvPassthrough, d.EnvPassthrough):
		return malformed("display_name, license or env_passthrough differs from describe")
	case len(f.Targets) == 0:
		return malformed("targets is empty")
	}
	for _, name := range f.EnvPassthrough {
		if !envPattern().MatchString(name) {
			return malformed("env_passthrough: %q is no name of an environment variable", name)
		}
	}
	if err := errors.Join(f.checkPublished(), checkGuards(d.Dialects)); err != nil {
		return err
	}
	for _, platform := range slices.Sorted(maps.Keys(f.Targets)) {
		if !platformPattern().MatchString(platform) {
			return malformed("targets: %q is no platform like linux_amd64", platform)
		}
		if err := f.Targets[platform].check(); err != nil {
			return malformed("targets.%s: %w", platform, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		if err := checkFile(name, f.Files[name]); err != nil {
			return malformed("files: %w", err)
		}
	}
	return nil
}

// checkPublished checks the keys for those who install the connector.
func (f *manifestFile) checkPublished() error {
	for key, address := range map[string]string{"homepage": f.Homepage, "source": f.Source} {
		if address == "" {
			continue
		}
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return malformed("%s is no address of a web page", key)
		}
	}
	if f.Requires != nil {
		for _, program := range f.Requires.Programs {
			if !programPattern().MatchString(program) {
				return malformed("requires.programs: %q is neither a program nor a program and its least version, python3>=3.10", program)
			}
		}
	}
	if c := f.Checked; c != nil {
		switch {
		case c.Level == "":
			return malformed("checked.level is empty")
		case c.SHA256 != "":
			if err := checkFile("check.json", c.SHA256); err != nil {
				return malformed("checked: %w", err)
			}
		}
	}
	return nil
}

func (t Target) check() error {
	if t.Size <= 0 {
		return fmt.Errorf("size is %d", t.Size)
	}
	return checkFile(t.Path, t.SHA256)
}

// checkFile holds a path inside the manifest's folder, on every system.
func checkFile(name, sum string) error {
	if name == "" || name != path.Clean(name) || path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name, `\:`) {
		return fmt.Errorf("path %q does not lie in the manifest's folder", name)
	}
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 || sum != strings.ToLower(sum) {
		return fmt.Errorf("sha256 of %s is not 64 lower-case hexadecimal digits", name)
	}
	return nil
}
