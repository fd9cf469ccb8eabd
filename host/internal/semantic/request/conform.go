package request

import (
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// conform reads the names of the request that stand for dimensions of several sources.
func (n *normaliser) conform(g given, r *Request) {
	const example = `write {"region": ["shops.region", "customers.region"]}`
	o, ok := g.value.(*object)
	if !ok {
		n.invalid(g.key, "it must be an object, not %s", ValueWords(g.value)).Advise(example)
		return
	}
	for i, key := range o.keys {
		where := g.key + "." + key
		name, err := expression.ParseName(key)
		switch {
		case err != nil || len(name.Parts) != 1:
			n.invalid(g.key, "%q is no name of one part", key).Advise(example)
			return
		case strings.EqualFold(name.Parts[0], MetricTime):
			n.invalid(where, "metric_time is the time of each measure by itself").Advise("leave it out")
			return
		}
		for known := range r.Conform {
			if strings.EqualFold(known, name.Parts[0]) {
				n.invalid(where, "it is there twice").Advise("write each name once")
				return
			}
		}
		members := n.names(given{where, o.values[i]})
		if len(members) < 2 {
			n.invalid(where, "it takes two dimensions or more to mean the same").Advise(example)
			return
		}
		if r.Conform == nil {
			r.Conform = map[string][]string{}
		}
		r.Conform[name.Parts[0]] = members
	}
}
