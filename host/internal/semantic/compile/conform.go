package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// conformed are the members that a name of the request stands for; nil = it is another
// name.
func (c *compiler) conformed(parts []string) []string {
	if len(parts) == 1 {
		for name, members := range c.r.Conform {
			if strings.EqualFold(name, parts[0]) {
				return members
			}
		}
	}
	return nil
}

// conform finds the one of the members that a home has: the one that each of its rows
// has one value of, else the one that it reaches at all. Where it reaches none, the
// first says why.
func (c *compiler) conform(home model.SourceID, name string, members []string) ([]model.Member, error) {
	var first []model.Member
	var ones, several [][]model.Member
	var known, finer []string
	for _, text := range members {
		n, err := request.ParseName("conform."+name, text)
		if err != nil {
			return nil, err
		}
		all, err := c.lookup(takesDimension, home, n)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, takesDimension)
		if at < 0 {
			return nil, c.notA("dimension", n, all)
		}
		found := all[at : at+1]
		if first == nil {
			first = found
		}
		if home == model.Metrics {
			return first, nil
		}
		path, err := c.m.Path(home, found[0].Ref)
		_, code := refusal.ModelError(err)
		switch {
		case err == nil && path.ToOne(), code == refusal.CodeAmbiguousPath:
			ones, known = append(ones, found), append(known, text)
		case err == nil:
			several, finer = append(several, found), append(finer, text)
		}
	}
	if len(ones) == 0 {
		ones, known = several, finer
	}
	switch {
	case len(ones) > 1:
		source := c.m.Source(home).Name
		return nil, refusal.New(refusal.CodeAmbiguousMember, "%s could be %s for %s, which reaches them all", name, refusal.Listed(known), source).
			About(name).Choices(known).Advise("ask for the measures of %s by the one that is meant, such as %s, in a query of their own", source, known[0])
	case len(ones) == 1:
		return ones[0], nil
	}
	return first, nil
}

// conformedFields are the members that a name of the request stands for, as filters
// compare them.
func (c *compiler) conformedFields(name string, members []string) (all []filterField, err error) {
	for _, text := range members {
		n, err := request.ParseName("conform."+name, text)
		if err != nil {
			return nil, err
		}
		ref, err := c.dimensionOf(model.Metrics, n)
		if err != nil {
			return nil, err
		}
		all = append(all, c.fieldOf(n, ref))
	}
	return all, nil
}

// checkConform refuses names for dimensions whose values cannot be compared.
func (c *compiler) checkConform() error {
	for _, name := range slices.Sorted(maps.Keys(c.r.Conform)) {
		all, err := c.conformedFields(name, c.r.Conform[name])
		if err != nil {
			return err
		}
		first, where := all[0], "conform."+name
		for _, x := range all[1:] {
			switch {
			case x.Type != first.Type:
				return refusal.Invalid(where, "%s is %s and %s is %s: their values cannot be the same", first, typeWords(first.Type), x, typeWords(x.Type)).
					About(x.String()).Advise("make a dimension of one type in the model, with expr and CAST")
			case x.isTime() && zoneName(x.Zone) != zoneName(first.Zone):
				return refusal.Invalid(where, "%s and %s are times of different zones: one moment has two values", first, x).
					About(x.String()).Advise("group by metric_time, or make a dimension in one zone in the model")
			}
		}
	}
	return nil
}

// conformedValues are those of the members that a name stands for, where all are known.
func conformedValues(of []filterField) (all []string) {
	for _, x := range of {
		if len(x.Values) == 0 {
			return nil
		}
		all = append(all, x.Values...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isConformed reports whether a dimension is another one for each home.
func (c *compiler) isConformed(d *dimension) bool {
	return d.tree == nil && d.name != nil && c.conformed(d.name.Parts) != nil
}
