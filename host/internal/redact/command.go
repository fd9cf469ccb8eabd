package redact

import (
	"slices"
	"strings"
)

// Flags of command lines that name an account or a host, and those that take a password.
// A letter means something else to each program: -p is a port here and a folder there. So
// it takes a password where the line names an account or a host, and where the value looks
// like one; which programs there are is not known here.
var (
	accountFlags  = []string{"-u", "-U", "--user", "--username", "--proxy-user", "-h", "-H", "-S", "--host", "--server"}
	loginFlags    = accountFlags[:5]
	passwordFlags = []string{"-p", "-P", "-a", "-pw", "-pass", "-password", "--pass", "--http-password", "--proxy-password"}
	attachedFlags = []string{"-p", "-P"}
)

// lineReach is how much of a line before and behind a flag is looked at. Units: bytes.
const lineReach = 512

// argument returns the password that belongs to a flag at i of a command line.
func (f *finder) argument(i int) (from, to int) {
	if i == 0 || strings.IndexByte(" \t", f.text[i-1]) < 0 {
		return 0, 0
	}
	end := i
	for end < len(f.text) && end-i <= maxName && (f.text[end] == '-' || letterOrDigit(f.text[end])) {
		end++
	}
	flag := f.text[i:end]
	apart := end < len(f.text) && strings.IndexByte(" \t=", f.text[end]) >= 0
	switch {
	case apart && slices.Contains(loginFlags, flag):
		from = end + 1
		to, _ = f.value(&from)
		user, password, ok := strings.Cut(f.text[from:to], ":")
		if from += len(user) + 1; !ok || user == "" || placeholder(password) || !secret(password, passwordName, false) {
			return 0, 0
		}
		return from, to
	case apart && slices.Contains(passwordFlags, flag):
		from = end + 1
	case slices.ContainsFunc(attachedFlags, func(a string) bool { return strings.HasPrefix(f.text[i:], a) }):
		from = i + len(attachedFlags[0])
	default:
		return 0, 0
	}
	to, quoted := f.value(&from)
	value := f.text[from:to]
	if strings.HasPrefix(value, "-") || strings.Count(value, "/") > 1 || placeholder(value) || !secret(value, passwordName, false) || !f.addressed(i, quoted) {
		return 0, 0
	}
	return from, to
}

// addressed reports whether the line around i names an account or a host, by a flag or,
// where that is enough, as user@host.
func (f *finder) addressed(i int, at bool) bool {
	before, after := f.text[max(i-lineReach, 0):i], f.rest(i, lineReach)
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	for word := range strings.FieldsSeq(before + after) {
		name, _, _ := strings.Cut(word, "=")
		user, host, _ := strings.Cut(word, "@")
		attached := len(word) > 2 && slices.Contains(accountFlags[:2], word[:2])
		if attached || slices.Contains(accountFlags, name) || at && user != "" && host != "" {
			return true
		}
	}
	return false
}

// login returns the password of user/password@place whose slash is at i: the first
// argument of a command line, or the end of a driver's address, as in
// jdbc:kind:thin:scott/tiger@db.
func (f *finder) login(i int) (from, to int) {
	start := i
	for start > 0 && i-start < maxName && members[f.text[start-1]]&(1<<solid) != 0 {
		start--
	}
	user, from := f.text[start:i], i+1
	password, place, ok := strings.Cut(f.text[from:min(f.run(from, solid), from+lineReach)], "@")
	if !ok || user == "" || password == "" || place == "" || placeholder(password) || strings.Contains(password, "/") {
		return 0, 0
	}
	if strings.HasPrefix(user, "jdbc:") && !strings.HasSuffix(user, ":") {
		return from, from + len(password)
	}
	command := f.text[max(start-maxName, 0):start]
	command = strings.TrimSpace(command[strings.LastIndexAny(command, "\n`")+1:])
	word := func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r > 'z' || r != '_' && r != '-' && r != '.' && !letterOrDigit(byte(r)) })
	}
	if !word(command) || !word(user) || !secret(password, passwordName, false) || !letterOrDigit(place[0]) {
		return 0, 0
	}
	return from, from + len(password)
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
