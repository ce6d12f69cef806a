package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/eval/exam"
	"tengen/internal/fulltest"
)

// generate draws three positions for each cell of the later stages, and returns the work file and what was written.
func generate(t *testing.T, seed uint64, workers int, work []byte) (workFile, out []byte) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "work")
	if err := os.WriteFile(path, work, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := config{seed: seed, size: 3, workers: workers, megabytes: 1}
	if err := run(t.Context(), cfg, []exam.Stage{exam.Middle, exam.End}, path, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct {
		name string
		to   *[]byte
	}{{"work", &workFile}, {"out", &out}} {
		var err error
		if *file.to, err = os.ReadFile(filepath.Join(dir, file.name)); err != nil {
			t.Fatal(err)
		}
	}
	return workFile, out
}

func TestSeedDecides(t *testing.T) {
	_, want := generate(t, 1, 1, nil)
	if _, got := generate(t, 1, 3, nil); !bytes.Equal(got, want) {
		t.Error("three workers draw other positions than one")
	}
	if _, got := generate(t, 2, 1, nil); bytes.Equal(got, want) {
		t.Error("another seed draws the same positions")
	}
}

// Whatever part of the work file a run left, the next goes on to the same result.
func TestGoesOn(t *testing.T) {
	work, want := generate(t, 1, 2, nil)
	half := len(work) / 2
	for _, n := range fulltest.Pick([]int{half}, []int{1, len(work) / 3, half, len(work) - 1, len(work)}) {
		again, got := generate(t, 1, 2, work[:n])
		if !bytes.Equal(got, want) || !bytes.Equal(again, work) {
			t.Fatalf("from %d bytes of the work file on, other positions are drawn", n)
		}
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	err := run(ctx, config{seed: 1, size: 1, workers: 2, megabytes: 1}, exam.Stages[:], filepath.Join(dir, "work"), filepath.Join(dir, "out"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("it was stopped, but there is a result")
	}
}

func TestDamagedWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work")
	for _, line := range []string{"0 1\n", "0 x 44 1 1 1 1 1 1 1\n", "0 1 44 1\n", "\n"} {
		if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := openLog(path); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}

// Without workers, or without positions to draw, nothing takes the place of the file that is there.
func TestRefuses(t *testing.T) {
	for want, cfg := range map[string]config{"-workers is 0": {size: 1, megabytes: 1}, "-size is 0": {workers: 1, megabytes: 1}} {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // or it would draw for ever
		err := run(ctx, cfg, exam.Stages[:], filepath.Join(dir, "work"), filepath.Join(dir, "out"))
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %s", err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%s, and there is a result", want)
		}
	}
}
