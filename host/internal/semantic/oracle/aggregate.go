package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
)

// aggregate computes one value from many. NULLs are passed over; a count of
// nothing is 0, everything else of nothing is NULL.
func aggregate(f expression.AggregateFunction, values []any, parameter *expression.Literal) any {
	values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
	switch f {
	case expression.Count:
		return float64(len(values))
	case expression.CountDistinct, expression.ApproxDistinct:
		distinct := map[string]bool{}
		for _, v := range values {
			distinct[keyOf(v)] = true
		}
		return float64(len(distinct))
	}
	if len(values) == 0 {
		return nil
	}
	switch f {
	case expression.Sum:
		return sum(values)
	case expression.Avg:
		return sum(values) / float64(len(values))
	case expression.Min:
		return slices.MinFunc(values, compareValues)
	case expression.Max:
		return slices.MaxFunc(values, compareValues)
	case expression.Median:
		return quantile(values, 0.5)
	case expression.Percentile:
		p, err := strconv.ParseFloat(parameter.Value, 64)
		if err != nil {
			panic(err) // the parser has read it
		}
		return quantile(values, p)
	case expression.StringAgg:
		slices.SortFunc(values, compareValues)
		var texts []string
		for _, v := range values {
			texts = append(texts, v.(string))
		}
		return strings.Join(texts, parameter.Value)
	}
	panic("there is no meaning of " + string(f))
}

func sum(values []any) float64 {
	total := 0.0
	for _, v := range values {
		total += v.(float64)
	}
	return total
}

// quantile interpolates between the two values around the place p of 0..1.
func quantile(values []any, p float64) any {
	slices.SortFunc(values, compareValues)
	place := p * float64(len(values)-1)
	low := int(place)
	at := values[low].(float64)
	if low+1 < len(values) {
		at += (place - float64(low)) * (values[low+1].(float64) - at)
	}
	return at
}

// overNothing is the value of an aggregate over no rows.
func overNothing(f expression.AggregateFunction) any { return aggregate(f, nil, nil) }
