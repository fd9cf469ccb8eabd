package connection

import (
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// URL is a connection URL, such as foodb://reader:secret@host:5432/database. It may
// hold a secret: it has no method that prints it, and no error quotes it.
type URL struct {
	scheme, rest string // in front of and behind the first ":"
}

// ParseURL reads a connection URL and reports whether a text is one. It drops the prefix
// jdbc: and the driver in a scheme such as foodb+driver. USER:PASSWORD@tcp(HOST:PORT)/NAME
// is one with the scheme "tcp()".
func ParseURL(text string) (URL, bool) {
	scheme, rest, ok := strings.Cut(strings.TrimPrefix(text, "jdbc:"), ":")
	scheme, _, _ = strings.Cut(strings.ToLower(scheme), "+")
	if !ok || scheme == "" || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || !strings.HasPrefix(rest, "//") {
		return parseDSN(text)
	}
	return URL{scheme: scheme, rest: rest}, true
}

// parseDSN reads [USER[:PASSWORD]@]NETWORK(ADDRESS)/NAME[?PARAMETERS], in which nothing but
// the parameters is escaped.
func parseDSN(text string) (URL, bool) {
	head, tail, ok := cutLast(text, ")/")
	account, place, named := cutLast(head, "@")
	if !named {
		account, place = "", head
	}
	network, address, opened := strings.Cut(place, "(")
	if !ok || !opened || network != "tcp" && network != "unix" {
		return URL{}, false
	}
	if network == "unix" {
		address = url.PathEscape(address)
	}
	if named {
		user, password, _ := strings.Cut(account, ":")
		address = url.PathEscape(user) + ":" + url.PathEscape(password) + "@" + address
	}
	name, parameters, _ := strings.Cut(tail, "?")
	return URL{scheme: network + "()", rest: "//" + address + "/" + url.PathEscape(name) + "?" + parameters}, true
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// Scheme returns the scheme, in lower case.
func (u URL) Scheme() string { return u.scheme }

// Schemes returns the URL schemes that a connector accepts.
func Schemes(configSchema json.RawMessage) []string { return lenient(configSchema).Schemes }

// ExampleURL returns a connection URL for a connector, with the names of its keys in place
// of values; "" for a connector without URLs.
func ExampleURL(configSchema json.RawMessage) string {
	m := newMapping(configSchema)
	if len(m.shape.Schemes) == 0 || m.key("host") == "" {
		return ""
	}
	example := m.shape.Schemes[0] + "://"
	if m.key("user") != "" {
		example += "USER:PASSWORD@"
	}
	example += strings.ToUpper(m.key("host"))
	for _, part := range []string{"database", "schema"} {
		if key := m.key(part); key != "" {
			example += "/" + strings.ToUpper(key)
		}
	}
	return example
}

// lenient is the schema, or nothing for one that is none: whoever uses it for a
// connection reports that.
func lenient(configSchema json.RawMessage) (shape schema) {
	if json.Unmarshal(configSchema, &shape) != nil {
		return schema{}
	}
	return shape
}

// FromURL is a connector's configuration as read from a URL.
type FromURL struct {
	Values  map[string]string     // by key
	Secrets map[string]sdk.Secret // by key
	Ignored []string              // parameters without a matching key
	Name    string                // of the database or the file; an id can be derived from it
}

// Config returns the URL's content under the keys of a connector's schema.
// Errors: KindInvalid for a malformed URL and for content without a matching key.
func (u URL) Config(configSchema json.RawMessage) (FromURL, error) {
	m := newMapping(configSchema)
	rest, query, _ := strings.Cut(u.rest, "?")
	if strings.Contains(query, "@") && !strings.Contains(rest, "@") {
		return m.FromURL, unescaped() // the ? may be one of the password
	}
	err := m.location(u.scheme, rest)
	if err == nil {
		err = m.parameters(query)
	}
	m.schemeMeans(u.scheme)
	return m.FromURL, err
}

// FromParts returns the configuration of a URL with these parts, by the names of ConfigOf's
// url tag, and these parameters. Nothing in them is escaped.
// Shape: a part without a matching key is ignored. The result has no Name.
func FromParts(configSchema json.RawMessage, scheme string, parts map[string]string, parameters [][2]string) FromURL {
	m := newMapping(configSchema)
	for part, text := range parts {
		if key := m.key(part); key != "" && text != "" {
			m.set(key, text)
		}
	}
	m.given(parameters)
	m.schemeMeans(scheme)
	return m.FromURL
}

func newMapping(configSchema json.RawMessage) mapping {
	return mapping{FromURL: FromURL{Values: map[string]string{}, Secrets: map[string]sdk.Secret{}}, shape: lenient(configSchema)}
}

// schemeMeans adds the keys that a scheme stands for.
func (m *mapping) schemeMeans(scheme string) {
	for _, meaning := range m.shape.Meanings {
		if meaning.Scheme == scheme {
			m.means(meaning)
		}
	}
}

// means adds the keys that a part of the URL stands for and that it does not give itself.
func (m *mapping) means(meaning sdk.URLMeaning) {
	for key, value := range meaning.Keys {
		if _, given := m.Values[key]; !given {
			m.set(key, value)
		}
	}
}

// ReaderSQL returns the statements that create a least-privilege account for a connector;
// nil where the connector has none.
func ReaderSQL(configSchema json.RawMessage) []string { return lenient(configSchema).Reader }

// mapping collects the parts of a URL by the keys of a schema.
type mapping struct {
	FromURL
	shape schema
}

func wrongURL(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the URL of the connection "+format, args...).
		WithHint("write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE, or give KEY=VALUE arguments; see loam connector show NAME")
}

func unescaped() *sdk.Error {
	return wrongURL("has a character that must be escaped").
		WithHint("in the user and the password write / as %%2F, # as %%23, ? as %%3F and @ as %%40")
}

func (m *mapping) location(scheme, rest string) error {
	rest = strings.TrimPrefix(rest, "//")
	if m.key(partFile) != "" {
		return m.part(partFile, rest)
	}
	authority, database, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "#") || strings.Contains(database, "@") {
		return unescaped()
	}
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		user, password, _ := strings.Cut(authority[:at], ":")
		if err := m.part("user", user); err != nil {
			return err
		}
		if err := m.part("password", password); err != nil {
			return err
		}
		authority = authority[at+1:]
	}
	host, port := authority, ""
	if strings.LastIndex(authority, ":") > strings.LastIndex(authority, "]") {
		var err error
		if host, port, err = net.SplitHostPort(authority); err != nil {
			return wrongURL("has no host that can be read")
		}
		if strings.Trim(port, "0123456789") != "" {
			return unescaped() // it may be the beginning of a password
		}
	}
	database, schema := strings.TrimSuffix(database, "/"), ""
	if m.key("schema") != "" {
		database, schema, _ = strings.Cut(database, "/")
	}
	for part, text := range map[string]string{"host": strings.Trim(host, "[]"), "port": port, "database": database, "schema": schema} {
		if err := m.part(part, text); err != nil {
			return err
		}
	}
	return nil
}

