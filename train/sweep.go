package train

import (
	"fmt"
	"os"
	"path"
	"slices"

	"tengen/internal/atomicfile"
)

// sweep removes what is neither part of the committed state nor to be kept: temporary files, learners and windows of
// other iterations, models of later iterations and, unless keep is 0, all but the newest keep models. It leaves alone
// whatever else people have put there.
func (d *Dir) sweep(s state, keep int) error {
	oldest, err := d.oldestKept(s, keep)
	if err != nil {
		return err
	}
	for _, folder := range []string{".", stateFolder} {
		entries, err := d.list(folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			name := path.Join(folder, entry)
			if _, needed := s.Files[name]; needed || !superseded(name, oldest, s.Iteration) {
				continue
			}
			if err := os.Remove(d.file(name)); err != nil {
				return fmt.Errorf("cannot clear away what an earlier iteration has left: %w", err)
			}
		}
	}
	return nil
}

// superseded tells whether a file that the committed state does not need is to be removed. Models stay from the iteration
// oldest to the newest.
func superseded(name string, oldest, newest int) bool {
	if temporary, _ := path.Match(atomicfile.TempPattern, path.Base(name)); temporary {
		return true
	}
	for _, pattern := range []string{learnerPattern, windowPattern} {
		if _, ok := number(pattern, name); ok {
			return true
		}
	}
	n, ok := number(modelPattern, name)
	return ok && (n < oldest || n > newest)
}

// oldestKept is the iteration of the oldest of the newest keep committed models, 0 if all are kept.
func (d *Dir) oldestKept(s state, keep int) (int, error) {
	models, err := d.models()
	if err != nil || keep == 0 {
		return 0, err
	}
	models = slices.DeleteFunc(models, func(n int) bool { return n > s.Iteration })
	if len(models) <= keep {
		return 0, nil
	}
	return models[len(models)-keep], nil
}

// models lists the iterations of the model files, ascending.
func (d *Dir) models() ([]int, error) {
	names, err := d.list(".")
	var models []int
	for _, name := range names {
		if n, ok := number(modelPattern, name); ok {
			models = append(models, n)
		}
	}
	slices.Sort(models)
	return models, err
}

// list returns the names of the files in one of the directory's folders.
func (d *Dir) list(folder string) ([]string, error) {
	entries, err := os.ReadDir(d.file(folder))
	if err != nil {
		return nil, fmt.Errorf("cannot list the run directory: %w", err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// number reads the number in a name that was made from a pattern.
func number(pattern, name string) (n int, ok bool) {
	if _, err := fmt.Sscanf(name, pattern, &n); err != nil {
		return 0, false
	}
	return n, fmt.Sprintf(pattern, n) == name
}
