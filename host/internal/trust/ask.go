package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// Kind is the kind of action that an Ask is about.
type Kind string

const (
	KindProgram     Kind = "program"     // run a connector that the project names by its path
	KindConnect     Kind = "connect"     // send statements
	KindEnvironment Kind = "environment" // pass environment variables to a connector
	KindVariable    Kind = "variable"    // send the value of an environment variable
	KindKeyring     Kind = "keyring"     // send a secret of the key ring
	KindCommand     Kind = "command"     // run a program and send what it prints
	KindFile        Kind = "file"        // read a file outside the project folder
	KindTelemetry   Kind = "telemetry"   // send traces and metrics
	KindModel       Kind = "model"       // send texts to a language model
)

// Ask is one action of a project that a person has to allow: it runs something, reads outside
// the project folder, or sends something.
type Ask struct {
	Kind Kind `json:"kind"`
	// Connection is the connection that it belongs to; "" = telemetry or the language model.
	Connection connection.ID `json:"connection,omitempty"`
	// Where is the key in loam.yaml, such as "connections.shop.path". Line is its line; 0 =
	// unknown, which it always is in answers of Check.
	Where string `json:"where"`
	Line  int    `json:"line,omitempty"`
	// What says in full what is run or sent, Why is the reason for the question.
	What string `json:"what"`
	Why  string `json:"why"`

	brief     string // What without the arguments of programs, which may be secrets
	gist      string // brief without the destination
	reference string // the reference to a secret that a Grant allows; "" = none
	digest    string // as of digestOf
}

