package checkpoint

import "testing"

// A thinned run has at most so many points of each series, with the newest, and all points of a series that has few.
func TestThin(t *testing.T) {
	var lines []Line
	for i := 1; i <= 1000; i++ {
		points := map[string][]Point{"losses": {plain("value", float64(i)), plain("policy", 2*float64(i))}}
		if i%7 == 0 {
			points["score"] = []Point{plain("", float64(i))}
		}
		lines = append(lines, Line{Iteration: i, Points: points})
	}
	counts, newest := map[string]int{}, map[string]float32{}
	thin := Thin(lines, 200)
	for i, l := range thin {
		if i > 0 && l.Iteration <= thin[i-1].Iteration {
			t.Fatalf("iteration %d follows %d", l.Iteration, thin[i-1].Iteration)
		}
		for chart, points := range l.Points {
			for _, p := range points {
				counts[chart+p.Series]++
				newest[chart+p.Series] = p.Value
			}
		}
	}
	if counts["lossesvalue"] != 200 || counts["lossespolicy"] != 200 || counts["score"] != 142 {
		t.Errorf("numbers of points: %v", counts)
	}
	if newest["lossesvalue"] != 1000 || newest["lossespolicy"] != 2000 || newest["score"] != 994 {
		t.Errorf("newest points: %v", newest)
	}
	if n := len(lines[999].Points["losses"]); n != 2 {
		t.Errorf("the lines that were thinned lost points: %d are left", n)
	}
	if all := Thin(lines, 1000); len(all) != 1000 || len(all[6].Points) != 2 {
		t.Errorf("of 1000 lines, %d are left though 1000 points are allowed", len(all))
	}
}
