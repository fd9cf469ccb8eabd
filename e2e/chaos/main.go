//go:build unix

// Command chaos is a connector that misbehaves on request, for the tests of the
// host's supervisor. What it does wrong before it can be asked anything is
// chosen by the name of its program ("loam-connector-garbage"), the rest by the
// configuration's mode and by the text of a statement.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/serve"
)

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	start, ok := starts[strings.TrimPrefix(name, "loam-connector-")]
	if ok && len(os.Args) == 1 {
		start()
		return
	}
	switch name {
	case "loam-connector-hostile":
		serve.Main(hostile())
	case "loam-connector-signin":
		serve.Main(signin())
	}
	serve.Main(chaos())
}

// config is what a chaos connection can be given.
type config struct {
	Mode     string     `json:"mode" doc:"What to do when the connection is opened." enum:"well|crash|hang|refuse" default:"well"`
	Password sdk.Secret `json:"password" doc:"A secret that must not leak."`
	Catalog  string     `json:"catalog" doc:"What a scan finds." enum:"none|names|columns|many|long|twice|cycle" default:"none"`
	Record   string     `json:"record" doc:"A file that gets a line for every statement that arrives."`
}

func chaos() *sdk.Connector {
	return &sdk.Connector{
		ID: "chaos", Version: "1.0.0", DisplayName: "Chaos", License: "Apache-2.0",
		EnvPassthrough: []string{"CHAOS_WANTED"},
		Capabilities:   sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine, Explain: true, ServerCancel: true, CancelQuery: true},
		Dialects:       []dialect.Dialect{{Name: "chaos", Guard: dialect.Guard{Statements: []dialect.Statement{{Words: []string{"SELECT"}, Kind: dialect.StatementQuery}}}}},
		Config:         sdk.ConfigOf[config](),
		Open:           open,
	}
}
