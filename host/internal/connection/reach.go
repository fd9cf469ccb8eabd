package connection

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Reach lists the settings of a connection that decide where it connects and what
// it may do there.
type Reach struct {
	// Values are the configured keys by dotted path, without secrets, durations and
	// the keys that the schema marks as harmless. Paths are absolute.
	Values map[string]any
	// Paths are the files and folders among the values, by dotted path, absolute.
	Paths map[string][]string
	// Secrets are the references to secrets, by dotted path.
	Secrets map[string]string
	// Local: the connection opens these files, and its schema has no key that could
	// name anything else.
	Local bool
}

// ReachOf returns the reach of c. isReference reports whether a text is a reference
// to a secret.
// Errors: KindInternal when the connector's schema is no JSON Schema.
func ReachOf(c Connection, configSchema json.RawMessage, isReference func(string) bool) (Reach, error) {
	shape, err := parseSchema(c, configSchema)
	if err != nil {
		return Reach{}, err
	}
	w := reaching{
		splitter: splitter{dir: c.Dir, isReference: isReference, references: map[string]string{}},
		values:   map[string]any{}, paths: map[string][]string{},
	}
	bound := w.object("", c.Config, shape)
	return Reach{
		Values: w.values, Paths: w.paths, Secrets: w.splitter.references,
		Local: bound && len(w.paths) > 0 && len(w.splitter.references) == 0 && len(w.splitter.literals) == 0,
	}, nil
}

// reaching collects a Reach.
type reaching struct {
	splitter splitter
	values   map[string]any
	paths    map[string][]string
}

// object collects the given keys. It reports whether nothing but files was given
// or is assumed.
func (w *reaching) object(prefix string, given map[string]any, shape schema) (files bool) {
	files = true
	for key, value := range given {
		if value != nil && !w.value(prefix+key, value, shape.Properties[key]) {
			files = false
		}
	}
	for key, property := range shape.Properties {
		switch {
		case given[key] != nil:
		case len(property.Properties) > 0:
			files = w.object(prefix+key+".", nil, property) && files
		case property.Harmless, property.path(), property.Format == formatDuration:
		case property.Default != nil, slices.Contains(shape.Required, key):
			files = false
		}
	}
	return files
}

func (w *reaching) value(path string, value any, property schema) (files bool) {
	if property.Secret {
		w.splitter.secret(path, value)
		return false
	}
	if property.Harmless || property.Format == formatDuration {
		return true
	}
	if inner, ok := value.(map[string]any); ok {
		return w.object(path+".", inner, property)
	}
	if !property.path() {
		w.values[path] = value
		return false
	}
	var all []string
	if list, ok := value.([]any); ok {
		for _, one := range list {
			all = append(all, w.splitter.absolute(fmt.Sprint(one)))
		}
		w.values[path] = all
	} else {
		all = []string{w.splitter.absolute(fmt.Sprint(value))}
		w.values[path] = all[0]
	}
	w.paths[path] = all
	return true
}

// path reports whether a key names a file or folder, or a list of such.
func (s schema) path() bool {
	return s.Format == formatPath || s.Items != nil && s.Items.Format == formatPath
}
