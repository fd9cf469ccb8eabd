package connector

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Names of the host's environment that every connector gets: what a program
// needs to run, to find its files and to reach the network, and no credentials.
var (
	inheritedNames = []string{
		"PATH", "HOME", "TMPDIR", "LANG", "TZ",
		// Windows programs do not run without these.
		"SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PROGRAMDATA", "COMSPEC", "PATHEXT",
	}
	inheritedPrefixes = []string{"LC_", "SSL_CERT_", "XDG_"}
)

// Environment returns the environment of a connector: the variables of
// Inherited, and its resource limits.
// Units: memory is in bytes; the Go runtime of a connector aims at 80 % of it.
func Environment(host, passthrough []string, memory int64) []string {
	return append(Inherited(host, passthrough),
		"GOMEMLIMIT="+strconv.FormatInt(memory/5*4, 10),
		"GOMAXPROCS="+strconv.Itoa(min(4, runtime.NumCPU())),
	)
}

// Inherited returns the variables of the host's environment that a program of
// the host gets: those of the allow-list and of passthrough. Loam's own
// variables (LOAM_…) are never passed on. User and password are removed from a
// proxy's address unless passthrough names its variable.
func Inherited(host, passthrough []string) []string {
	var env []string
	for _, entry := range host {
		name, value, _ := strings.Cut(entry, "=")
		upper := strings.ToUpper(name)
		switch {
		case strings.HasPrefix(upper, ownPrefix):
		case slices.Contains(passthrough, name):
			env = append(env, entry)
		case strings.HasSuffix(upper, "_PROXY"):
			env = append(env, name+"="+withoutUser(value))
		case inherited(name):
			env = append(env, entry)
		}
	}
	return env
}

// ownPrefix begins the names of Loam's own variables, some of which are secrets.
const ownPrefix = "LOAM_"

// withoutUser removes user and password from an address. It searches the last @
// instead of parsing, because a password may hold any character unescaped.
func withoutUser(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	scheme, _, ok := strings.Cut(address[:at], "://")
	if !ok || strings.ContainsAny(scheme, ":/@") {
		return address[at+1:]
	}
	return scheme + "://" + address[at+1:]
}

func inherited(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return slices.Contains(inheritedNames, name) ||
		slices.ContainsFunc(inheritedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
