package cluster

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// numbers are those of a set, one by one.
func (s skips) numbers() (all []uint64) {
	for _, run := range s {
		for n := run.first; n <= run.last; n++ {
			all = append(all, n)
		}
	}
	return all
}

// A set of skipped sequence numbers is the same as a list of them, whatever is added and forgotten.
func TestSkips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s skips
		var list []uint64
		next := uint64(1)
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			n := rapid.Uint64Range(0, 60).Draw(t, "number")
			switch rapid.IntRange(0, 5).Draw(t, "operation") {
			case 0:
				s.truncate(n)
				list = slices.DeleteFunc(list, func(x uint64) bool { return x > n })
				next = min(next, n+1)
			case 1:
				s.trim(n)
				list = slices.DeleteFunc(list, func(x uint64) bool { return x < n })
			default:
				next += n % 3
				s.add(next)
				list = append(list, next)
				next++
			}
			if !slices.Equal(s.numbers(), list) {
				t.Fatalf("%v, want %v", s, list)
			}
			if s.has(n) != slices.Contains(list, n) {
				t.Fatalf("%v has %d: %v", s, n, s.has(n))
			}
		}
		text, err := json.Marshal(notes{s})
		var again notes
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil || !slices.Equal(again.Skipped, s) {
			t.Fatalf("%s is read as %v, %v; want %v", text, again.Skipped, err, s)
		}
	})
}

// What a checkpoint remembers stays small: a run of any length is two numbers, and games refused here and there two bytes each.
func TestSkipsAreSmall(t *testing.T) {
	fulltest.Only(t)
	rng := random.New(1, random.Test)
	for name, c := range map[string]struct {
		share float64 // of 1,000,000 games
		bytes int
	}{
		"all":              {1, 50},
		"one in two":       {0.5, 400_000},
		"one in a hundred": {0.01, 30_000},
	} {
		var s skips
		for n := range uint64(1_000_000) {
			if rng.Float64() < c.share {
				s.add(n)
			}
		}
		text, err := s.MarshalText()
		if err != nil || len(text) > c.bytes {
			t.Errorf("%s: %d bytes, %v; want %d at most", name, len(text), err, c.bytes)
		}
		var again skips
		if err := again.UnmarshalText(text); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: read as another set, %v", name, err)
		}
	}
}

// FuzzSkips: no text makes the reader fail otherwise than with an error, and what it reads is a set.
func FuzzSkips(f *testing.F) {
	for _, s := range []skips{nil, {{1, 1}}, {{3, 9}, {11, 1 << 40}}} {
		text, err := s.MarshalText()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("AAAA"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s skips
		if s.UnmarshalText(text) != nil {
			return
		}
		for i, run := range s {
			if run.last < run.first || i > 0 && run.first < s[i-1].last+2 {
				t.Fatalf("%v is no set", s)
			}
		}
	})
}
