package health

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/daemon"
	check "github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/project/setting"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

// Units: characters of a text, and rows of a table; the page has room for these.
const (
	maxText     = 300
	maxSettings = 150
	maxRows     = 50
)

// Status is the state of a project.
type Status struct {
	*check.Status
	// Connectors are the connector processes of the server.
	Connectors []Connector `json:"connectors"`
	Disk       *check.Disk `json:"disk,omitempty"`
	// Recording says what this process did with calls; Lost are missing in the history.
	Recording Recording `json:"recording"`
	Settings  []Setting `json:"settings"`
	// MoreSettings, MoreConnections count what is left out.
	MoreSettings    int `json:"moreSettings,omitempty"`
	MoreConnections int `json:"moreConnections,omitempty"`
	// Trust has what the project asks for: programs, environment, files, destinations.
	Trust []Permission `json:"trust"`
	// Unread are the parts that could not be read.
	Unread []string `json:"unread,omitempty"`
}

// Connector is a connector process.
type Connector struct {
	daemon.Connector
	// Running and Waiting are the calls on its connections.
	Running int `json:"running"`
	Waiting int `json:"waiting"`
}

// Opened lists the connections that are open in the process.
func (c Connector) Opened() string { return result.Short(strings.Join(c.Open, ", "), maxText) }

// Recording counts the calls of this process.
type Recording struct {
	Recorded int64  `json:"recorded"`
	Lost     int64  `json:"lost"`
	Failure  string `json:"failure,omitempty"`
}

// Setting is an effective setting.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Permission is an ask of the project, without its details, which may be secret.
type Permission struct {
	Kind  trust.Kind  `json:"kind"`
	Where string      `json:"where"`
	State trust.State `json:"state"`
}

// status looks at all parts. A part that cannot be read is named, and hides no other.
// Errors: those of health.Service.Status.
func (s *Services) status(ctx context.Context) (*Status, error) {
	found, err := s.Health.Status(ctx)
	if err != nil {
		return nil, err
	}
	out := &Status{Status: found, Connectors: []Connector{}, Settings: []Setting{}, Trust: []Permission{}}
	for _, p := range found.Problems {
		out.unread(s, p)
	}
	if out.Disk, err = s.Health.Disk(ctx); err != nil {
		out.unread(s, err)
	}
	settings, err := s.Settings(ctx)
	out.unread(s, err)
	out.set(settings)
	items, err := s.Trust(ctx)
	out.unread(s, err)
	for _, i := range items[:min(len(items), maxRows)] {
		out.Trust = append(out.Trust, Permission{i.Kind, result.Short(i.Where, maxText), i.State})
	}
	stats := s.Recorded()
	out.Recording = Recording{Recorded: stats.Recorded, Lost: stats.Lost}
	if stats.Failure != nil {
		out.Recording.Failure = s.said(stats.Failure)
	}
	out.connectors()
	out.redact(s)
	return out, ctx.Err()
}

// unread names a part that could not be read.
func (out *Status) unread(s *Services, err error) {
	if err != nil && !slices.Contains(out.Unread, s.said(err)) {
		out.Unread = append(out.Unread, s.said(err))
	}
}

// said returns the text of an error without secrets, with its hint.
func (s *Services) said(err error) string {
	text := err.Error()
	if hint := sdk.AsError(err, sdk.SourceHost).Hint; hint != "" {
		text += ": " + hint
	}
	return result.Short(s.Redact(text), maxText)
}

// set keeps the settings as texts.
func (out *Status) set(all []setting.Setting) {
	out.MoreSettings = max(0, len(all)-maxSettings)
	for i := range all[:len(all)-out.MoreSettings] {
		text, err := all[i].Text()
		if err != nil {
			text = "it cannot be shown"
		}
		out.Settings = append(out.Settings, Setting{all[i].Key, result.Short(text, maxText), all[i].Origin()})
	}
}

// connectors lists the processes of the server with their calls.
func (out *Status) connectors() {
	if out.Server == nil || out.Server.Serving == nil {
		return
	}
	for _, l := range out.Server.Live[:min(len(out.Server.Live), maxRows)] {
		c := Connector{Connector: l}
		c.Failure = result.Short(c.Failure, maxText)
		for _, id := range l.Open {
			calls := out.Server.Calls[id]
			c.Running, c.Waiting = c.Running+calls.Running, c.Waiting+calls.Waiting
		}
		out.Connectors = append(out.Connectors, c)
	}
	slices.SortStableFunc(out.Connectors, func(a, b Connector) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Connector.Connection, b.Connector.Connection))
	})
}

// redact cuts texts of connectors and removes secrets from them.
func (out *Status) redact(s *Services) {
	clean := func(texts ...*string) {
		for _, text := range texts {
			*text = result.Short(s.Redact(*text), maxText)
		}
	}
	out.MoreConnections = max(0, len(out.Connections)-maxRows)
	out.Connections = out.Connections[:len(out.Connections)-out.MoreConnections]
	for i := range out.Connections {
		c := &out.Connections[i]
		clean(&c.Server, &c.User, &c.ReadOnly, &c.Description, &c.DisplayName)
		if c.Failure != nil {
			clean(&c.Failure.Message, &c.Failure.Hint)
		}
	}
	kept := out.Components[:0]
	for _, c := range out.Components {
		if clean(&c.Detail, &c.Hint); !strings.HasPrefix(c.Name, "connection ") { // they have a table of their own
			kept = append(kept, c)
		}
	}
	out.Components = kept
	for i := range out.Connectors {
		clean(&out.Connectors[i].Failure)
	}
}

// Size shows the bytes of the state folder.
func (out *Status) Size() string {
	if out.Disk == nil {
		return ""
	}
	return humanize.IBytes(uint64(max(0, out.Disk.Bytes)))
}

// Left shows the bytes that can still be written; "" = the system does not say.
func (out *Status) Left() string {
	if out.Disk == nil || out.Disk.Free == nil {
		return ""
	}
	return humanize.IBytes(uint64(max(0, *out.Disk.Free)))
}

// Waits describes what waits in the memory; "" = nothing does.
func (out *Status) Waits() string { return out.Remembered.Text(time.Now()) }

// Changed are the permissions that a person has to give.
func (out *Status) Changed() (n int) {
	for _, p := range out.Trust {
		if p.State != trust.StateTrusted {
			n++
		}
	}
	return n
}

// Time reads a time of a connection; zero for another text.
func (*Status) Time(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at
}
