package catalog

import "github.com/loam-data/loam/sdk"

// TableRef is a table's name in JSON; DB is its schema. Catalog or DB is absent where the engine has no such level.
type TableRef struct {
	Catalog *string `json:"catalog,omitempty"`
	DB      *string `json:"db,omitempty"`
	Name    string  `json:"name"`
}

// RefOf returns a table's name for JSON.
func RefOf(ref sdk.TableRef) TableRef {
	level := func(name string) *string {
		if name == "" {
			return nil
		}
		return &name
	}
	return TableRef{Catalog: level(ref.Catalog), DB: level(ref.Schema), Name: ref.Name}
}
