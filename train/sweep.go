package train

import (
	"fmt"
	"os"
	"path"
	"slices"

	"tengen/internal/atomicfile"
)

// sweep removes what is neither part of the run at the committed iteration nor to be kept: temporary files, checkpoints but
// for those of this iteration and the one before, models of later iterations and, unless keep is 0, all but the newest keep
// models. It leaves alone whatever else people have put there.
func (d *Dir) sweep(iteration, keep int) error {
	oldest, err := d.oldestKept(iteration, keep)
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
			if !superseded(name, oldest, iteration) {
				continue
			}
			if err := os.Remove(d.file(name)); err != nil {
				return fmt.Errorf("cannot clear away what an earlier iteration has left: %w", err)
			}
		}
	}
	return nil
}

// superseded reports whether a file is to be removed. Models stay from the iteration oldest to the newest.
func superseded(name string, oldest, newest int) bool {
	if temporary, _ := path.Match(atomicfile.TempPattern, path.Base(name)); temporary {
		return true
	}
	if n, ok := number(checkpointPattern, name); ok {
		return n < newest-1 || n > newest
	}
	n, ok := number(modelPattern, name)
	return ok && (n < oldest || n > newest)
}

// oldestKept is the iteration of the oldest of the newest keep committed models, 0 if all are kept.
func (d *Dir) oldestKept(iteration, keep int) (int, error) {
	models, err := d.models()
	if err != nil || keep == 0 {
		return 0, err
	}
	models = slices.DeleteFunc(models, func(n int) bool { return n > iteration })
	if len(models) <= keep {
		return 0, nil
	}
	return models[len(models)-keep], nil
}

// models lists the iterations of the model files, ascending.
func (d *Dir) models() ([]int, error) { return d.numbered(".", modelPattern) }

// numbered lists the numbers in the names of the files in a folder that were made from a pattern, ascending.
func (d *Dir) numbered(folder, pattern string) ([]int, error) {
	names, err := d.list(folder)
	var numbers []int
	for _, name := range names {
		if n, ok := number(pattern, path.Join(folder, name)); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
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
