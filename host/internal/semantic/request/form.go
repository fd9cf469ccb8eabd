package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// form is an object of a request: its keys in the order in which they are read, and
// other words for them, after spelling: orderBy is order_by.
type form[T any] struct {
	members []member[T]
	aliases map[string]string
}

// member is a key and who reads what stands under it; nil = whoever reads the object.
type member[T any] struct {
	key  string
	read func(*normaliser, given, *T)
}

// given is what stands under a key.
type given struct {
	key   string // as it was written, with the place before it
	value any
}

// fields are what an object says, by its canonical keys.
type fields map[string][]given

// has reports whether one of the keys is said.
func (f fields) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return f[key] != nil })
}

func (f *form[T]) keys() (all []string) {
	for _, m := range f.members {
		all = append(all, m.key)
	}
	return all
}

// read reads an object into a value.
func (f *form[T]) read(n *normaliser, where string, o *object, to *T) fields {
	said := n.fields(where, o, f.keys(), f.aliases)
	for _, m := range f.members {
		for _, g := range said[m.key] {
			if m.read != nil && n.refused == nil {
				m.read(n, g, to)
			}
		}
	}
	return said
}

// answerKey is how answers spell connection_id. It is no other shape.
const answerKey = "connectionId"

// mergeable keys may be said in several ways at once: what they say adds up.
var mergeable = []string{"filters"}

// fields sorts what an object says by its canonical keys. It refuses an unknown key,
// with the nearest one, and a key said twice.
func (n *normaliser) fields(where string, o *object, known []string, aliases map[string]string) fields {
	said := fields{}
	for i, key := range o.keys {
		canonical := key
		if !slices.Contains(known, key) {
			canonical = snake(key)
			if alias, ok := aliases[canonical]; ok {
				canonical = alias
			}
			if !slices.Contains(known, canonical) {
				n.unknownKey(where, key, known)
				return nil
			}
		}
		if o.values[i] == nil {
			continue
		}
		if before := said[canonical]; len(before) > 0 && !slices.Contains(mergeable, canonical) {
			n.invalid(inside(where, key), "%s says the same as %s", refusal.Quote(key), refusal.Quote(before[0].key)).Advise("say it once, as %q", canonical)
			return nil
		}
		if canonical != key && key != answerKey {
			n.note("key "+key, fmt.Sprintf("%s was read as %s", refusal.Quote(inside(where, key)), canonical))
		}
		said[canonical] = append(said[canonical], given{inside(where, key), o.values[i]})
	}
	return said
}

func (n *normaliser) unknownKey(where, key string, known []string) {
	if where == "" {
		where = "request"
	}
	near := sqlkit.Nearest(snake(key), known)
	e := n.invalid(where, "there is no key %s", refusal.Quote(key)).Meant(near)
	if len(near) > 0 {
		e.Advise("write %q, or leave it out", near[0])
	} else {
		e.Advise("leave it out; the keys are %s", refusal.Listed(known))
	}
}

// inside is the place of a key.
func inside(where, key string) string {
	if where == "" {
		return refusal.Short(key)
	}
	return where + "." + refusal.Short(key)
}

// snake spells a key in snake case: timeDimensions, time-dimensions and
// "time dimensions" are time_dimensions.
func snake(key string) string {
	if len(key) > maxName {
		return key
	}
	return text.Snaked(separators.Replace(key))
}

var separators = strings.NewReplacer("-", "_", " ", "_")
