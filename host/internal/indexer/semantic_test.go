package indexer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/host/internal/search"
)

// deals is a source beside what scans find.
const deals = `name: deals
table: c.pipeline
description: Open and decided opportunities
dimensions:
  - {name: stage, type: string, values: [won, lost]}
measures:
  - {name: win_rate, agg: avg, expr: won, synonyms: [hit ratio]}
`

func source(name, measure string) string {
	return fmt.Sprintf("name: %s\nsql: select 1\nmeasures:\n  - {name: %s, agg: count}\n", name, measure)
}

// What files say is in the next state, of this host and of another; a broken
// file takes itself away and no other.
func TestFreshSources(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop", "crm")
	p.scan("shop", nil, table("s.orders", "id"))
	p.source("shop", "orders", "name: orders\nmeasures:\n  - {name: turnover, agg: sum, expr: amount}\n")
	p.source("shop", "refunds", source("refunds", "repaid"))
	p.source("crm", "deals", deals)
	a, b := p.host(), p.host()
	a.finds("turnover", "orders.turnover", "orders")
	if n := a.wrote(); n != 3 {
		t.Errorf("%d segments were made, want those of the tables and of two semantic layers", n)
	}
	b.finds("hit ratio", "deals.win_rate")
	if n := b.wrote(); n != 0 {
		t.Errorf("another host made %d segments again", n)
	}
	remove := func(path string) {
		if err := os.RemoveAll(filepath.Join(p.dir, "semantic-layer", path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []struct {
		name   string
		do     func()
		asked  string
		want   []string
		writes int
	}{
		{"an edited file", func() { p.source("shop", "refunds", source("refunds", "chargebacks")) }, "chargebacks", []string{"refunds", "refunds.chargebacks"}, 1},
		{"what it said before", func() {}, "repaid", nil, 0},
		{"a broken file", func() { p.source("shop", "refunds", "name: refunds\nmeasures: [") }, "chargebacks", nil, 1},
		{"its neighbour", func() {}, "turnover", []string{"orders", "orders.turnover"}, 0},
		{"a mended file", func() { p.source("shop", "refunds", source("refunds", "chargebacks")) }, "chargebacks", []string{"refunds", "refunds.chargebacks"}, 0},
		{"a broken measure", func() {
			p.source("shop", "refunds", source("refunds", "chargebacks")+"  - {name: fee_total, agg: nonsense}\n")
		}, "feetotal", nil, 1},
		{"the one beside it", func() {}, "chargebacks", []string{"refunds", "refunds.chargebacks"}, 0},
		{"a file that was removed", func() { remove("shop/refunds.yaml") }, "chargebacks", nil, 0},
		{"a new file", func() { p.source("shop", "visits", source("visits", "bounces")) }, "bounces", []string{"visits", "visits.bounces"}, 1},
		{"a file that was renamed", func() {
			remove("shop/visits.yaml")
			p.source("shop", "sessions", source("visits", "bounces"))
		}, "bounces", []string{"visits", "visits.bounces"}, 0},
		{"a metric", func() {
			p.source("shop", "metrics", "metrics:\n  - {name: conversion, type: ratio, numerator: orders.turnover, denominator: visits.bounces}\n")
		}, "conversion", []string{"conversion"}, 1},
		{"a connection's last file", func() { remove("crm") }, "hit ratio", nil, 0},
		{"the table that a source is of", func() { p.scan("shop", nil, table("s.orders", "id"), table("s.others", "id")) }, "turnover", []string{"conversion", "orders", "orders.turnover"}, 1},
	} {
		t.Run(change.name, func(t *testing.T) {
			change.do()
			for _, h := range []*host{a, b} {
				s := h.current()
				got := found(t, s, change.asked)
				slices.Sort(got)
				if diff := cmp.Diff(change.want, got); diff != "" || s.Notes != nil {
					t.Errorf("%q, notes %q (-want +got):\n%s", change.asked, s.Notes, diff)
				}
			}
			if n, other := a.wrote(), b.wrote(); n != change.writes || other != 0 {
				t.Errorf("%d segments were made, want %d, and %d by the other host", n, change.writes, other)
			}
		})
	}
}

// Of a large semantic layer only the shard is made again that a change is in,
// and what has no files costs nothing.
func TestSourceShards(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop", "crm")
	const n = 3 * sourcesPerShard
	for i := range n {
		p.source("shop", fmt.Sprintf("s%04d", i), source(fmt.Sprintf("source%04d", i), fmt.Sprintf("amount%04d", i)))
	}
	h := p.host()
	s := h.current()
	if wrote := h.wrote(); wrote != 4 || s.Index.Count(search.Source) != n || s.Index.Count(search.Measure) != n {
		t.Errorf("%d segments of %d sources and %d measures", wrote, s.Index.Count(search.Source), s.Index.Count(search.Measure))
	}
	if _, ok := s.Semantic["crm"]; ok || len(h.seen.units) != 2 {
		t.Errorf("a connection without files is among %d units", len(h.seen.units))
	}
	p.source("shop", "s0007", source("source0007", "zebras"))
	h.finds("zebras", "source0007.zebras", "source0007")
	if wrote := h.wrote(); wrote != 1 {
		t.Errorf("for an edited file %d segments were made", wrote)
	}
}

// A semantic layer that cannot be read takes away its own sources.
func TestUnreadableSources(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	if err := os.MkdirAll(filepath.Join(p.dir, "semantic-layer"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(p.dir, "semantic-layer", "shop"), nil)
	h := p.host()
	h.asks("orders", []string{"s.orders"}, "The semantic layer of connection shop is not in this answer: ")
	if err := os.Remove(filepath.Join(p.dir, "semantic-layer", "shop")); err != nil {
		t.Fatal(err)
	}
	p.source("shop", "deals", deals)
	h.finds("win rate", "deals.win_rate", "deals")
}

// A call that does not wait any longer has the sources as they were before.
func TestSourcesBehind(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	synctest.Test(t, func(t *testing.T) {
		h := p.host()
		defer func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		}()
		h.finds("orders", "s.orders")
		goOn := h.stopAt("document")
		p.source("shop", "deals", deals)
		h.asks("win rate", nil, "The index of the semantic layer of connection shop is being made: this answer is without its sources.")
		goOn()
		h.finds("win rate", "deals.win_rate", "deals")
		goOn = h.stopAt("document")
		p.source("shop", "deals", source("deals", "losses"))
		h.asks("losses", nil, "The index of the semantic layer of connection shop is being made: this answer has its sources as they were before.")
		goOn()
		h.finds("losses", "deals.losses", "deals")
	})
}
