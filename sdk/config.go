package sdk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is a connection's configuration as a connector receives it: one JSON
// object without secrets, and the secrets by dotted path ("password",
// "tls.key").
type Config struct {
	JSON    json.RawMessage
	Secrets map[string]Secret
}

// ConfigSpec is the shape of a connector's configuration.
type ConfigSpec struct {
	// Schema is its JSON Schema (draft 2020-12), an object. Secrets are strings with
	// "x-secret": true, harmless keys have "x-harmless": true. "x-schemes" are the schemes of
	// connection URLs, "x-url" is the part of a URL that sets a key, "x-extensions" are the
	// file extensions of a path, "x-begins" is the text that such a file has at the byte
	// "x-begins-at", "x-url-means" holds the values of Means and "x-reader" those of Reader.
	// A host that does not know them ignores them.
	Schema json.RawMessage
	shape  reflect.Type
	object *property
}

// URLMeaning sets configuration keys by the scheme of a URL or one of its parameters: https
// sets a protocol, secure=true a TLS mode.
type URLMeaning struct {
	// Scheme is the scheme; "tcp()" stands for the form USER:PASSWORD@tcp(HOST:PORT)/DATABASE.
	Scheme string `json:"scheme,omitempty"`
	// Parameter and Value are those of a parameter.
	Parameter string `json:"parameter,omitempty"`
	Value     string `json:"value,omitempty"`
	// Keys are the values of keys. A value that the URL gives for a key takes precedence.
	Keys map[string]string `json:"keys,omitempty"`
}

// Means returns the spec with the meanings of URL schemes and parameters.
func (s ConfigSpec) Means(meanings ...URLMeaning) ConfigSpec {
	object := *s.object
	object.Meanings = append(slices.Clone(object.Meanings), meanings...)
	for _, m := range meanings {
		if m.Scheme != "" {
			object.Schemes = append(slices.Clone(object.Schemes), m.Scheme)
		}
	}
	return s.with(&object)
}

// Reader returns the spec with the statements that create a least-privilege account, in the
// warehouse's SQL; the administrator fills in the words in <angle brackets>.
func (s ConfigSpec) Reader(statements ...string) ConfigSpec {
	object := *s.object
	object.Reader = statements
	return s.with(&object)
}

func (s ConfigSpec) with(object *property) ConfigSpec {
	schema, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("sdk: schema of %s: %v", s.shape, err))
	}
	s.object, s.Schema = object, schema
	return s
}

// ConfigOf derives the shape from a struct. Fields are string, bool, int,
// float64, []string, time.Duration (written "30s", at least a millisecond),
// Secret or a struct of such. Tags: json names the key,
// doc describes it (both are needed), required:"true" (not on a struct),
// default (a list by commas), enum:"a|b" for strings and lists, min and max
// for numbers, format (of a list, that of its members; "path" = a file or
// folder), harmless:"true" for a key that changes neither where the connection
// goes nor what it may do there: nobody is asked to trust the connection again
// when it changes, url (host, port, user, password, database, schema or file) for the
// key of that part of a URL, or folder for a list of folders with files, extensions
// (".a|.b") for the endings of files that the key may name or that are in such folders,
// begins and beginsAt for the text by which such a file is known and the byte where it
// begins, 0 without beginsAt.
//
// urlSchemes are the schemes of the URLs that name such a warehouse, such as
// "foodb" for foodb://user@host/database.
// It panics on a struct that breaks these rules: a fault of the program.
func ConfigOf[T any](urlSchemes ...string) ConfigSpec {
	shape := reflect.TypeFor[T]()
	object := objectSchema(shape)
	object.Schemes = urlSchemes
	return ConfigSpec{shape: shape}.with(object)
}

type property struct {
	Type                 string               `json:"type,omitempty"`
	Description          string               `json:"description,omitempty"`
	Default              any                  `json:"default,omitempty"`
	Enum                 []string             `json:"enum,omitempty"`
	Format               string               `json:"format,omitempty"`
	Minimum              *int                 `json:"minimum,omitempty"`
	Maximum              *int                 `json:"maximum,omitempty"`
	Items                *property            `json:"items,omitempty"`
	Properties           map[string]*property `json:"properties,omitempty"`
	Required             []string             `json:"required,omitempty"`
	AdditionalProperties *bool                `json:"additionalProperties,omitempty"`
	Secret               bool                 `json:"x-secret,omitempty"`
	Harmless             bool                 `json:"x-harmless,omitempty"`
	Order                int                  `json:"x-order,omitempty"`
	Schemes              []string             `json:"x-schemes,omitempty"`
	Meanings             []URLMeaning         `json:"x-url-means,omitempty"`
	Reader               []string             `json:"x-reader,omitempty"`
	URL                  string               `json:"x-url,omitempty"`
	Extensions           []string             `json:"x-extensions,omitempty"`
	Begins               string               `json:"x-begins,omitempty"`
	BeginsAt             int                  `json:"x-begins-at,omitempty"`
}

