package redact

import (
	"slices"
	"strings"
	"sync"
)

// client is a program that takes a password as an argument.
type client struct {
	names string
	// attached flags have their value behind them without a space, apart ones behind a space or "=".
	attached, apart string
	// login: a flag's value, or the first argument of "", is user and password, parted by a character of parted.
	login, parted string
}

// clients as their manuals have them.
var clients = []client{
	{names: "mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlcheck mysqlpump mariadb mariadb-dump mariadb-admin mycli", attached: "-p"},
	{names: "sqlcmd bcp osql isql sqsh tsql mssql-cli", apart: "-P", attached: "-P"},
	{names: "mongo mongosh mongodump mongorestore mongoexport mongoimport", apart: "-p", attached: "-p"},
	{names: "redis-cli valkey-cli", apart: "-a --pass"},
	{names: "cqlsh sshpass snmpget", apart: "-p", attached: "-p"},
	{names: "ldapsearch ldapmodify vsql vertica", apart: "-w", attached: "-w"},
	{names: "nzsql nzload", apart: "-pw"},
	{names: "influx", apart: "-password"},
	{names: "beeline", apart: "-p"},
	{names: "sqlplus sqlldr expdp impdp exp imp rman sql", login: "", parted: "/"},
	{names: "curl wget http", apart: "--http-password --proxy-password", login: "-u --user -U --proxy-user", parted: ":"},
}

// clientOf are the clients by their names.
var clientOf = sync.OnceValue(func() map[string]client {
	all := map[string]client{}
	for _, c := range clients {
		for name := range strings.FieldsSeq(c.names) {
			all[name] = c
		}
	}
	return all
})

// command returns the password among the arguments of a client of a database whose name begins at i.
func (f *finder) command(i int) (from, to int) {
	end := f.run(i, base64URL)
	name := f.text[i:end]
	if len(name) > 20 {
		return 0, 0
	}
	c, ok := clientOf()[name]
	if !ok {
		return 0, 0
	}
	line, _, _ := strings.Cut(f.rest(end, 512), "\n")
	if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, ".exe ") {
		return 0, 0
	}
	before, first := "", true
	for at := 0; at < len(line); {
		for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		next := at + strings.IndexAny(line[at:]+" ", " \t")
		word := line[at:next]
		if word == "|" || word == "&&" || word == ";" {
			break
		}
		if from, to := c.secret(word, before, first && !strings.HasPrefix(word, "-")); to > from {
			return end + at + from, end + at + to
		}
		first = first && (strings.HasPrefix(word, "-") || word == ".exe")
		before, at = word, max(next, at+1)
	}
	return 0, 0
}

// secret returns where a word among the arguments has a password; first = it is the first one that is no flag.
func (c client) secret(word, before string, first bool) (from, to int) {
	quoted := func(from int) (int, int) {
		to := len(word)
		for from < to && strings.IndexByte("'\"", word[from]) >= 0 {
			from++
		}
		for from < to && strings.IndexByte("'\"`).,;", word[to-1]) >= 0 {
			to--
		}
		if placeholder(word[from:to]) || to == from {
			return 0, 0
		}
		return from, to
	}
	for _, flag := range strings.Fields(c.apart) {
		if value, ok := strings.CutPrefix(word, flag+"="); ok {
			return quoted(len(word) - len(value))
		}
		if before == flag && !strings.HasPrefix(word, "-") {
			return quoted(0)
		}
	}
	for _, flag := range strings.Fields(c.attached) {
		if strings.HasPrefix(word, flag) && len(word) > len(flag) {
			return quoted(len(flag))
		}
	}
	if c.parted != "" && (c.login == "" && first || c.login != "" && slices.Contains(strings.Fields(c.login), before)) {
		user, password, ok := strings.Cut(word, c.parted)
		if ok && user != "" && password != "" && !strings.Contains(user, "://") && !strings.HasPrefix(password, "/") && (c.login != "" || strings.Contains(password, "@")) {
			if at := strings.LastIndexByte(password, '@'); at > 0 {
				word = word[:len(user)+1+at]
			}
			return quoted(len(user) + 1)
		}
	}
	return 0, 0
}

// passwordFile returns the password of a line of a .pgpass file that begins at i: host:port:database:user:password.
func (f *finder) passwordFile(i int) (from, to int) {
	end := f.run(i, solid)
	line := f.text[i:end]
	fields := strings.SplitN(line, ":", 5)
	if len(fields) < 5 || slices.Contains(fields, "") || end < len(f.text) && f.text[end] != '\n' && f.text[end] != '\r' && f.text[end] != '`' {
		return 0, 0
	}
	port := fields[1]
	isPort := port == "*" || len(port) >= 4 && len(port) <= 5 && strings.Trim(port, "0123456789") == ""
	if !isPort || strings.Trim(fields[0], "0123456789") == "" || placeholder(fields[4]) || strings.Contains(line, "://") {
		return 0, 0
	}
	return end - len(fields[4]), end
}

// oracle returns the password of user/password@ behind the kind of a driver, as in jdbc:oracle:thin:scott/tiger@db.
func (f *finder) oracle(i int) (from, to int) {
	run := f.text[i:min(i+256, f.run(i, solid))]
	for _, kind := range []string{"thin:", "oci:", "oci8:"} {
		rest, ok := strings.CutPrefix(run, kind)
		if !ok {
			continue
		}
		user, rest, ok := strings.Cut(rest, "/")
		password, _, found := strings.Cut(rest, "@")
		if ok && found && user != "" && password != "" && !strings.ContainsAny(user, "@:") && !placeholder(password) {
			from = i + len(kind) + len(user) + 1
			return from, from + len(password)
		}
	}
	return 0, 0
}
