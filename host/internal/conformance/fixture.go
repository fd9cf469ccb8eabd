package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// Fixture is the content of check.yaml, in which the author of a connector describes its engine
// and test data. File names are relative to the file's folder. For the meaning of the fields see
// conform.Target and conform.Fixture.
type Fixture struct {
	// Server describes the server: "real FooDB 4.2", "embedded FooDB".
	Server string `yaml:"server"`
	// Config has the keys of a connection, Secrets the references to its secrets by key.
	Config  map[string]any    `yaml:"config"`
	Secrets map[string]string `yaml:"secrets"`
	// WrongSecrets, Unreachable and Writer replace keys of Config: by secrets that the server
	// refuses, by a server that does not exist, by an account that may write.
	WrongSecrets map[string]string `yaml:"wrong_secrets"`
	Unreachable  map[string]any    `yaml:"unreachable"`
	Writer       map[string]any    `yaml:"writer"`
	// Setup are files with the SQL that creates the tables. Admin runs them first.
	Setup []string `yaml:"setup"`
	Admin Admin    `yaml:"admin"`
	// Reread are queries that Admin runs; their output must not change.
	Reread []string `yaml:"reread"`
	// Running is a query for Admin that returns rows while slow_sql runs. End is a statement that
	// ends slow_sql, Disconnect one that closes every connection of the account.
	Running    string `yaml:"running"`
	End        string `yaml:"end"`
	Disconnect string `yaml:"disconnect"`
	// RowsSQL is a query that returns {n} rows with the numbers from 1; TextSQL one that returns a
	// text of {n} letters x.
	RowsSQL    string `yaml:"rows_sql"`
	TextSQL    string `yaml:"text_sql"`
	SlowSQL    string `yaml:"slow_sql"`
	SessionSQL string `yaml:"session_sql"`
	// Tables is a file with the tables that a scan must return, Cases a folder with cases (see
	// conform.LoadCases), Attacks a file with additional attacks.
	Tables  string          `yaml:"tables"`
	Cases   string          `yaml:"cases"`
	Attacks string          `yaml:"attacks"`
	Reach   *Reach          `yaml:"reach"`
	Skips   map[string]Skip `yaml:"skips"`

	path string
}

// Admin is a command that runs the SQL on its standard input, without the connector. Env are the
// environment variables that it needs.
type Admin struct {
	Run []string `yaml:"run"`
	Env []string `yaml:"env"`
}

// Reach are objects that hide a write behind a view or a function: the files that make
// them, a file with the statements that name them, the tables among them that a profile
// can name, and queries whose output by Admin must not change.
type Reach struct {
	Setup      []string    `yaml:"setup"`
	Statements string      `yaml:"statements"`
	Tables     []reachable `yaml:"tables"`
	Reread     []string    `yaml:"reread"`
}

type reachable struct {
	Catalog string `yaml:"catalog"`
	Schema  string `yaml:"schema"`
	Name    string `yaml:"name"`
}

// Skip is why a check is skipped.
type Skip struct {
	Reason  string `yaml:"reason"`
	Because string `yaml:"because"`
}

var classes = map[string]conform.Class{"engine": conform.ByEngine, "driver": conform.ByDriver, "todo": conform.ToDo}

// ReadFixture reads a fixture.
// Errors: KindNotFound without the file; KindInvalid, with the line, for invalid content.
func ReadFixture(path string) (*Fixture, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the fixture cannot be read: %w", err)
	}
	f := &Fixture{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, f.invalid(path, "%s", inWords(err))
	}
	if f.path, err = filepath.Abs(path); err != nil {
		return nil, f.invalid(path, "%w", err)
	}
	if f.Server == "" {
		return nil, f.invalid(path, "server is missing: say what the configuration leads to, such as \"real FooDB 4.2\"")
	}
	for name, skip := range f.Skips {
		if _, ok := classes[skip.Because]; !ok {
			return nil, f.invalid(path, "skips: %s is skipped because of %q, which is none of engine, driver or todo", name, skip.Because)
		}
	}
	return f, nil
}

func (f *Fixture) invalid(path, format string, args ...any) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s: %w", path, fmt.Errorf(format, args...)).
		WithHint("docs/connectors/writing.md lists the keys of a fixture")
}

var unknownKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type \S+`) })

// inWords rewrites errors of the YAML library about unknown keys, without names of Go types.
func inWords(err error) string {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return err.Error()
	}
	return unknownKey().ReplaceAllString(strings.Join(wrong.Errors, "; "), `there is no key "$1"`)
}

// file returns the path of a file that the fixture names.
func (f *Fixture) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.dir(), name)
}

// others returns the files of the fixture that are in the folder of the cases, but are no cases.
func (f *Fixture) others() (names []string) {
	for _, name := range f.named() {
		if filepath.Dir(f.file(name)) == filepath.Clean(f.file(f.Cases)) {
			names = append(names, filepath.Base(name))
		}
	}
	return names
}

// named are the files that the fixture names one by one, as it names them.
func (f *Fixture) named() []string {
	names := append(slices.Clone(f.Setup), f.Tables, f.Attacks)
	if f.Reach != nil {
		names = append(append(names, f.Reach.Setup...), f.Reach.Statements)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (f *Fixture) dir() string { return filepath.Dir(f.path) }

// skips returns the checks to skip, by class.
func (f *Fixture) skips() map[conform.Class]map[string]string {
	all := map[conform.Class]map[string]string{}
	for name, skip := range f.Skips {
		class := classes[skip.Because]
		if all[class] == nil {
			all[class] = map[string]string{}
		}
		all[class][name] = skip.Reason
	}
	return all
}

// numbered returns a function that replaces {n} in a statement.
func numbered(sql string) func(int) string {
	if sql == "" {
		return nil
	}
	return func(n int) string { return strings.ReplaceAll(sql, "{n}", fmt.Sprint(n)) }
}

// table is a table of the file Tables.
type table struct {
	Catalog string `json:"catalog"`
	Schema  string `json:"schema"`
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Comment string `json:"comment"`
	Columns []struct {
		Name      string `json:"name"`
		Type      string `json:"type"`
		Native    string `json:"native"`
		Nullable  bool   `json:"nullable"`
		Comment   string `json:"comment"`
		Precision int    `json:"precision"`
		Scale     int    `json:"scale"`
	} `json:"columns"`
	Keys []struct {
		Kind       string   `json:"kind"`
		Name       string   `json:"name"`
		Columns    []string `json:"columns"`
		RefSchema  string   `json:"ref_schema"`
		RefTable   string   `json:"ref_table"`
		RefColumns []string `json:"ref_columns"`
		Enforced   bool     `json:"enforced"`
	} `json:"keys"`
}

var keyKinds = map[string]sdk.KeyKind{
	"primary": sdk.KeyPrimary, "unique": sdk.KeyUnique, "foreign": sdk.KeyForeign, "partition": sdk.KeyPartition, "cluster": sdk.KeyCluster,
}

func typeNamed(name string) (sdk.Type, error) {
	for _, t := range sdk.Types() {
		if t.String() == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%q is no type", name)
}

// tables reads the file Tables.
func (f *Fixture) tables() ([]sdk.Table, error) {
	if f.Tables == "" {
		return nil, nil
	}
	path := f.file(f.Tables)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, f.invalid(f.path, "tables: %w", err)
	}
	var listed []table
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&listed); err != nil {
		return nil, f.invalid(path, "%w", err)
	}
	tables := make([]sdk.Table, len(listed))
	for i := range listed {
		if tables[i], err = listed[i].table(); err != nil {
			return nil, f.invalid(path, "table %s: %w", listed[i].Name, err)
		}
	}
	return tables, nil
}

func (t *table) table() (sdk.Table, error) {
	made := sdk.Table{
		TableRef: sdk.TableRef{Catalog: t.Catalog, Schema: t.Schema, Name: t.Name}, Kind: sdk.TableKind(t.Kind), Comment: t.Comment,
	}
	for _, c := range t.Columns {
		typ, err := typeNamed(c.Type)
		if err != nil {
			return made, err
		}
		made.Columns = append(made.Columns, sdk.Column{
			Name: c.Name, Type: typ, NativeType: c.Native, Nullable: c.Nullable, Comment: c.Comment, Precision: c.Precision, Scale: c.Scale,
		})
	}
	for _, k := range t.Keys {
		kind, ok := keyKinds[k.Kind]
		if !ok {
			return made, fmt.Errorf("%q is no kind of key", k.Kind)
		}
		key := sdk.Key{Kind: kind, Name: k.Name, Columns: k.Columns, RefColumns: k.RefColumns, Enforced: k.Enforced}
		if k.RefTable != "" {
			key.Ref = sdk.TableRef{Schema: k.RefSchema, Name: k.RefTable}
		}
		made.Keys = append(made.Keys, key)
	}
	return made, nil
}

// attacks reads the file Attacks.
func (f *Fixture) attacks() ([]conform.Attack, error) {
	var listed []struct {
		Name     string `yaml:"name"`
		SQL      string `yaml:"sql"`
		Harmless bool   `yaml:"harmless"`
		Guard    bool   `yaml:"guard"`
	}
	if err := f.list("attacks", f.Attacks, &listed); err != nil {
		return nil, err
	}
	attacks := make([]conform.Attack, len(listed))
	for i, a := range listed {
		attacks[i] = conform.Attack{Name: a.Name, SQL: a.SQL, Harmless: a.Harmless, Guard: a.Guard}
	}
	return attacks, nil
}

// reach makes the kit's part of Reach; nil = there is none. stray is a folder where no file
// may appear.
func (f *Fixture) reach(stray string) (*conform.Reach, error) {
	if f.Reach == nil {
		return nil, nil
	}
	var listed []struct {
		Name     string   `yaml:"name"`
		SQL      string   `yaml:"sql"`
		Behind   string   `yaml:"behind"`
		Path     []string `yaml:"path"`
		Harmless bool     `yaml:"harmless"`
	}
	if err := f.list("reach", f.Reach.Statements, &listed); err != nil {
		return nil, err
	}
	made := &conform.Reach{Reread: f.reread(f.Reach.Reread, stray)}
	for _, h := range listed {
		if h.Behind != "" && !slices.Contains(corpus.Behind(), h.Behind) {
			return nil, f.invalid(f.file(f.Reach.Statements), "%s stands behind %q, which is none of %s", h.Name, h.Behind, strings.Join(corpus.Behind(), ", "))
		}
		made.Statements = append(made.Statements, conform.Hidden{Name: h.Name, SQL: h.SQL, Behind: h.Behind, Path: h.Path, Harmless: h.Harmless})
	}
	for _, t := range f.Reach.Tables {
		made.Tables = append(made.Tables, sdk.TableRef(t))
	}
	return made, nil
}

// list reads a YAML file of the fixture into a list; "" = there is none.
func (f *Fixture) list(key, name string, into any) error {
	if name == "" {
		return nil
	}
	path := f.file(name)
	text, err := os.ReadFile(path)
	if err != nil {
		return f.invalid(f.path, "%s: %w", key, err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return f.invalid(path, "%s", inWords(err))
	}
	return nil
}
