//go:build cgo

package sqlserver

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

//go:embed internal.sql
var internal string

//go:embed catalog.sql
var catalog string

//go:embed snapshot.sql
var snapshot string

// refresh takes a snapshot of DuckDB's catalogue where that may have changed. What a
// transaction that is open has changed is not in it.
func (s *Server) refresh(ctx context.Context) error {
	s.snapshots.Lock()
	defer s.snapshots.Unlock()
	if !s.stale.Swap(false) {
		return nil
	}
	_, err := s.db.ExecContext(ctx, snapshot)
	if err != nil {
		s.stale.Store(true)
	}
	return err
}

// fresh takes a snapshot for a query of the catalogue.
func (s *session) fresh(ctx context.Context, query tree) error {
	for _, n := range query.tables() {
		if strings.EqualFold(n[1], "sys") || n[1] == informationSchema {
			return s.server.refresh(ctx)
		}
	}
	return nil
}

// informationSchema is the schema that has the views of INFORMATION_SCHEMA:
// DuckDB has a schema of that name itself.
const informationSchema = "ischema"

// typeRows are sys.types: name, system_type_id, max_length, precision, scale.
var typeRows = []struct {
	name             string
	id               int
	length, digits   int
	scale            int
	ofText, declared bool
}{
	{name: "tinyint", id: 48, length: 1, digits: 3}, {name: "smallint", id: 52, length: 2, digits: 5}, {name: "int", id: 56, length: 4, digits: 10},
	{name: "bigint", id: 127, length: 8, digits: 19}, {name: "bit", id: 104, length: 1, digits: 1}, {name: "real", id: 59, length: 4, digits: 24},
	{name: "float", id: 62, length: 8, digits: 53}, {name: "decimal", id: 106, length: 17, digits: 38, scale: 38}, {name: "numeric", id: 108, length: 17, digits: 38, scale: 38},
	{name: "money", id: 60, length: 8, digits: 19, scale: 4}, {name: "smallmoney", id: 122, length: 4, digits: 10, scale: 4},
	{name: "date", id: 40, length: 3, digits: 10}, {name: "time", id: 41, length: 5, digits: 16, scale: 7}, {name: "datetime2", id: 42, length: 8, digits: 27, scale: 7},
	{name: "datetimeoffset", id: 43, length: 10, digits: 34, scale: 7}, {name: "datetime", id: 61, length: 8, digits: 23, scale: 3}, {name: "smalldatetime", id: 58, length: 4, digits: 16},
	{name: "char", id: 175, length: 8000, ofText: true}, {name: "varchar", id: 167, length: 8000, ofText: true}, {name: "nchar", id: 239, length: 8000, ofText: true},
	{name: "nvarchar", id: 231, length: 8000, ofText: true}, {name: "binary", id: 173, length: 8000}, {name: "varbinary", id: 165, length: 8000},
	{name: "uniqueidentifier", id: 36, length: 16}, {name: "xml", id: 241, length: -1},
}

// catalogType is a type as sys.columns tells it.
type catalogType struct {
	name                              string
	id, userID, length, digits, scale int
}

func catalogTypeOf(t tds.Type) catalogType {
	var c catalogType
	for _, r := range typeRows {
		if r.name == t.Name {
			c = catalogType{r.name, r.id, r.id, r.length, r.digits, r.scale}
		}
	}
	switch t.Name {
	case "decimal":
		c.digits, c.scale = t.Precision, t.Scale
		c.length = map[bool]int{t.Precision <= 9: 5, t.Precision > 9 && t.Precision <= 19: 9, t.Precision > 19 && t.Precision <= 28: 13, t.Precision > 28: 17}[true]
	case "char", "varchar", "binary", "varbinary":
		c.length = t.Length
	case "nchar", "nvarchar":
		if c.length = 2 * t.Length; t.Length == tds.Max {
			c.length = -1
		}
	case "time", "datetime2", "datetimeoffset":
		seconds := 0
		if t.Scale > 0 {
			seconds = t.Scale + 1
		}
		bytes := map[bool]int{t.Scale <= 2: 3, t.Scale == 3 || t.Scale == 4: 4, t.Scale > 4: 5}[true]
		base := map[string][2]int{"time": {8, 0}, "datetime2": {19, 3}, "datetimeoffset": {26, 5}}[t.Name]
		c.scale, c.digits, c.length = t.Scale, base[0]+seconds, base[1]+bytes
	}
	return c
}

// fillTypes fills the tables of internal.sql that never change.
func (s *Server) fillTypes(ctx context.Context) error {
	var types, told_ []string
	for _, r := range typeRows {
		collation := "NULL"
		if r.ofText {
			collation = "'SQL_Latin1_General_CP1_CI_AS'"
		}
		types = append(types, fmt.Sprintf("(%s, %d, %d, 4, %d, %d, %d, %s, false)", literal(r.name), r.id, r.id, r.length, r.digits, r.scale, collation))
	}
	types = append(types, "('sysname', 231, 256, 4, 256, 0, 0, 'SQL_Latin1_General_CP1_CI_AS', false)")
	ducks := []string{"BOOLEAN", "UTINYINT", "TINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "VARCHAR", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "UUID"}
	for p := 1; p <= 38; p++ {
		for d := 0; d <= p; d++ {
			ducks = append(ducks, fmt.Sprintf("DECIMAL(%d,%d)", p, d))
		}
	}
	for _, duck := range ducks {
		t, err := told(duck)
		if err != nil {
			return err
		}
		c := catalogTypeOf(t)
		told_ = append(told_, fmt.Sprintf("(%s, %s, %d, %d, %d, %d, %d)", literal(duck), literal(c.name), c.id, c.userID, c.length, c.digits, c.scale))
	}
	principals := []string{"('public', 0, 'R', 'DATABASE_ROLE', false)", "('dbo', 1, 'S', 'SQL_USER', false)"}
	ids := map[string]int{}
	for i, role := range []string{"db_owner", "db_accessadmin", "db_securityadmin", "db_ddladmin", "db_backupoperator", "db_datareader", "db_datawriter", "db_denydatareader", "db_denydatawriter"} {
		ids[role] = 16384 + i
		principals = append(principals, fmt.Sprintf("(%s, %d, 'R', 'DATABASE_ROLE', true)", literal(role), ids[role]))
	}
	members := []string{"(16384, 1)"}
	for i, name := range slices.Sorted(maps.Keys(s.accounts)) {
		principals = append(principals, fmt.Sprintf("(%s, %d, 'S', 'SQL_USER', false)", literal(name), 5+i))
		for _, role := range s.accounts[name].Roles {
			if id := ids[strings.ToLower(role)]; id != 0 {
				members = append(members, fmt.Sprintf("(%d, %d)", id, 5+i))
			}
		}
	}
	var databases, zoneRows []string
	for i, name := range slices.Sorted(maps.Keys(s.databases)) {
		databases = append(databases, fmt.Sprintf("(%s, %d)", literal(name), 1+i))
	}
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		place, err := time.LoadLocation(zones[name])
		if err != nil {
			return err
		}
		now := time.Now().In(place)
		zoneRows = append(zoneRows, fmt.Sprintf("(%s, %s, %t)", literal(name), literal(now.Format("-07:00")), now.IsDST()))
	}
	for table, rows := range map[string][]string{"types": types, "told": told_, "principals": principals, "members": members, "databases": databases, "zones": zoneRows} {
		if _, err := s.db.ExecContext(ctx, "INSERT INTO fixture.internal."+table+" VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
	}
	return nil
}
