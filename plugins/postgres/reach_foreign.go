package postgres

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
)

// AllowForeignServers is the key that names the foreign servers whose tables may
// be read.
const allowForeignServers = "allow_foreign_servers"

// foreignTable is one that must not be read.
type foreignTable struct {
	reach.Object
	reason reach.Reason
}

// loadForeign lists the foreign tables that are not known to be read-only.
func (a *around) loadForeign() error {
	return a.r.query(foreignTablesSQL, nil, func(v [][]byte) error {
		server, wrapper := string(v[3]), string(v[4])
		if slices.Contains(a.r.s.cfg.AllowForeignServers, server) {
			return nil
		}
		var serverOptions, tableOptions []string
		for raw, options := range map[*[]string][]byte{&serverOptions: v[5], &tableOptions: v[6]} {
			if options == nil {
				continue
			}
			if err := json.Unmarshal(options, raw); err != nil {
				return err
			}
		}
		if readOnlyForeign(wrapper, serverOptions, tableOptions) {
			return nil
		}
		a.foreign = append(a.foreign, foreignTable{
			reach.Object{Kind: reach.ForeignTable, Schema: string(v[1]), Name: string(v[2])},
			reach.Reason{Text: "is on the foreign server " + server + ", which is not known to be read-only", Key: allowForeignServers, Value: server},
		})
		return nil
	})
}

// readOnlyForeign reports whether reading a foreign table cannot write: a file is
// only read unless a program makes it, and a PostgreSQL server refuses what the
// session's default makes read-only.
func readOnlyForeign(wrapper string, server, table []string) bool {
	switch wrapper {
	case "file_fdw":
		for _, option := range slices.Concat(server, table) {
			if strings.HasPrefix(option, "program=") {
				return false
			}
		}
		return true
	case "postgres_fdw":
		for _, option := range server {
			if options, found := strings.CutPrefix(option, "options="); found {
				return readOnlyOptions(options)
			}
		}
	}
	return false
}

// readOnlyOptions reports whether libpq's options end with a session whose
// transactions are read-only: the last setting counts.
func readOnlyOptions(options string) bool {
	readOnly := false
	for setting := range strings.SplitSeq(strings.ReplaceAll(options, "-c ", "-c"), " ") {
		setting = strings.TrimPrefix(strings.TrimPrefix(setting, "--"), "-c")
		name, value, _ := strings.Cut(setting, "=")
		switch strings.ToLower(strings.ReplaceAll(name, "-", "_")) {
		case "default_transaction_read_only":
			readOnly = slices.Contains([]string{"on", "true", "yes", "1"}, strings.ToLower(value))
		case "transaction_read_only":
			return false
		}
	}
	return readOnly
}
