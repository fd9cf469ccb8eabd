package postgres

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/reach"
)

// allowForeignServers is the key that names the foreign servers whose tables may
// be read.
const allowForeignServers = "allow_foreign_servers"

// foreignTable notes a row of foreignTablesSQL, unless the table is known to be
// read-only.
func (l *survey) foreignTable(v [][]byte) error {
	server, wrapper := string(v[1]), string(v[2])
	if slices.Contains(l.r.s.cfg.AllowForeignServers, server) {
		return nil
	}
	var serverOptions, tableOptions []string
	for raw, options := range map[*[]string][]byte{&serverOptions: v[3], &tableOptions: v[4]} {
		if options == nil {
			continue
		}
		if err := json.Unmarshal(options, raw); err != nil {
			return err
		}
	}
	if !readOnlyForeign(wrapper, serverOptions, tableOptions) {
		l.known.foreign[string(v[0])] = reach.Reason{Text: "is on the foreign server " + server + ", which is not known to be read-only", Key: allowForeignServers, Value: server}
	}
	return nil
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
	if strings.Contains(options, `\`) { // what the server reads is written in escapes
		return false
	}
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
