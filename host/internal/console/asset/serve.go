// Package asset has the files of the console that browsers keep: the style sheet and the script. Their addresses have
// the hash of their content.
package asset

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Root is the path below which the files are.
const Root = "/console/asset/"

// The files.
const (
	Style  = "console.css"
	Script = "console.js"
	Icon   = "icon.svg"
)

//go:embed console.css console.js icon.svg
var files embed.FS

// typeOf returns the media type of a file.
func typeOf(name string) string {
	switch name {
	case Script:
		return "text/javascript; charset=utf-8"
	case Icon:
		return "image/svg+xml"
	}
	return "text/css; charset=utf-8"
}

var hashes = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range []string{Style, Script, Icon} {
		content, _ := files.ReadFile(name) // embedded
		sum := sha256.Sum256(content)
		all[name] = hex.EncodeToString(sum[:8])
	}
	return all
})

// Address returns the path of a file, which changes with its content.
func Address(name string) string { return Root + hashes()[name] + "/" + name }

// Serve answers a request for a file. An old address gets the present content, which no browser keeps.
func Serve(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Root), "/")
	now, known := hashes()[name]
	if !known || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	content, _ := files.ReadFile(name) // embedded
	w.Header().Set("Content-Type", typeOf(name))
	if hash == now {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}
