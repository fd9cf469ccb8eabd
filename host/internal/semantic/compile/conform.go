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

// checkConform refuses names for dimensions whose values cannot be compared.
func (c *compiler) checkConform() error {
	for _, name := range slices.Sorted(maps.Keys(c.r.Conform)) {
		members := c.r.Conform[name]
		var first model.DimensionID
		for _, text := range members {
			n, err := request.ParseName("conform."+name, text)
			if err != nil {
				return err
			}
			ref, err := c.dimensionOf(model.Metrics, n)
			if err != nil {
				return err
			}
			if first == 0 {
				first = ref.Dimension
			}
			if a, b := c.typeOf(first), c.typeOf(ref.Dimension); a != b {
				return refusal.Invalid("conform."+name, "%s is %s and %s is %s: their values cannot be the same", members[0], typeWords(a), text, typeWords(b)).
					About(text).Advise("make a dimension of one type in the model, with expr and CAST")
			}
		}
	}
	return nil
}

// isConformed reports whether a dimension is another one for each home.
func (c *compiler) isConformed(d *dimension) bool {
	return d.tree == nil && d.name != nil && c.conformed(d.name.Parts) != nil
}
