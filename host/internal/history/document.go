package history

import (
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// Document is a recorded call as the commands and the console show it.
type Document struct {
	ID             string          `json:"id"`
	Incident       string          `json:"incident,omitempty"`
	StartedAt      time.Time       `json:"startedAt"`
	ElapsedMs      float64         `json:"elapsedMs"`
	Tool           string          `json:"tool"`
	Connection     string          `json:"connection,omitempty"`
	Outcome        string          `json:"outcome"`
	Rows           *int            `json:"rows"` // null: no statement ran to its end
	Bytes          int             `json:"bytes"`
	Client         string          `json:"client,omitempty"`
	ClientVersion  string          `json:"clientVersion,omitempty"`
	Transport      string          `json:"transport"`
	Principal      string          `json:"principal"`
	Session        string          `json:"session,omitempty"`
	Arguments      json.RawMessage `json:"arguments"` // a string when it was cut; null: not kept
	ArgumentsBytes int             `json:"argumentsBytes"`
}

// NewDocument describes a call.
func NewDocument(c *store.Call) Document {
	d := Document{
		ID: c.Request, Incident: c.Incident, StartedAt: c.Started, ElapsedMs: float64(c.Duration.Microseconds()) / 1000, Tool: c.Tool,
		Connection: c.Connection, Outcome: c.Outcome, Bytes: c.Bytes, Client: c.Client, ClientVersion: c.ClientVersion,
		Transport: c.Transport, Principal: c.Principal, Session: c.Session, ArgumentsBytes: c.ArgumentsBytes,
	}
	if c.Rows != store.NoRows {
		d.Rows = &c.Rows
	}
	switch {
	case json.Valid([]byte(c.Arguments)):
		d.Arguments = json.RawMessage(c.Arguments)
	case c.Arguments != "":
		d.Arguments, _ = json.Marshal(c.Arguments) // a text is always JSON
	}
	return d
}
