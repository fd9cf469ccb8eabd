// Package change is the only writer of the memory's files: wiki pages, and overlays of the semantic layer
// below _memory/. It keeps proposals, decisions and revisions in the state store, puts files in place by an
// atomic exchange, so that nothing a person saves is lost, and takes changes back block by block.
package change

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// ID names a change: 10 hexadecimal digits.
type ID string

// Kind is the kind of a change. Config.Kinds has the form of its files.
type Kind string

// The kinds.
const (
	Page        Kind = "page"
	Alias       Kind = "alias"
	Measure     Kind = "measure"
	Segment     Kind = "segment"
	Description Kind = "description"
	Unit        Kind = "unit"
	Values      Kind = "values"
	Synonyms    Kind = "synonyms"
	Join        Kind = "join"
	Query       Kind = "query"
	Tag         Kind = "tag"
	Source      Kind = "source"
	Skill       Kind = "skill"
)

// State of a change. A draft is an applied change that nobody reviewed.
type State string

// The states: pending → applying → applied → reverted; pending → rejected or superseded;
// applying → pending with a problem.
const (
	Pending    State = "pending"
	Applying   State = "applying"
	Applied    State = "applied"
	Reverted   State = "reverted"
	Rejected   State = "rejected"
	Superseded State = "superseded"
)

// Channel is the interface that an actor uses.
type Channel string

// The channels.
const (
	MCP     Channel = "mcp"
	CLI     Channel = "cli"
	Console Channel = "console"
	Files   Channel = "files"
)

// Actor is who proposes or decides. It is known from the transport, never from arguments.
type Actor struct {
	Channel   Channel `json:"channel"`
	Client    string  `json:"client,omitempty"`
	Version   string  `json:"version,omitempty"`
	Principal string  `json:"principal,omitempty"`
	Session   string  `json:"session,omitempty"` // a digest
	User      string  `json:"user,omitempty"`    // of the operating system
	Terminal  bool    `json:"terminal,omitempty"`
	// Label is the name that a person typed at the console's login: nobody checked it.
	Label string `json:"label,omitempty"`
	// Address is that of the console's client, without its port.
	Address string `json:"address,omitempty"`
}

// Person reports whether the actor counts as a person: a command line with a terminal, or a reviewer who signed in
// to the console.
func (a Actor) Person() bool { return a.Channel == CLI && a.Terminal || a.Channel == Console }

// Name returns the name shown to people: the client's, the user's, or the channel. That of the console says whose
// login it was and shows a typed name as such: "ada (console, root)", "root (console)".
func (a Actor) Name() string {
	if a.Channel == Console {
		known := cmp.Or(a.User, a.Principal)
		switch {
		case a.Label != "" && known != "":
			return a.Label + " (console, " + known + ")"
		case a.Label != "" || known != "":
			return cmp.Or(a.Label, known) + " (console)"
		}
		return string(a.Channel)
	}
	for _, name := range []string{a.Client, a.User, a.Principal} {
		if name != "" {
			return name
		}
	}
	return string(a.Channel)
}

// Hash is the SHA-256 of a file's content; the zero Hash = there is no file.
type Hash [sha256.Size]byte

// Of returns the hash of content.
func Of(content []byte) Hash { return sha256.Sum256(content) }

// Block is the part of a file that a change writes and a revert removes.
type Block struct {
	// Place in the file: of a page "front:aliases" for a key of the frontmatter,
	// "body:Heading/Sub" for a block below headings ("body:" = before the first); of an overlay the
	// keys "measures/arr", "columns/amount_cents/unit".
	Place string `json:"place"`
	// Before is the old block, "" = there was none; After the new one, "" = the block is removed. Of an
	// overlay both are YAML of the value; of a front key JSON of the value.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Line is the present line of a block that a revert kept; 0 = not known.
	Line int `json:"-"`
}

// Verified says how far a measure was tested.
type Verified struct {
	Level  string    `json:"level"` // compiles, plans, runs, equal, empty
	At     time.Time `json:"at"`
	Of     string    `json:"of,omitempty"`     // the other measure, of level equal
	Reason string    `json:"reason,omitempty"` // why the level is not higher
}

// Conflict is a statement that contradicts another.
type Conflict struct {
	Says string    `json:"says"`
	By   string    `json:"by"`
	At   time.Time `json:"at,omitzero"`
	// Change that made the other statement, "" = a person's file.
	Change ID     `json:"changeId,omitempty"`
	Path   string `json:"path,omitempty"`
	// Target is the member with the other statement, as in Proposal.Target; "" = it is a sentence of a
	// page.
	Target string `json:"target,omitempty"`
}

// The reasons why a change waits for a person.
const (
	WhyPolicy      = "policy"
	WhyConflict    = "contradiction"
	WhyTwin        = "twin"
	WhyNotRun      = "not_run"
	WhyEmpty       = "empty"
	WhyPersonsPage = "persons_page"
	WhyInstruction = "instruction_like"
	WhyEdited      = "edited"
	WhyStale       = "stale" // it reverts a change that its source no longer supports
)

// Proposal is a change that is not stored yet.
type Proposal struct {
	Kind Kind `json:"kind"`
	// Connection of the change, "" = none.
	Connection string `json:"connectionId,omitempty"`
	// Target is the page or member that changes, named as in answers: "arr", "subscription.arr".
	Target string `json:"target"`
	// Path of the file below the project's folder, with slashes.
	Path   string  `json:"path"`
	Blocks []Block `json:"blocks"`
	// Says is the new value in one line.
	Says string `json:"says"`
	// Value is the normalised new value: proposals of equal Kind, Connection, Target and Value are the
	// same.
	Value string `json:"value"`
	// Quote is the part of the input that states the change, and QuoteAt its offset there.
	Quote   string `json:"quote,omitempty"`
	QuoteAt int    `json:"quoteAt,omitempty"`
	// Source names who stated it: "finance"; "" = the actor.
	Source string `json:"source,omitempty"`
	// Call is the digest of the arguments of the proposing call, of calls with an id of their own.
	Call string `json:"call,omitempty"`
	// Why lists the reasons to wait for a person; nil = the policy decides.
	Why []string `json:"why,omitempty"`
	// Note explains Why in a sentence.
	Note      string     `json:"note,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Verified  *Verified  `json:"verified,omitempty"`
}

// Signature identifies the content of a proposal, whoever makes it.
func (p *Proposal) Signature() string {
	text, err := json.Marshal([]string{string(p.Kind), p.Connection, p.Target, p.Value})
	if err != nil {
		panic(err) // texts always encode
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// Change is a proposal as it is stored.
type Change struct {
	ID  ID
	Run string
	Seq int
	Proposal
	State State
	// Reviewed: a person approved or made it.
	Reviewed bool
	// Problem says why it could not be applied, "" = nothing is wrong.
	Problem   string
	By        Actor
	At        time.Time
	AppliedAt time.Time
	// DecidedBy is who approved, rejected or reverted it; the zero Actor = nobody.
	DecidedBy Actor
	DecidedAt time.Time
	Note      string // of the decision
	// Undoes is the change that this one reverts.
	Undoes ID
	// Version rises with every change of state; a decision names the version that it was made for.
	Version int64
}

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes the hash in hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads a hash in hexadecimal.
func (h *Hash) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(h) {
		return fmt.Errorf("a hash has %d digits, not %d", hex.EncodedLen(len(h)), len(text))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// hashOf is Of with nil for a file that is not there.
func hashOf(content []byte) Hash {
	if content == nil {
		return Hash{}
	}
	return Of(content)
}