// key returns the key that has a part of a URL, "" for none.
func (m *mapping) key(part string) string {
	key, _ := m.shape.part(part)
	return key
}

func (m *mapping) part(part, text string) error {
	if text == "" {
		return nil
	}
	decoded, err := url.PathUnescape(text)
	if err != nil {
		return wrongURL("has a %% that begins no escape in its %s", part).WithHint("write %% as %%25")
	}
	key := m.key(part)
	if key == "" {
		return wrongURL("has a %s, and no key of the connector stands for it", part)
	}
	if part == "database" || part == partFile {
		m.Name = decoded
	}
	m.set(key, decoded)
	return nil
}

func (m *mapping) set(key, text string) {
	p := m.shape.Properties[key]
	if p.Secret {
		m.Secrets[key] = sdk.NewSecret(text)
		return
	}
	if p.Format == formatDuration && strings.Trim(text, "0123456789") == "" {
		text += "s" // as drivers count
	}
	m.Values[key] = text
}

var parameterName = text.Pattern(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// parameters reads the parameters of a URL.
func (m *mapping) parameters(query string) error {
	var all [][2]string
	for pair := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(pair, "=")
		name, errName := url.QueryUnescape(name)
		text, err := url.QueryUnescape(text)
		if err != nil || errName != nil {
			return wrongURL("has a %% that begins no escape in its parameters").WithHint("write %% as %%25")
		}
		if name == "" {
			continue
		}
		if !parameterName().MatchString(name) {
			return unescaped() // it may be the end of a password
		}
		all = append(all, [2]string{name, text})
	}
	m.given(all)
	return nil
}

// given maps sslmode=require, ssl-mode=require and the like by the keys' names.
func (m *mapping) given(parameters [][2]string) {
	plain := strings.NewReplacer("-", "", "_", "")
	var meant []sdk.URLMeaning
	for _, pair := range parameters {
		name, text := pair[0], pair[1]
		if i := slices.IndexFunc(m.shape.Meanings, func(u sdk.URLMeaning) bool { return u.Parameter == name && u.Value == text }); i >= 0 {
			meant = append(meant, m.shape.Meanings[i])
			continue
		}
		known := ""
		for key, p := range m.shape.Properties {
			if p.Properties == nil && plain.Replace(key) == plain.Replace(strings.ToLower(name)) {
				known = key
			}
		}
		if known == "" {
			m.Ignored = append(m.Ignored, name)
			continue
		}
		m.set(known, text)
	}
	for _, meaning := range slices.Backward(meant) { // the later parameter comes first
		m.means(meaning)
	}
	slices.Sort(m.Ignored)
}
