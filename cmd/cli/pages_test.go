package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"tengen/internal/fulltest"
)

// TestPages types the commands of pages that new users follow, from top to bottom in one folder, and compares what they print with
// the page. A line "..." stands for any lines. Figures count only in a command's first line, since times differ and the test cuts
// trainings and matches short. It does not run commands without printed lines.
func TestPages(t *testing.T) {
	fulltest.Only(t)
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "docs/first-run.md"} {
		t.Run(page, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Symlink(self, filepath.Join(folder, program)); err != nil {
				t.Fatal(err)
			}
			for _, l := range listings(string(readFile(t, filepath.Join("../..", page)))) {
				if len(l.lines) > 0 {
					l.check(t, folder)
				}
			}
		})
	}
}

// listing is a command of a page with what it prints.
type listing struct {
	command string
	lines   []string
}

// listings returns the listings of a page: its indented blocks. A block without a command continues the one before it.
func listings(page string) (all []listing) {
	inside, blanks := false, 0
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		code, indented := strings.CutPrefix(line, "    ")
		if line == "" {
			blanks++
			continue
		}
		if command, ok := strings.CutPrefix(code, "$ "); ok && indented {
			all = append(all, listing{command: command})
		} else if indented && len(all) > 0 {
			l := &all[len(all)-1]
			if !inside {
				l.lines = append(l.lines, "...")
			} else {
				l.lines = append(l.lines, make([]string, blanks)...)
			}
			l.lines = append(l.lines, code)
		}
		inside, blanks = indented, 0
	}
	return all
}

// check runs the command in a folder. It interrupts a training once it has printed the lines before its summary.
func (l listing) check(t *testing.T, folder string) {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(l.command, "--games 200", "--games 4"))
	var typed strings.Builder
	text := strings.Join(l.lines, "\n") + "\n"
	text = prompt.ReplaceAllStringFunc(text, func(line string) string {
		before, answer, _ := strings.Cut(line, "> ")
		typed.WriteString(answer)
		return before + "> " // a pipe does not echo
	})
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	shown := new(output)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = folder, strings.NewReader(typed.String()), shown, shown
	if args[1] == "train" {
		cmd.Env = append(os.Environ(), "TENGEN_TRAIN_GAMES_PER_ITERATION=20", "TENGEN_EVAL_GAMES=4", "TENGEN_EVAL_GRADE_POSITIONS=10")
		shown.end = func() { cmd.Process.Signal(os.Interrupt) }
		for _, line := range l.lines {
			if line != "..." && !strings.Contains(line, " took ") && !strings.HasPrefix(line, "stopped: ") {
				shown.lines++
			}
		}
	}
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v", l.command, err)
	}
	want := strings.ReplaceAll(regexp.QuoteMeta(comparable(text)), `\.\.\.`+"\n", `(.*\n)*`)
	if got := comparable(shown.text.String()); !regexp.MustCompile(`^` + want + `$`).MatchString(got) {
		t.Errorf("%s\nprints\n%s\nThe page has\n%s", l.command, got, comparable(text))
	}
}

// output collects what a process prints, and calls end once that are so many lines.
type output struct {
	text  strings.Builder
	lines int
	end   func()
}

func (o *output) Write(p []byte) (int, error) {
	before := strings.Count(o.text.String(), "\n")
	n, err := o.text.Write(p)
	if o.end != nil && before < o.lines && strings.Count(o.text.String(), "\n") >= o.lines {
		o.end()
	}
	return n, err
}

var (
	prompt   = regexp.MustCompile(`(?m)^.* to move> .+\n`)
	checksum = regexp.MustCompile(`sha256 [0-9a-f]+`)
	figure   = regexp.MustCompile(`[+-]?\d[\d.,:/]*`)
	duration = regexp.MustCompile(`about # (s|min|h) `)
	elo      = regexp.MustCompile(`(above|below) #\n`)
	spaces   = regexp.MustCompile(` +`)
)

// comparable replaces the figures by # except in the first line of a command that does not depend on a training, and spaces by one.
func comparable(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.Contains(first, "checkpoints/") {
		first, rest = "", text
	}
	rest = figure.ReplaceAllString(checksum.ReplaceAllString(rest, "sha256 #"), "#")
	rest = elo.ReplaceAllString(duration.ReplaceAllString(rest, "about # min "), "# (# – #)\n")
	rest = spaces.ReplaceAllString(rest, " ")
	return strings.ReplaceAll(first+"\n"+rest, " \n", "\n")
}
