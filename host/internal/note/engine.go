// Package note keeps what agents and people note while they work: checkpoints of a work, and remediations of errors. They
// are rows of the state store. Their search index is a cache: immutable segments of ranges of notes, which each host
// makes when they are missing, so that a note that one process saved is found by the next search of another.
//
// A note with an owner is seen by that principal alone. The segments have the notes of all owners; a search names the
// owners that it may return.
package note

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/store"
)

// Checkpoint and Remediation are the rows of notes.
type (
	Checkpoint  = store.Checkpoint
	Remediation = store.Remediation
)

// Approved is the Review of a remediation that a person approved.
const Approved = store.Approved

// Engine keeps and finds notes. It opens the store at the first use.
// Concurrency: its methods may be called concurrently, also by several processes.
type Engine struct {
	state        *store.Lazy
	checkpoints  *segments
	remediations *segments
}

// New returns the Engine of a project, whose index is in the folder dir.
func New(state *store.Lazy, dir string) *Engine {
	e := &Engine{state: state}
	e.checkpoints = newSegments(store.CheckpointNote, dir, e.addCheckpoints)
	e.remediations = newSegments(store.RemediationNote, dir, e.addRemediations)
	return e
}

// Store returns the rows of the notes.
func (e *Engine) Store(ctx context.Context) (*store.Store, error) { return e.state.Get(ctx) }

// Began reports whether the state store exists. If not, no note was ever saved.
func (e *Engine) Began() bool {
	_, err := os.Stat(e.state.Path())
	return err == nil
}

// Close gives the index up.
func (e *Engine) Close() error { return errors.Join(e.checkpoints.close(), e.remediations.close()) }

// Viewer returns the principal whose private notes the caller of ctx sees; "" = the caller has no name of its own.
func Viewer(ctx context.Context) string {
	if who := caller.Of(ctx); who.Named {
		return who.Principal
	}
	return ""
}

// crockford is the alphabet of ids.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewID returns a ULID: 48 bits of time and 80 random ones.
func NewID(now time.Time) string {
	var raw [18]byte // 2 bits of padding make 26 digits of 130 bits
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	_, _ = rand.Read(raw[6:16]) // it never fails
	shifted := make([]byte, 17)
	for i := range 17 { // shift right by 2 bits
		shifted[i] = raw[i] >> 2
		if i > 0 {
			shifted[i] |= raw[i-1] << 6
		}
	}
	const digits = 26
	return crockford.EncodeToString(shifted)[:digits]
}

// Tags encodes the tags of a note.
func Tags(all []string) string { return encode(append([]string{}, all...)) }

// Context encodes the context of a note.
func Context(all map[string]string) string {
	if all == nil {
		all = map[string]string{}
	}
	return encode(all)
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("note: texts are no JSON: " + err.Error())
	}
	return string(data)
}

// TagsOf decodes the tags of a note.
func TagsOf(n *store.Note) (tags []string) {
	if json.Unmarshal([]byte(n.Tags), &tags) != nil || tags == nil {
		return []string{} // nobody else writes the column
	}
	return tags
}

// ContextOf decodes the context of a note.
func ContextOf(n *store.Note) map[string]string {
	context := map[string]string{}
	if json.Unmarshal([]byte(n.Context), &context) != nil {
		return map[string]string{}
	}
	return context
}

// Documents belong to groups, in place of the connections of other documents: one for the owner, one for the owner's
// project, and one for each of the owner's tags. A search asks for one group of each owner that it may return.
func groups(n *store.Note) string {
	all := []string{ownerGroup(n.Owner), pathGroup(n.Owner, n.ProjectPath)}
	for _, tag := range TagsOf(n) {
		all = append(all, tagGroup(n.Owner, tag))
	}
	return strings.Join(all, search.Several)
}

func ownerGroup(owner string) string      { return fmt.Sprintf("o%q", owner) }
func pathGroup(owner, path string) string { return fmt.Sprintf("p%q%q", owner, path) }
func tagGroup(owner, tag string) string   { return fmt.Sprintf("t%q%q", owner, strings.ToLower(tag)) }

// contextText returns the values of a context in the order of their keys, each with its key.
func contextText(n *store.Note) string {
	var lines []string
	for key, value := range ContextOf(n) {
		lines = append(lines, key+": "+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (e *Engine) addCheckpoints(ctx context.Context, b *search.Builder, s span) error {
	state, err := e.state.Get(ctx)
	if err != nil {
		return err
	}
	all, err := state.CheckpointsBetween(ctx, s.from, s.to)
	for i := range all {
		c := &all[i]
		if err := b.Add(search.Document{
			Kind: search.Checkpoint, ID: c.ID, Connection: groups(&c.Note), Name: c.Summary, Description: c.Description,
			Context: TagsOf(&c.Note), Body: contextText(&c.Note),
		}); err != nil {
			return err
		}
	}
	return err
}

func (e *Engine) addRemediations(ctx context.Context, b *search.Builder, s span) error {
	state, err := e.state.Get(ctx)
	if err != nil {
		return err
	}
	all, err := state.RemediationsBetween(ctx, s.from, s.to)
	for i := range all {
		r := &all[i]
		if err := b.Add(search.Document{
			Kind: search.Remediation, ID: r.ID, Connection: groups(&r.Note), Name: r.ErrorType, Description: r.Pattern,
			Context: TagsOf(&r.Note), Body: strings.Join([]string{r.ErrorMessage, r.Solution, contextText(&r.Note)}, "\n"),
		}); err != nil {
			return err
		}
	}
	return err
}
