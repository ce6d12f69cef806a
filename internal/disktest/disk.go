package disktest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Disk is a folder as a disk has it while a program works there, of which only that is certain which was synced.
//
//   - What was written to a file and not synced may be there or not, page by page; a page that is missing before one that is there
//     holds zeros.
//   - What became of the names in a folder is there up to some change that was not synced, and no further. A sync of the
//     folder makes all changes before certain.
//   - Where Journalled says so, as on ext4 and xfs, the names of all such folders have one order, and a sync of any file or folder
//     there makes certain what came before. Elsewhere a file that was synced may be without its name, as POSIX has it.
type Disk struct {
	Journalled func(path string) bool

	root    *node
	journal *names
}

// names are changes of names in their order.
type names struct {
	changes []change
	certain int // of them
}

// change gives a name in a folder to a node, or takes it away if that is nil; a renaming takes another one away as well.
type change struct {
	folder *node
	name   string
	node   *node
	from   string
}

// node is a file or a folder.
type node struct {
	path    string           // at first
	entries map[string]*node // of a folder: as the program sees it; nil for a file
	names   *names           // where changes of entries are noted
	writes  []write          // to a file
	size    int64            // as the program sees it
}

type write struct {
	data     []byte
	offset   int64
	truncate bool // to offset
	certain  bool
}

// Apply does what a call does.
func (d *Disk) Apply(c Call) {
	if d.root == nil {
		d.journal = &names{}
		d.root = d.folder(".")
	}
	folder, name := d.find(filepath.Dir(c.Path)), filepath.Base(c.Path)
	at := d.find(c.Path)
	switch {
	case c.Kind == Sync && at != nil:
		d.sync(at)
	case folder == nil || folder.entries == nil: // the call fails
	case c.Kind == Mkdir && at == nil:
		folder.change(change{folder: folder, name: name, node: d.folder(c.Path)})
	case (c.Kind == Create || c.Kind == Truncate) && at == nil:
		folder.change(change{folder: folder, name: name, node: &node{path: c.Path}})
	case c.Kind == Truncate:
		at.size = c.Offset
		at.writes = append(at.writes, write{offset: c.Offset, truncate: true})
	case c.Kind == Write && at != nil:
		offset := c.Offset
		if offset < 0 {
			offset = at.size
		}
		at.writes = append(at.writes, write{data: c.Data, offset: offset})
		at.size = max(at.size, offset+int64(len(c.Data)))
		if c.Synced {
			d.sync(at)
		}
	case c.Kind == Rename && at != nil:
		folder.change(change{folder: folder, name: filepath.Base(c.To), node: at, from: name})
	case c.Kind == Remove && at != nil && at.entries == nil, c.Kind == Rmdir && at != nil && len(at.entries) == 0:
		folder.change(change{folder: folder, name: name})
	}
}

func (d *Disk) folder(path string) *node {
	n := &node{path: path, entries: map[string]*node{}, names: &names{}}
	if d.Journalled != nil && d.Journalled(path) {
		n.names = d.journal
	}
	return n
}

// find returns what the program sees at a path, nil if there is nothing.
func (d *Disk) find(path string) *node {
	if path == "." {
		return d.root
	}
	folder := d.find(filepath.Dir(path))
	if folder == nil {
		return nil
	}
	return folder.entries[filepath.Base(path)]
}

func (n *node) change(c change) {
	c.do(func(folder *node) map[string]*node { return folder.entries })
	n.names.changes = append(n.names.changes, c)
}

func (c change) do(entries func(folder *node) map[string]*node) {
	names := entries(c.folder)
	if c.from != "" {
		delete(names, c.from)
	}
	if c.node == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.node
	}
}

func (d *Disk) sync(n *node) {
	for i := range n.writes {
		n.writes[i].certain = true
	}
	if n.entries != nil {
		n.names.certain = len(n.names.changes)
	}
	if d.Journalled != nil && d.Journalled(n.path) {
		d.journal.certain = len(d.journal.changes)
	}
}

// Lose writes into dir, which is empty, what a loss of power could leave of the folder now.
func (d *Disk) Lose(rng *rand.Rand, dir string) error {
	if d.root == nil {
		return nil
	}
	left := map[*node]map[string]*node{} // entries of folders
	entries := func(folder *node) map[string]*node {
		if left[folder] == nil {
			left[folder] = map[string]*node{}
		}
		return left[folder]
	}
	survive := func(n *names) {
		for _, c := range n.changes[:n.certain+rng.IntN(len(n.changes)-n.certain+1)] {
			c.do(entries)
		}
	}
	survive(d.journal)
	var write func(n *node, path string) error
	write = func(n *node, path string) error {
		if n.entries == nil {
			return os.WriteFile(path, n.content(rng), 0o644)
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		if n.names != d.journal {
			survive(n.names)
		}
		for name, child := range entries(n) {
			if err := write(child, filepath.Join(path, name)); err != nil {
				return err
			}
		}
		return nil
	}
	return write(d.root, dir)
}

const page = 4096

// content is what a loss of power could leave of a file. The system writes pages as they are at some time, so that what is lost of a
// page is its last writes.
func (n *node) content(rng *rand.Rand) (content []byte) {
	share := []float64{0, 0.5, 0.9, 1}[rng.IntN(4)] // of what is not certain
	behind := map[int64]bool{}                      // pages of which something is lost
	for _, w := range n.writes {
		if w.truncate {
			if w.certain || rng.Float64() < share {
				content = append(content, make([]byte, max(0, int(w.offset)-len(content)))...)[:w.offset]
			}
			continue
		}
		for from := 0; from < len(w.data); {
			at := w.offset + int64(from)
			to := min(len(w.data), from+page-int(at%page))
			if w.certain || !behind[at/page] && rng.Float64() < share {
				end := int(w.offset) + to
				content = append(content, make([]byte, max(0, end-len(content)))...)
				copy(content[at:end], w.data[from:to])
			} else {
				behind[at/page] = true
			}
			from = to
		}
	}
	return content
}