func objectSchema(shape reflect.Type) *property {
	closed := false
	object := &property{Type: "object", Properties: map[string]*property{}, AdditionalProperties: &closed}
	for i, f := range configFields(shape) {
		p := fieldSchema(f)
		p.Order = i + 1
		name := f.Tag.Get("json")
		object.Properties[name] = p
		if f.Tag.Get("required") == "true" {
			object.Required = append(object.Required, name)
		}
	}
	return object
}

// configFields returns the fields in order, those of embedded structs in place.
func configFields(shape reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for f := range shape.Fields() {
		switch {
		case f.Anonymous:
			fields = append(fields, configFields(f.Type)...)
		case f.Tag.Get("json") == "" || f.Tag.Get("doc") == "" || !f.IsExported():
			panic(fmt.Sprintf("sdk: field %s of %s must be exported and have a json and a doc tag", f.Name, shape))
		default:
			fields = append(fields, f)
		}
	}
	return fields
}

func fieldSchema(f reflect.StructField) *property {
	p := &property{}
	switch {
	case f.Type == reflect.TypeFor[Secret]():
		p.Type, p.Secret = "string", true
	case f.Type.Kind() == reflect.Struct:
		p = objectSchema(f.Type)
	case f.Type == reflect.TypeFor[[]string]():
		p.Type, p.Items = "array", &property{Type: "string"}
	case f.Type == durationType:
		p.Type, p.Format = "string", "duration"
	default:
		p.Type = map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number"}[f.Type.Kind()]
	}
	if p.Type == "" {
		panic(fmt.Sprintf("sdk: field %s has the unsupported type %s", f.Name, f.Type))
	}
	p.Description, p.URL = f.Tag.Get("doc"), f.Tag.Get("url")
	if p.URL != "" && !slices.Contains(urlParts, p.URL) {
		panic(fmt.Sprintf("sdk: field %s is the part %q of a URL, which is none of %s", f.Name, p.URL, strings.Join(urlParts, ", ")))
	}
	if p.URL == "folder" && p.Type != "array" {
		panic(fmt.Sprintf("sdk: field %s stands for folders and is no list", f.Name))
	}
	if extensions := f.Tag.Get("extensions"); extensions != "" {
		p.Extensions = strings.Split(extensions, "|")
	}
	p.Begins = f.Tag.Get("begins")
	if at := bound(f, "beginsAt"); at != nil {
		p.BeginsAt = *at
	}
	if p.Harmless = f.Tag.Get("harmless") == "true"; p.Harmless && (p.Secret || p.Type == "object") {
		panic(fmt.Sprintf("sdk: field %s is a secret or a struct: neither is harmless as a whole", f.Name))
	}
	if format := f.Tag.Get("format"); p.Items != nil {
		p.Items.Format = format
	} else {
		p.Format = cmp.Or(p.Format, format)
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		p.setEnum(f, strings.Split(enum, "|"))
	}
	p.Minimum, p.Maximum = bound(f, "min"), bound(f, "max")
	if (p.Minimum != nil || p.Maximum != nil) && p.Type != "integer" && p.Type != "number" {
		panic(fmt.Sprintf("sdk: field %s has bounds and is no number", f.Name))
	}
	if p.Type == "object" && f.Tag.Get("required") != "" {
		panic(fmt.Sprintf("sdk: field %s is a struct: mark what it must hold as required", f.Name))
	}
	if def, ok := f.Tag.Lookup("default"); ok {
		value := reflect.New(f.Type).Elem()
		setDefault(value, def)
		if p.Default = value.Interface(); f.Type == durationType {
			p.Default = def
		}
	}
	return p
}

// urlParts are what a key may have of a URL.
var urlParts = []string{"host", "port", "user", "password", "database", "schema", "file", "folder"}

var durationType = reflect.TypeFor[time.Duration]()

// parseDuration reads a configured length of time.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d < time.Millisecond {
		err = fmt.Errorf("%s is less than a millisecond", text)
	}
	return d, err
}

func (p *property) setEnum(f reflect.StructField, words []string) {
	switch {
	case p.Type == "array":
		p.Items.Enum = words
	case p.Type == "string" && !p.Secret:
		p.Enum = words
	default:
		panic(fmt.Sprintf("sdk: field %s has an enum and is no string", f.Name))
	}
}

func bound(f reflect.StructField, tag string) *int {
	text := f.Tag.Get(tag)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("sdk: tag %s of field %s: %v", tag, f.Name, err))
	}
	return &n
}

func setDefault(v reflect.Value, text string) {
	if v.Kind() == reflect.String {
		v.SetString(text)
		return
	}
	if v.Type() == reflect.TypeFor[[]string]() {
		v.Set(reflect.ValueOf(strings.Split(text, ",")))
		return
	}
	if v.Type() == durationType {
		d, err := parseDuration(text)
		if err != nil {
			panic(fmt.Sprintf("sdk: default %q is no duration: %v", text, err))
		}
		v.SetInt(int64(d))
		return
	}
	if err := json.Unmarshal([]byte(text), v.Addr().Interface()); err != nil {
		panic(fmt.Sprintf("sdk: default %q is no %s: %v", text, v.Type(), err))
	}
}

