//go:build cgo && linux

package main

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// account is a user of the front. Its role has its grants.
type account struct {
	role     string
	readonly string // the setting's value, "" for none
}

// accounts are what e2e/testserver promises; all have the same password.
var accounts = map[string]account{
	"loam_admin":    {role: "loam_admin"},
	"loam_writer":   {role: "loam_writer"},
	"loam_reader":   {role: "loam_reader", readonly: "1"},
	"loam_limited":  {role: "loam_limited"},
	"loam_settings": {role: "loam_reader", readonly: "2"}, // may change settings
}

const password = "correct horse: battery/staple"

// users are the engine's access entities. Nobody reads databases whose name
// starts with "forbidden_" but the admin.
const users = `<clickhouse>
<profiles><default/></profiles>
<quotas><default/></quotas>
<roles>
<loam_admin><grants><query>GRANT ALL ON *.* WITH GRANT OPTION</query></grants></loam_admin>
<loam_writer><grants><query>GRANT SHOW, SELECT, INSERT, KILL QUERY ON *.*</query><query>REVOKE SELECT, INSERT ON forbidden_*.*</query></grants></loam_writer>
<loam_reader><grants><query>GRANT SHOW, SELECT ON *.*</query><query>REVOKE SELECT ON forbidden_*.*</query></grants></loam_reader>
<loam_limited><grants><query>GRANT SHOW, SELECT ON default.*</query></grants></loam_limited>
</roles>
<users><default>
<password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<databases><loam_policied><salaries><filter>team = 'own'</filter></salaries></loam_policied></databases>
<grants><query>GRANT loam_admin, loam_writer, loam_reader, loam_limited</query></grants>
</default></users>
</clickhouse>`

// writeConfig writes the engine's configuration into the folder and returns its
// path.
func writeConfig(folder string) (string, error) {
	usersPath, path := filepath.Join(folder, "users.xml"), filepath.Join(folder, "config.xml")
	if err := os.WriteFile(usersPath, []byte(users), 0o600); err != nil {
		return "", err
	}
	config := fmt.Sprintf("<clickhouse><users_config>%s</users_config><display_name>loam-test</display_name></clickhouse>", usersPath)
	return path, os.WriteFile(path, []byte(config), 0o600)
}

// login returns the account that a request names in headers, Basic
// authorization or the URL, in that order of precedence.
func login(r *http.Request) (string, account, error) {
	user, key := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	if user == "" {
		var ok bool
		if user, key, ok = r.BasicAuth(); !ok {
			user, key = r.URL.Query().Get("user"), r.URL.Query().Get("password")
		}
	}
	if user == "" {
		user = "default"
	}
	a, known := accounts[user]
	right := subtle.ConstantTimeCompare([]byte(key), []byte(password)) == 1
	if !known || !right {
		return "", account{}, &exception{
			516, "AUTHENTICATION_FAILED",
			user + ": Authentication failed: password is incorrect, or there is no user with such name",
		}
	}
	return user, a, nil
}

// asUser puts the account's name where the engine names its own user.
func asUser(e *exception, user string) *exception {
	if rest, ok := strings.CutPrefix(e.text, "default: "); ok {
		return &exception{e.code, e.name, user + ": " + rest}
	}
	return e
}
