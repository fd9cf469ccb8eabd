package memory

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// What waits of a muted actor waits on, and lists of what waits leave it out until the actor is named or unmuted.
func TestMute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	if all, err := s.Muted(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("before anything was remembered: %v, %v", all, err)
	}
	first := string(remember(t, s, "Fact one.", agent).Captured.Pending[0].ID)
	second := string(remember(t, s, "Fact two.", codex).Captured.Pending[0].ID)
	expect := func(when string, r ChangesRequest, rows, hidden int) {
		t.Helper()
		got, err := s.Changes(t.Context(), r)
		if err != nil || len(got.Changes) != rows || got.Hidden != hidden {
			t.Errorf("%s: %v, %+v", when, err, got)
		}
	}
	open := ChangesRequest{Open: true, HideMuted: true}
	expect("nobody is muted", open, 2, 0)
	if err := s.Mute(t.Context(), codex.Name(), agent); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("an agent mutes: %v", err)
	}
	if err := s.Mute(t.Context(), "nobody", reviewer); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("an unknown actor: %v", err)
	}
	for range 2 { // the second does nothing
		if err := s.Mute(t.Context(), codex.Name(), reviewer); err != nil {
			t.Fatal(err)
		}
	}
	expect("muted", open, 1, 1)
	expect("waiting", ChangesRequest{State: "pending", HideMuted: true}, 1, 1)
	expect("with a text", ChangesRequest{Open: true, HideMuted: true, Text: "Fact"}, 1, -1)
	expect("the actor is named", ChangesRequest{Open: true, HideMuted: true, Actor: codex.Name()}, 1, 0)
	expect("all states", ChangesRequest{HideMuted: true}, 2, 0)
	expect("shown", ChangesRequest{Open: true}, 2, 0)
	if before, after, err := s.Around(t.Context(), open, change.ID(first)); err != nil || before != nil || after != nil {
		t.Errorf("beside the only change: %v, %v, %v", before, after, err)
	}
	if w, err := s.Waiting(t.Context()); err != nil || w.Pending != 2 {
		t.Errorf("%+v, %v", w, err)
	}
	if all, err := s.Muted(t.Context()); err != nil || len(all) != 1 || all[0] != (Muted{codex.Name(), reviewer.Name(), now}) {
		t.Errorf("%+v, %v", all, err)
	}
	if out, err := s.Approve(t.Context(), Decision{IDs: []string{second}, Actor: reviewer}); err != nil || out[0].Failed {
		t.Errorf("it can be decided: %+v, %v", out, err)
	}
	if err := s.Unmute(t.Context(), codex.Name(), reviewer); err != nil {
		t.Fatal(err)
	}
	if err := s.Unmute(t.Context(), codex.Name(), reviewer); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("unmuted twice: %v", err)
	}
	expect("unmuted", open, 1, 0)
	events, err := s.Log(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range events {
		if e.Change == "" {
			got[e.Verb] += e.Detail + " by " + e.By + "; "
		}
	}
	by := codex.Name() + " by " + reviewer.Name() + "; "
	if got[change.VerbMuted] != by || got[change.VerbUnmuted] != by {
		t.Errorf("the log: %v", got)
	}
}

// As many actors as the limit are muted, and not one more.
func TestMostMuted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	remember(t, s, "Fact one.", agent)
	remember(t, s, "Fact two.", codex)
	kept, err := s.Store.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var batch store.MemoryBatch
	for i := range change.MostMuted - 1 {
		batch.Muted = append(batch.Muted, store.MemoryMute{Actor: fmt.Sprint("actor ", i), At: now, By: "{}"})
	}
	if err := kept.PutMemory(t.Context(), &batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Mute(t.Context(), codex.Name(), reviewer); err != nil {
		t.Errorf("the last one: %v", err)
	}
	if err := s.Mute(t.Context(), agent.Name(), reviewer); sdk.KindOf(err) != sdk.KindLimit {
		t.Errorf("one more: %v", err)
	}
	if err := s.Unmute(t.Context(), "actor 7", reviewer); err != nil {
		t.Fatal(err)
	}
	if err := s.Mute(t.Context(), agent.Name(), reviewer); err != nil {
		t.Errorf("in the place of another: %v", err)
	}
}