// Decode checks the configuration against the struct that into points to (the
// one given to ConfigOf), fills in defaults and secrets, and stores it there.
// Errors: one KindInvalid error that lists every problem.
func (c Config) Decode(into any) error {
	problems := c.decode(reflect.ValueOf(into).Elem())
	if len(problems) == 0 {
		return nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = cmp.Or(p.Path, "the configuration") + ": " + p.Summary
	}
	return Errorf(KindInvalid, SourceHost, "%s", strings.Join(lines, "; "))
}

// Validate reports every violation of the schema by a configuration.
func (s ConfigSpec) Validate(c Config) []Diagnostic {
	return c.decode(reflect.New(s.shape).Elem())
}

func (c Config) decode(into reflect.Value) []Diagnostic {
	raw := c.JSON
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := &configDecoder{secrets: maps.Clone(c.Secrets)}
	d.object("", raw, into)
	for _, path := range slices.Sorted(maps.Keys(d.secrets)) {
		d.problem(path, "is not a secret of this connector")
	}
	return d.problems
}

type configDecoder struct {
	secrets  map[string]Secret // not yet used
	problems []Diagnostic
}

func (d *configDecoder) problem(path, format string, args ...any) {
	d.problems = append(d.problems, Diagnostic{Severity: SeverityError, Path: path, Summary: fmt.Sprintf(format, args...)})
}

func (d *configDecoder) object(prefix string, raw json.RawMessage, into reflect.Value) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		d.problem(strings.TrimSuffix(prefix, "."), "must be a JSON object")
		return
	}
	var known []string
	for _, f := range configFields(into.Type()) {
		name := f.Tag.Get("json")
		known = append(known, name)
		d.field(prefix+name, f, given[name], into.FieldByName(f.Name))
		delete(given, name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		d.problem(prefix+name, "unknown key; known keys: %s", strings.Join(known, ", "))
	}
}

func (d *configDecoder) field(path string, f reflect.StructField, raw json.RawMessage, into reflect.Value) {
	if into.Type() == reflect.TypeFor[Secret]() {
		if secret, ok := d.secrets[path]; ok {
			into.Set(reflect.ValueOf(secret))
			delete(d.secrets, path)
		} else if f.Tag.Get("required") == "true" {
			d.problem(path, "is required")
		}
		if raw != nil {
			d.problem(path, "is a secret and must be given by reference, not in the configuration")
		}
		return
	}
	if into.Kind() == reflect.Struct {
		if raw == nil {
			raw = json.RawMessage("{}")
		}
		d.object(path+".", raw, into)
		return
	}
	if raw == nil || string(raw) == "null" {
		if def, ok := f.Tag.Lookup("default"); ok {
			setDefault(into, def)
		} else if f.Tag.Get("required") == "true" {
			d.problem(path, "is required")
		}
		return
	}
	if into.Type() == durationType {
		d.duration(path, raw, into)
		return
	}
	if err := json.Unmarshal(raw, into.Addr().Interface()); err != nil {
		d.problem(path, "must be %s", article(fieldSchema(f).Type))
		return
	}
	d.bounds(path, f, into)
}

func (d *configDecoder) duration(path string, raw json.RawMessage, into reflect.Value) {
	var text string
	err := json.Unmarshal(raw, &text)
	var length time.Duration
	if err == nil {
		length, err = parseDuration(text)
	}
	if err != nil {
		d.problem(path, "must be a duration of a millisecond or more, such as 30s or 5m")
		return
	}
	into.SetInt(int64(length))
}

func (d *configDecoder) bounds(path string, f reflect.StructField, v reflect.Value) {
	p := fieldSchema(f)
	if p.Enum != nil && !slices.Contains(p.Enum, v.String()) {
		d.problem(path, "must be one of %s", strings.Join(p.Enum, ", "))
	}
	if list, ok := v.Interface().([]string); ok && p.Items.Enum != nil {
		for _, word := range list {
			if !slices.Contains(p.Items.Enum, word) {
				d.problem(path, "has %q; each must be one of %s", word, strings.Join(p.Items.Enum, ", "))
			}
		}
	}
	var n float64
	switch v.Kind() {
	case reflect.Int:
		n = float64(v.Int())
	case reflect.Float64:
		n = v.Float()
	default:
		return
	}
	if p.Minimum != nil && n < float64(*p.Minimum) {
		d.problem(path, "must be at least %d", *p.Minimum)
	}
	if p.Maximum != nil && n > float64(*p.Maximum) {
		d.problem(path, "must be at most %d", *p.Maximum)
	}
}

func article(typ string) string {
	switch typ {
	case "array":
		return "a list of strings"
	case "integer":
		return "an integer"
	default:
		return "a " + typ
	}
}
