package postgres

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loam-data/loam/sdk"
)

// typeAge is how long what was looked up of types is believed.
const typeAge = time.Minute

// types knows what was looked up of the server's types.
// Concurrency: safe for several goroutines.
type types struct {
	mu     sync.Mutex
	loaded time.Time // of the oldest entry
	shapes map[uint32]*shape
	names  map[typeName]string
}

type typeName struct {
	oid uint32
	mod int32
}

// column is one column of a result with what it takes to read it.
type column struct {
	sdk.Column
	format int16
	decode decoder
}

// columns describes the fields of a result, or returns the types that have to be
// looked up first.
func (t *types) columns(fields []pgconn.FieldDescription, now time.Time) ([]column, []typeName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.loaded) > typeAge {
		t.forget()
	}
	columns := make([]column, len(fields))
	var missing []typeName
	for i := range fields {
		f := &fields[i]
		key := typeName{f.DataTypeOID, f.TypeModifier}
		c := &columns[i]
		c.Name, c.Nullable = f.Name, true
		if !t.describe(c, key) {
			missing = append(missing, key)
		}
	}
	return columns, missing
}

// settle looks types up until none is missing: another statement may forget them in between,
// because they are old or one was changed.
// Errors: KindConflict when they stay missing; those of lookup.
func settle(missing func() []typeName, lookup func([]typeName) error) error {
	const tries = 4
	for range tries {
		unknown := missing()
		if len(unknown) == 0 {
			return nil
		}
		if err := lookup(unknown); err != nil {
			return err
		}
	}
	if len(missing()) > 0 {
		return errShape()
	}
	return nil
}

// describe fills in a column's type; false: it is not known yet.
func (t *types) describe(c *column, key typeName) bool {
	if s, ok := scalars[key.oid]; ok {
		c.Type, c.format, c.decode = s.typ, s.format, s.decode
		if key.oid == pgtype.NumericOID && key.mod >= 0 {
			c.Precision, c.Scale = numericPrecision(key.mod)
		}
		if c.NativeType, ok = s.native(key.mod); ok {
			return true
		}
		c.NativeType, ok = t.names[key]
		return ok
	}
	s := t.shapes[key.oid]
	if s == nil {
		return false
	}
	c.Type, c.format, c.decode = s.typ(), textFormat, s.decoder()
	var ok bool
	c.NativeType, ok = t.names[key]
	return ok
}

// logical returns the logical type of a column of a table; a domain is what it
// is based on. false: it is not known yet.
func (t *types) logical(oid uint32) (sdk.Type, bool) {
	if known, ok := scalars[oid]; ok {
		return known.typ, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.shapes[oid]
	if s == nil {
		return sdk.TypeText, false
	}
	if known, ok := scalars[s.oid]; ok {
		return known.typ, true
	}
	return s.typ(), true
}

// drop forgets all types, because one was changed.
func (t *types) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

func (t *types) forget() {
	t.shapes, t.names = map[uint32]*shape{}, map[typeName]string{}
}

// lookupSQL describes the types $1 and all types that they are made of: one row
// per type, or per field of a composite type.
const lookupSQL = `
WITH RECURSIVE need (oid) AS (
  SELECT pg_catalog.unnest($1::pg_catalog.oid[])
  UNION
  SELECT p.oid FROM need JOIN pg_catalog.pg_type t ON t.oid = need.oid CROSS JOIN LATERAL (
    SELECT {part}
    UNION ALL
    SELECT a.atttypid FROM pg_catalog.pg_attribute a
    WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  ) p (oid) WHERE p.oid <> 0
)
SELECT t.oid, t.typtype, {part}, COALESCE(e.typdelim, ','), a.attname, COALESCE(a.atttypid, 0)
FROM need
JOIN pg_catalog.pg_type t ON t.oid = need.oid
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
LEFT JOIN pg_catalog.pg_attribute a
  ON t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY t.oid, a.attnum`

// partSQL is what a type is made of, 0 for the others. There are no multiranges
// before PostgreSQL 14.
const partSQL = `CASE
      WHEN t.typtype = 'd' THEN t.typbasetype
      WHEN t.typtype = 'r' THEN (SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)
      WHEN t.typtype = 'm' THEN (SELECT r.rngtypid FROM pg_catalog.pg_range r WHERE {multirange} = t.oid)
      WHEN t.typinput = 'pg_catalog.array_in'::pg_catalog.regproc THEN t.typelem
      ELSE 0 END`

const formatTypesSQL = `
SELECT o, m, pg_catalog.format_type(o, m)
FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[])) AS x (o, m)`

func lookupFor(version int) string {
	multirange := "r.rngmultitypid"
	if version < 140000 {
		multirange = "0"
	}
	return strings.NewReplacer("{part}", strings.Replace(partSQL, "{multirange}", multirange, 1)).Replace(lookupSQL)
}

// typeRow is one row of lookupSQL.
type typeRow struct {
	oid       uint32
	kind      byte // pg_type.typtype
	part      uint32
	delim     byte
	field     string
	fieldType uint32
}

// learn adds the answers of lookupSQL and formatTypesSQL.
func (t *types) learn(rows []typeRow, names map[typeName]string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.shapes) == 0 && len(t.names) == 0 {
		t.loaded = now
	}
	base := map[uint32]uint32{} // of the domains
	for i := range rows {
		if rows[i].kind == 'd' {
			base[rows[i].oid] = rows[i].part
		}
	}
	found := map[uint32]*shape{}
	at := func(oid uint32) *shape {
		for base[oid] != 0 {
			oid = base[oid]
		}
		if found[oid] == nil {
			found[oid] = &shape{kind: leafShapes[oid], oid: oid}
		}
		return found[oid]
	}
	for i := range rows {
		r := &rows[i]
		s := at(r.oid)
		switch {
		case r.kind == 'c':
			s.kind = shapeRecord
			if r.fieldType != 0 {
				s.fields = append(s.fields, shapeField{r.field, at(r.fieldType)})
			}
		case r.part == 0 || r.kind == 'd':
		case r.kind == 'r':
			s.kind, s.elem = shapeRange, at(r.part)
		case r.kind == 'm':
			s.kind, s.elem = shapeMultirange, at(r.part)
		default:
			s.kind, s.elem, s.delim = shapeArray, at(r.part), r.delim
		}
		t.shapes[r.oid] = s
	}
	maps.Copy(t.names, names)
}

func parseOID(text []byte) uint32 {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}
