package main

import (
	"testing"
	"time"

	"tengen/eval/rating"
)

func TestTables(t *testing.T) {
	o := options{budget: 8 * time.Minute, seeds: []uint64{1}, simulations: []int{100}, match: matchConfig{1000, "-20,20", 6, 100}}
	marked := func(search, bare int) []marks {
		return []marks{
			{0, 100, []cell{{"middle, easy", search, 100}, {"end, easy", 0, 100}}},
			{0, 0, []cell{{"middle, easy", bare, 100}, {"end, easy", 20, 100}}},
		}
	}
	rows := []row{
		{base, 1, &record{Attempts: []int{40, 26}, Spent: &spent{26, 481.2, 7800, 64000}, Exams: marked(10, 30)}},
		{variant{"plain", []string{"train.average=0", "train.l2=0.1"}}, 1, &record{
			Attempts: []int{26}, Spent: &spent{26, 470, 7800, 65000}, Exams: marked(12, 40),
			Match: &matchResult{o.match, rating.Tally{Wins: 20, Draws: 20, Losses: 60}, rating.AcceptH0},
		}},
		{variant{"unmeasured", nil}, 1, &record{Attempts: []int{26}, Spent: &spent{26, 470, 7800, 65000}}},
	}
	const want = `480 processor seconds of training each, by

    go run -C lab ./ablate --out /path/to/DIR --budget 8m0s --seeds 1 --simulations 100 --games 1000 --sprt=-20,20 --opening-plies 6

| variant | settings | seed | iterations | games | positions | processor seconds | blunder rate, 100 simulations | blunder rate, bare network | score against base | Elo | SPRT -20,20 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| base |  | 1 | 26 | 7800 | 64000 | 481 | 5.0 % (2.7 – 9.0) | 25.0 % (19.5 – 31.4) | – | – | – |
| plain | ` + "`train.average=0`, `train.l2=0.1`" + ` | 1 | 26 | 7800 | 65000 | 470 | 6.0 % (3.5 – 10.2) | 30.0 % (24.1 – 36.7) | 30.0 % (21.9 – 39.6) of 100 | -147 (-221 – -73) | H0 |
| unmeasured |  | 1 | 26 | 7800 | 65000 | 470 | – | – | – | – | – |

| blunder rate, 100 simulations | seed | middle, easy | end, easy |
| --- | --- | --- | --- |
| base | 1 | 10.0 % (5.5 – 17.4) | 0.0 % (0.0 – 3.7) |
| plain | 1 | 12.0 % (7.0 – 19.8) | 0.0 % (0.0 – 3.7) |

| blunder rate, bare network | seed | middle, easy | end, easy |
| --- | --- | --- | --- |
| base | 1 | 30.0 % (21.9 – 39.6) | 20.0 % (13.3 – 28.9) |
| plain | 1 | 40.0 % (30.9 – 49.8) | 20.0 % (13.3 – 28.9) |
`
	if got := writeTables(o, rows); got != want {
		t.Errorf("tables\n%s\nwant\n%s", got, want)
	}
}
