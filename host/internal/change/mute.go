package change

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// MostMuted is how many actors can be muted.
const MostMuted = 200

// Mute is an actor whose waiting changes lists leave out: Filter.NotBy takes its name. Its changes wait as before.
type Mute struct {
	Actor string // Actor.Name
	By    Actor
	At    time.Time
}

// Muted returns the muted actors by name.
func (e *Engine) Muted(ctx context.Context) ([]Mute, error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.MemoryMutes(ctx, MostMuted)
	if err != nil {
		return nil, err
	}
	all := make([]Mute, len(rows))
	for i, r := range rows {
		all[i] = Mute{Actor: r.Actor, At: r.At}
		if err := json.Unmarshal([]byte(r.By), &all[i].By); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Mute mutes an actor, with an event in the log. One that is muted stays so.
// Errors: KindNotFound for an actor who proposed nothing, KindLimit beyond MostMuted.
func (e *Engine) Mute(ctx context.Context, actor string, by Actor) error {
	all, err := e.Muted(ctx)
	if err != nil {
		return err
	}
	if muted(all, actor) {
		return nil
	}
	list, err := e.List(ctx, Filter{By: actor, Limit: 1})
	switch {
	case err != nil:
		return err
	case actor == "" || list.Total == 0:
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no change is of an actor %q", actor).WithHint("loam review list --state all shows the actors")
	case len(all) >= MostMuted:
		return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "%d actors are muted, which is the most", len(all)).WithHint("unmute one: loam review mute lists them")
	}
	at := e.Now()
	return e.commit(ctx, "mute", &store.MemoryBatch{
		Muted: []store.MemoryMute{{Actor: actor, At: at, By: encode(&by)}}, Events: []store.MemoryEvent{{At: at, Actor: encode(&by), Verb: VerbMuted, Detail: actor}},
	})
}

// Unmute takes a mute back, with an event in the log.
// Errors: KindNotFound for an actor who is not muted.
func (e *Engine) Unmute(ctx context.Context, actor string, by Actor) error {
	all, err := e.Muted(ctx)
	if err != nil {
		return err
	}
	if !muted(all, actor) {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the actor %q is not muted", actor).WithHint("loam review mute lists the muted actors")
	}
	return e.commit(ctx, "unmute", &store.MemoryBatch{
		Unmuted: []string{actor}, Events: []store.MemoryEvent{{At: e.Now(), Actor: encode(&by), Verb: VerbUnmuted, Detail: actor}},
	})
}

func muted(all []Mute, actor string) bool {
	return slices.ContainsFunc(all, func(m Mute) bool { return m.Actor == actor })
}