// digestOf returns the identity of an Ask. parts must contain everything that decides what is
// run and where something is sent.
func digestOf(kind Kind, parts ...any) string {
	text, err := json.Marshal(append([]any{kind}, parts...))
	if err != nil {
		panic(fmt.Sprintf("trust: a part of %s is no JSON: %v", kind, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func telemetryAsk(endpoint string) Ask {
	return Ask{
		Kind: KindTelemetry, Where: "telemetry.endpoint", What: "traces and metrics → " + endpoint, Why: "sends the names and times of calls there",
		brief: "traces and metrics → " + endpoint, digest: digestOf(KindTelemetry, endpoint),
	}
}

// asks returns the asks of a connection. A connection that opens files of the project folder
// with a bundled connector has none.
func (t *Trust) asks(c connection.Connection, with connector.Installed) ([]Ask, error) {
	known, err := t.reaches.of(c, with)
	if err != nil {
		return nil, err
	}
	reach := known.Reach
	j := asking{trust: t, connection: c, with: with, reach: reach}
	if with.Bundled && c.Path == "" && reach.Local {
		j.outside()
		return j.asks, nil
	}
	if c.Path != "" {
		j.program()
	}
	j.asks = append(j.asks, known.connect...)
	for _, path := range slices.Sorted(maps.Keys(reach.Secrets)) {
		if err := j.secret(path, reach.Secrets[path]); err != nil {
			return nil, err
		}
	}
	return j.asks, nil
}

// reaches caches the parts of asks that follow from a connection's configuration, because
// each statement needs them. What depends on the file system is not cached.
// Concurrency: its methods may be called concurrently.
type reaches struct {
	mu    sync.Mutex
	known map[reachKey]reached
}

// reached is the reach of a configuration, and the asks of asking.connect.
type reached struct {
	connection.Reach
	connect []Ask
}

// reachKey identifies a connection's configuration and its connector's schema. schema is the
// address of the schema's bytes: the registry of connectors allocates new ones when it reads
// a manifest again.
type reachKey struct {
	id          connection.ID
	fingerprint string
	schema      *byte
}

func (r *reaches) of(c connection.Connection, with connector.Installed) (reached, error) {
	schema := with.Description.ConfigSchema
	const most = 1000 // entries, then the cache is cleared
	key := reachKey{id: c.ID, fingerprint: c.Fingerprint()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(schema) > 0 {
		key.schema = &schema[0]
		if known, ok := r.known[key]; ok {
			return known, nil
		}
	}
	reach, err := connection.ReachOf(c, schema, secret.IsReference)
	if err != nil {
		return reached{}, err
	}
	j := asking{connection: c, with: with, reach: reach}
	j.connect()
	if len(r.known) >= most || r.known == nil {
		r.known = map[reachKey]reached{}
	}
	known := reached{Reach: reach, connect: j.asks}
	r.known[key] = known
	return known, nil
}

// asking collects the asks of one connection.
type asking struct {
	trust      *Trust
	connection connection.Connection
	with       connector.Installed
	reach      connection.Reach
	asks       []Ask
}

func (j *asking) where(key string) string { return "connections." + string(j.connection.ID) + key }

func (j *asking) add(a Ask) {
	a.Connection = j.connection.ID
	if a.brief == "" {
		a.brief = a.What
	}
	j.asks = append(j.asks, a)
}

// outside adds asks for the files of a local connection that are outside the project folder.
func (j *asking) outside() {
	for _, key := range slices.Sorted(maps.Keys(j.reach.Paths)) {
		for _, path := range j.reach.Paths[key] {
			if _, ok := file.Within(j.trust.Dir, path); ok {
				continue
			}
			real := file.Real(path)
			j.add(Ask{
				Kind: KindFile, Where: j.where(".config." + key), What: j.with.Name + " opens " + real, Why: "reads outside the project folder",
				digest: digestOf(KindFile, j.with.Name, real),
			})
		}
	}
}

// program adds the ask for a connector that the project names by its path.
func (j *asking) program() {
	what := j.with.Binary + " (SHA-256 " + short(j.with.SHA256) + ")"
	if len(j.with.Argv) > 0 {
		what += ", run as: " + strings.Join(j.with.Argv, " ")
	}
	// The digest has the path and the checksum of each file of the program: a changed file needs
	// permission again.
	var files []string
	for _, path := range slices.Sorted(maps.Keys(j.with.Files)) {
		files = append(files, path, j.with.Files[path])
	}
	j.add(Ask{
		Kind: KindProgram, Where: j.where(".path"), What: what, Why: "runs this program",
		digest: digestOf(KindProgram, j.with.Name, j.with.Binary, j.with.SHA256, j.with.Argv, files),
	})
}

// connect adds asks for the connection's destination and for the environment variables of
// its connector. The variables of a bundled connector need no permission.
func (j *asking) connect() {
	where := j.where(".config")
	if len(j.connection.Config) == 0 {
		where = j.where("")
	}
	j.add(Ask{Kind: KindConnect, Where: where, What: j.destination(), Why: "sends statements there", digest: j.digest(KindConnect)})
	names := slices.Sorted(slices.Values(j.with.Description.EnvPassthrough))
	if !j.with.Bundled && len(names) > 0 {
		j.add(Ask{
			Kind: KindEnvironment, Where: j.where(".connector"), What: strings.Join(names, ", ") + " → " + j.destination(),
			Why: "gives these variables of your environment to the connector", digest: j.digest(KindEnvironment, names),
		})
	}
}

// digest returns the identity of an ask for something that is sent to the destination.
func (j *asking) digest(kind Kind, parts ...any) string {
	return digestOf(kind, append([]any{j.with.Name, j.connection.Path, j.reach.Values}, parts...)...)
}

// destination returns the connector and the configuration values that decide where it
// connects to.
func (j *asking) destination() string {
	parts := []string{j.with.Name}
	for _, key := range slices.Sorted(maps.Keys(j.reach.Values)) {
		parts = append(parts, key+"="+valueText(j.reach.Values[key]))
	}
	return strings.Join(parts, " ")
}

func valueText(value any) string {
	if s, ok := value.(string); ok && s != "" && !strings.ContainsAny(s, " \"'=") {
		return s
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("trust: a value that was marshalled before is no JSON: %v", err))
	}
	return string(text)
}

// secret adds the ask for a reference to a secret in the configuration.
func (j *asking) secret(key, text string) error {
	return j.trust.secret(text, j.where(".config."+key), j.destination(), func(kind Kind, parts ...any) string {
		return j.digest(kind, append([]any{key}, parts...)...)
	}, j.add)
}

// secret adds the ask for a reference to a secret that is sent to a destination: a variable, a
// key-ring entry, a file outside the project folder, or a command's output. A file inside the
// project folder belongs to the project and needs no permission.
func (t *Trust) secret(text, where, destination string, digest func(kind Kind, parts ...any) string, add func(Ask)) error {
	ref, ok := secret.Parse(text)
	if !ok {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "%s is no reference to a secret", where)
	}
	a := Ask{
		Where: where, reference: text,
		What: text + " → " + destination, brief: ref.String() + " → " + destination, gist: ref.String(),
	}
	switch ref.Scheme {
	case secret.Variable:
		a.Kind, a.Why = KindVariable, "sends the value of this variable of your environment there"
		a.digest = digest(a.Kind, text)
	case secret.Keyring:
		a.Kind, a.Why = KindKeyring, "sends this secret of your key ring there"
		a.digest = digest(a.Kind, text)
	case secret.File:
		path, err := ref.Path(t.Dir)
		if err != nil {
			path = ref.Rest // cannot be read either
		}
		if _, ok := file.Within(t.Dir, path); ok {
			return nil
		}
		a.Kind, a.Why = KindFile, "sends the content of this file, outside the project folder, there"
		a.gist = "file:" + file.Real(path)
		a.What, a.brief = a.gist+" → "+destination, a.gist+" → "+destination
		a.digest = digest(a.Kind, file.Real(path))
	default:
		named, err := t.named(ref)
		if err != nil {
			return err
		}
		a.Kind, a.Why = KindCommand, "runs this program and sends what it prints there"
		for _, n := range named {
			a.Why += "; " + n.name + " has SHA-256 " + short(n.sum)
		}
		a.digest = digest(a.Kind, text, named)
	}
	add(a)
	return nil
}

// short returns the beginning of a checksum, for display.
func short(sum string) string { return sum[:min(12, len(sum))] + "…" }
