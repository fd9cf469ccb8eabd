package wire

import (
	"encoding/json"
	"net"

	plugin "github.com/hashicorp/go-plugin"

	"github.com/loam-data/loam/sdk"
)

// EnvReattach names the environment variable with the addresses of running
// connectors, for a developer with a debugger.
const EnvReattach = "LOAM_REATTACH"

// Reattach is the address of a running connector.
type Reattach struct {
	Protocol int    `json:"protocol"` // major version
	PID      int    `json:"pid"`
	Network  string `json:"network"`
	Address  string `json:"address"`
}

// EncodeReattach returns the value of EnvReattach: connectors by id.
func EncodeReattach(running map[string]Reattach) (string, error) {
	raw, err := json.Marshal(running)
	return string(raw), err
}

// DecodeReattach reads the value of EnvReattach; "" is none.
// Errors: KindInvalid.
func DecodeReattach(value string) (map[string]Reattach, error) {
	if value == "" {
		return nil, nil
	}
	var running map[string]Reattach
	if err := json.Unmarshal([]byte(value), &running); err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is not what a connector printed: %w", EnvReattach, err).
			WithHint("copy the line that \"loam-connector-<name> serve --debug\" printed, or unset %s", EnvReattach)
	}
	return running, nil
}

// Config returns the address for go-plugin's client, whose Kill then does not
// end the process.
func (r Reattach) Config() (*plugin.ReattachConfig, error) {
	config := &plugin.ReattachConfig{Protocol: plugin.ProtocolGRPC, ProtocolVersion: r.Protocol, Pid: r.PID, Test: true}
	var err error
	switch r.Network {
	case "unix":
		config.Addr, err = net.ResolveUnixAddr(r.Network, r.Address)
	default:
		config.Addr, err = net.ResolveTCPAddr("tcp", r.Address)
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s names no address: %w", EnvReattach, err)
	}
	return config, nil
}
