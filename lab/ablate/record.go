package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tengen/eval/grade"
	"tengen/eval/rating"
	"tengen/internal/atomicfile"
	"tengen/run"
)

// record holds the results of a trial: one variant and seed. Its file is beside the runs.
type record struct {
	Config   string       `json:"config"`          // the run's; train.iterations is the first attempt's
	Budget   float64      `json:"budget"`          // processor seconds
	Attempts []int        `json:"attempts"`        // planned iterations of each run; the last run counts
	Spent    *spent       `json:"spent,omitempty"` // nil until finished
	Exams    []marks      `json:"exams,omitempty"`
	Match    *matchResult `json:"match,omitempty"` // against the base with the same seed
}

type spent struct {
	Iterations int     `json:"iterations"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Games      uint64  `json:"games"`
	Positions  uint64  `json:"positions"` // learned from
}

// marks counts a player's blunders in an exam.
type marks struct {
	BookExam    int    `json:"book_exam,omitempty"` // see options
	Simulations int    `json:"simulations"`         // per move; 0: the policy without search
	Cells       []cell `json:"cells"`
}

type cell struct {
	Name     string `json:"name"` // part of the exam
	Blunders int    `json:"thrown"`
	Of       int    `json:"of"` // positions
}

func (m marks) all() grade.Share {
	var s grade.Share
	for _, c := range m.Cells {
		s.Count += c.Blunders
		s.Of += c.Of
	}
	return s
}

type matchConfig struct {
	Games        int    `json:"games"` // maximum
	SPRT         string `json:"sprt"`  // see rating.ParseSPRT; may be empty
	OpeningPlies int    `json:"opening_plies"`
	Simulations  int    `json:"simulations"`
}

type matchResult struct {
	Question matchConfig    `json:"question"`
	Tally    rating.Tally   `json:"tally"`
	Verdict  rating.Verdict `json:"verdict,omitempty"`
}

func (r *record) marksOf(bookExam, simulations int) *marks {
	if i := slices.IndexFunc(r.Exams, func(m marks) bool { return m.BookExam == bookExam && m.Simulations == simulations }); i >= 0 {
		return &r.Exams[i]
	}
	return nil
}

func (r *record) iterations() int { return r.Attempts[len(r.Attempts)-1] }

func (o options) recordFile(name string) string { return filepath.Join(o.out, name+".json") }

func (o options) runDir(name string, r *record) string {
	return filepath.Join(o.out, fmt.Sprintf("%s-%d-iterations", name, r.iterations()))
}

// load returns a trial's record, or nil if it has none.
func (o options) load(name string) (*record, error) {
	content, err := os.ReadFile(o.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	r := new(record)
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("%s: %w", o.recordFile(name), err)
	}
	return r, nil
}

func (o options) save(name string, r *record) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(o.recordFile(name), 0o644, append(content, '\n'))
}

// check returns an error if the record has another configuration or budget.
func (r *record) check(cfg run.Config, budget float64) error {
	old, err := run.ParseConfig([]byte(r.Config))
	if err != nil {
		return err
	}
	old.Train.Iterations = cfg.Train.Iterations
	if !bytes.Equal(old.YAML(), cfg.YAML()) {
		return errors.New("it was trained with another configuration: give the variant another name, or choose another folder")
	}
	if r.Budget != budget {
		return fmt.Errorf("it was trained for %v processor seconds, not for %v: choose another folder", r.Budget, budget)
	}
	return nil
}
