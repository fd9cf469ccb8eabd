package relationship

import "github.com/loam-data/loam/sdk"

// apart is why a link that holds is for a person to look at.
const apart = "nothing certain joins the two schemas, and its numbers are among those of any longer key"

// manySchemas is from how many schemas on a database is that of several systems: the more
// there are, the more keys hold what a column has by chance.
const manySchemas = 9

// schemas are groups of schemas, of which each has a link to another one of its group.
type schemas map[sdk.TableRef]sdk.TableRef

func schemaOf(ref sdk.TableRef) sdk.TableRef {
	return sdk.TableRef{Catalog: ref.Catalog, Schema: ref.Schema}
}

// group returns the schema that stands for the group of a table's schema.
func (s schemas) group(ref sdk.TableRef) sdk.TableRef {
	schema := schemaOf(ref)
	for s[schema] != schema {
		if _, known := s[schema]; !known {
			s[schema] = schema
			break
		}
		s[schema] = s[s[schema]] // halve the way
		schema = s[schema]
	}
	return schema
}

// strangers has a person look at links between schemas that nothing certain joins, nor
// others of their groups. In a database of many systems each has keys that count from 1
// on, and tables of orders and lines: what is called alike and holds by chance is there
// for every column. A name that is the whole of the key's, or values that say something,
// are certain; so is what is declared or a person decided.
func (f *finding) strangers() {
	known, all := schemas{}, map[sdk.TableRef]bool{}
	for _, t := range f.warehouse.tables {
		all[schemaOf(t.ref)] = true
	}
	if len(all) < manySchemas {
		return
	}
	for _, r := range f.result.Relationships {
		if r.Status == Accepted && (r.Origin != Inferred || r.Evidence.Name >= 1 || r.Evidence.Surprise >= strongValues) {
			known[known.group(r.From)] = known.group(r.To)
		}
	}
	for i := range f.result.Relationships {
		r := &f.result.Relationships[i]
		if r.Status == Accepted && r.Origin == Inferred && known.apart(r.Link) {
			r.Status, r.Evidence.Reason = Review, apart
		}
	}
	f.outrival(known)
}

// apart reports whether a link is between schemas of different groups.
func (s schemas) apart(l Link) bool { return s.group(l.From) != s.group(l.To) }

// outrival takes the rivals back that only chance made: where a parent of a column is in a
// schema that something certain joins to the column's, or the same one, those in other
// schemas are no rivals, unless their values say something.
func (f *finding) outrival(known schemas) {
	strange, related := map[string]bool{}, map[string]bool{} // by link, by column
	for _, r := range f.result.Relationships {
		switch {
		case r.Status != Review || len(r.Evidence.Rivals) == 0:
		case !known.apart(r.Link):
			related[child(r.From, r.Columns...)] = true
		case r.Evidence.Surprise < strongValues:
			strange[r.key()] = true
		}
	}
	kept := f.result.Relationships[:0]
	for _, r := range f.result.Relationships {
		if related[child(r.From, r.Columns...)] {
			if strange[r.key()] {
				continue
			}
			r = r.withoutRivals(func(l Link) bool { return strange[l.key()] })
		}
		kept = append(kept, r)
	}
	f.result.Relationships = kept
}
