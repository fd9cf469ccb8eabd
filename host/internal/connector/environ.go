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

// Environment returns what a connector sees of the host's environment: the
// allow-list, what its manifest asks for by name, and its resource limits.
// Units: memory is in bytes; the Go runtime of a connector aims at 80 % of it.
func Environment(host, passthrough []string, memory int64) []string {
	var env []string
	for _, entry := range host {
		name, _, _ := strings.Cut(entry, "=")
		if inherited(name) || slices.Contains(passthrough, name) {
			env = append(env, entry)
		}
	}
	return append(env,
		"GOMEMLIMIT="+strconv.FormatInt(memory/5*4, 10),
		"GOMAXPROCS="+strconv.Itoa(min(4, runtime.NumCPU())),
	)
}

func inherited(name string) bool {
	upper := strings.ToUpper(name)
	if strings.HasSuffix(upper, "_PROXY") {
		return true
	}
	if runtime.GOOS == "windows" {
		name = upper
	}
	return slices.Contains(inheritedNames, name) ||
		slices.ContainsFunc(inheritedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
