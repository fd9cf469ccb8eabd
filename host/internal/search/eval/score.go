package eval

import (
	"cmp"
	"math"
	"slices"
)

// Score says how good the pages of some questions are, each figure from 0 to 1.
type Score struct {
	Questions int
	// Recall5 is the share of the right answers (grade 2 and 3, at most five)
	// that are among the first five.
	Recall5 float64
	// MRR is the mean of 1/place of the first right answer.
	MRR float64
	// NDCG10 weighs the first ten by grade and place against the best order.
	NDCG10 float64
}

// right is the grade from which an answer is right.
const right = 2

// Judge scores one page: ids in order, as Question.Grades names them.
func Judge(q Question, page []string) Score {
	s := Score{Questions: 1}
	all, found := 0, 0
	var grades []int
	for _, grade := range q.Grades {
		grades = append(grades, grade)
		if grade >= right {
			all++
		}
	}
	gained := 0.0
	for i, id := range page {
		grade := q.Grades[id]
		if grade >= right && i < 5 {
			found++
		}
		if grade >= right && s.MRR == 0 {
			s.MRR = 1 / float64(i+1)
		}
		if i < 10 {
			gained += gain(grade, i)
		}
	}
	s.Recall5 = float64(found) / float64(max(1, min(5, all)))
	slices.SortFunc(grades, func(a, b int) int { return cmp.Compare(b, a) })
	best := 0.0
	for i, grade := range grades[:min(10, len(grades))] {
		best += gain(grade, i)
	}
	if best > 0 {
		s.NDCG10 = gained / best
	}
	return s
}

func gain(grade, place int) float64 {
	return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(place+2))
}

// Mean returns the mean of scores.
func Mean(scores []Score) Score {
	var sum Score
	for _, s := range scores {
		sum.Questions += s.Questions
		sum.Recall5 += s.Recall5
		sum.MRR += s.MRR
		sum.NDCG10 += s.NDCG10
	}
	n := float64(max(1, len(scores)))
	return Score{Questions: sum.Questions, Recall5: sum.Recall5 / n, MRR: sum.MRR / n, NDCG10: sum.NDCG10 / n}
}
